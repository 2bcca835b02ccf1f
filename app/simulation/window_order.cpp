#include "app/simulation/window_order.hpp"

#include <stdexcept>
#include <string>

#include "kernels/libraries/metis_parts.hpp"
#include "solver/parts/parts_order.hpp"

namespace cardiowarp {

std::vector<Index> metis_window_order(const CsrPattern& matrix, Index window) {
  if (window < 1)
    throw std::invalid_argument("METIS: expected a window of at least one row, got " + std::to_string(window));
  const std::vector<Index> length = window_lengths(matrix.rows(), window);
  std::vector<Index> part = metis_parts(matrix, length);
  equalize_parts(matrix, part, length);
  return order_by_parts(part, static_cast<Index>(length.size()));
}

}  // namespace cardiowarp
