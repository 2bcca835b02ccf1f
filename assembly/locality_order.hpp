#pragma once
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The order of points (nodes, or centroids of elements) in which a Hilbert curve visits them. Points that follow each
/// other fill a compact region, so that what a block of threads gathers is in few cache lines, which the next block
/// finds in the cache. Result: [points] the old number of each new one. Points in one cell of the curve's grid, of 2²¹
/// cells a side, are ordered by their old number.
std::vector<Index> locality_order(const std::vector<Vector3>& points);

}  // namespace cardiowarp
