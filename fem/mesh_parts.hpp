#pragma once
#include <cstdint>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

// Parts of a mesh, for the tools that make one mesh of another. The meshes that they return have not been checked:
// check_mesh() drops the nodes that no element has any longer, and the triangles that use one.

/// The elements whose number in `keeps` is not 0, with all that a mesh knows of them. Names of groups without elements
/// are left out.
Mesh part_of_mesh(const Mesh& mesh, const std::vector<std::uint8_t>& keeps);

/// Gives nodes that lie at one place, up to `distance_mm`, one number, that of the first of them. Returns how many were
/// replaced. Nodes up to 3.5 times as far apart may become one, too.
Index merge_coinciding_nodes(Mesh& mesh, Real distance_mm);

}  // namespace cardiowarp
