#pragma once
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Points (nodes, centroids of elements) in the order in which a Hilbert curve visits them: those that follow each
/// other fill a compact region, so that what a block of threads gathers is in few cache lines, and one reads what the
/// next has fetched. Result: [points] old number of each new one; points in one cell of the grid by their old number.
std::vector<Index> locality_order(const std::vector<Vector3>& points);

}  // namespace cardiowarp
