#pragma once
#include <array>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The nodes of an element, by their numbers, which is all that a mesh knows of it. A Mesh (fem/mesh.hpp) has arrays of
// these; whoever has to do with elements and not with whole meshes includes this header alone.

using Tetrahedron = std::array<Index, 4>;
using Triangle = std::array<Index, 3>;
/// The nodes on the edges 01, 12, 20, 03, 13 and 23 of a quadratic tetrahedron.
using EdgeNodes = std::array<Index, 6>;
/// The nodes on the edges 01, 12 and 20 of a quadratic triangle.
using TriangleEdgeNodes = std::array<Index, 3>;

}  // namespace cardiowarp
