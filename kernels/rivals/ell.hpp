#pragma once
#include <cstdint>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/batched_sum.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

/// ELLPACK: every row is padded to `width` entries, entry k of all rows before entry k + 1 of any, so that the threads
/// of a warp, one a row, read neighbouring entries. Owns nothing.
struct EllView {
  Index rows = 0, width = 0;
  const Index* column = nullptr;  ///< [width × rows] padding repeats a column of its own row
  const Real* value = nullptr;    ///< [width × rows] padding is 0
};

/// ELLPACK-R (paper 000, ref. 34): a thread stops where its row ends, padding is not read.
struct EllRView {
  EllView ell;
  const Index* row_length = nullptr;  ///< [rows]
};

/// Entry k of a row, times x.
struct EllTerm {
  const EllView& A;
  Index row;
  const Real* x;
  CARDIOWARP_HD Real operator()(Index k) const {
    const std::int64_t slot = std::int64_t{k} * A.rows + row;
    return A.value[slot] * x[A.column[slot]];
  }
};

CARDIOWARP_HD inline Real row_times_vector(const EllView& A, Index row, const Real* x) {
  return batched_sum(A.width, EllTerm{A, row, x});
}

CARDIOWARP_HD inline Real row_times_vector(const EllRView& A, Index row, const Real* x) {
  return batched_sum(A.row_length[row], EllTerm{A.ell, row, x});
}

/// The first `width` entries of each row in host memory.
struct EllMatrix {
  Index rows = 0, width = 0;
  std::vector<Index> column, row_length;  ///< [width × rows], [rows] without padding
  std::vector<Real> value;                ///< [width × rows]

  std::int64_t stored_entries() const { return std::int64_t{rows} * width; }
};

/// The same in the memory of a backend.
class EllBuffers {
 public:
  template <Backend B>
  EllBuffers(B& backend, const EllMatrix& A)
      : rows_(A.rows),
        width_(A.width),
        column_(uploaded(backend, A.column)),
        row_length_(uploaded(backend, A.row_length)),
        value_(uploaded(backend, A.value)) {}

  EllView view() const { return {rows_, width_, column_.data(), value_.data()}; }
  EllRView view_with_lengths() const { return {view(), row_length_.data()}; }

 private:
  Index rows_, width_;
  Buffer<Index> column_, row_length_;
  Buffer<Real> value_;
};

/// Entries beyond the first `width` of a row are left out.
EllMatrix ell_matrix(const CsrView& A, Index width);

/// Entries of the longest row, 0 without rows.
Index longest_row(const CsrView& A);

/// The largest width that a third of the rows, and 4096 of them, fill (Bell & Garland 2009, for HYB: ELL up to there,
/// coordinates beyond). So a matrix of fewer rows has 0.
Index hyb_width(const CsrView& A);

}  // namespace cardiowarp
