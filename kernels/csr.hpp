#pragma once
#include <cstdint>

#include "kernels/types.hpp"

namespace cardiowarp {

/// Compressed sparse rows: entries of row i are [row_begin[i], row_begin[i + 1]), columns ascending. Owns nothing.
/// A product reads 12 bytes an entry and writes 8 a row.
struct CsrView {
  Index rows = 0;
  const Index* row_begin = nullptr;  ///< [rows + 1]
  const Index* column = nullptr;     ///< [entries]
  const Real* value = nullptr;       ///< [entries]
};

/// Where the entries of a row are stored: begin, begin + stride, .. before end. Entry k is at begin + k stride.
struct RowEntries {
  std::int64_t begin, end;
  std::int64_t stride;
};

CARDIOWARP_HD inline RowEntries entries_of_row(const CsrView& A, Index row) {
  return {A.row_begin[row], A.row_begin[row + 1], 1};
}

/// Row `row` of A x.
CARDIOWARP_HD inline Real row_times_vector(const CsrView& A, Index row, const Real* x) {
  Real sum = 0;
  for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) sum += A.value[e] * x[A.column[e]];
  return sum;
}

/// The product as the solver calls it.
struct CsrProduct {
  CsrView A;
  CARDIOWARP_HD Real operator()(Index row, const Real* x) const { return row_times_vector(A, row, x); }
};

}  // namespace cardiowarp
