#pragma once
#include <vector>

#include "kernels/backend/types.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

/// [rows] the old number of each new one, so that each window of `window` rows is a part of the matrix as METIS cuts it
/// (kernels/libraries/metis_parts.hpp), made exactly as long as the window (solver/parts/parts_order.hpp). Inside a
/// window the rows keep their order. Throws std::invalid_argument for a window below 1, std::runtime_error as
/// metis_parts() does.
std::vector<Index> metis_window_order(const CsrPattern& matrix, Index window);

}  // namespace cardiowarp
