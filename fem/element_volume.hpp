#pragma once
#include <cstddef>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct Mesh;

/// The volume of an element, mm³; of a quadratic one that between its curved edges, by its integration points.
Real element_volume(const Mesh& mesh, std::size_t element);

}  // namespace cardiowarp
