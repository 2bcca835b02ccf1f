#pragma once
#include <vector>

#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp::test {

inline EllWarpOptions k1rs(Index window) {
  return {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window};
}

/// Columns of rows of one length, all different.
inline std::vector<Index> banded(Index rows, Index length) {
  std::vector<Index> columns;
  for (Index row = 0; row < rows; ++row)
    for (Index k = 0; k < length; ++k) columns.push_back((row + k) % rows);
  return columns;
}

/// Rows of one length stay in their order.
inline EllWarpLayout layout_of(const std::vector<Index>& lengths, const std::vector<Index>& columns, Index window) {
  return ell_warp_layout(lengths, columns, k1rs(window));
}

}  // namespace cardiowarp::test
