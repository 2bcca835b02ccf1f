#pragma once
#include <cstdint>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/batched_sum.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

/// The format ELLPACK, which `cardiowarp bench spmv` measures: every row is padded to `width` entries, and entry k of
/// all rows stands before entry k + 1 of any, so that the threads of a warp, one a row, read neighboring entries. Owns
/// nothing. It takes 12 bytes for each of width × rows stored entries, which a product reads once.
///
///   | 7 1 . . |   column   0 0 1 2   1 1 2 3   1 2 3 3      padding repeats the last column of its row
///   | 1 7 2 . |   value    7 1 2 3   1 7 7 7   . 2 3 .      and has the value 0, here a dot
///   | . 2 7 3 |
///   | . . 3 7 |
struct EllView {
  Index rows = 0, width = 0;
  const Index* column = nullptr;  ///< [width × rows] padding repeats a column of its own row
  const Real* value = nullptr;    ///< [width × rows] padding is 0
};

/// ELLPACK-R (paper 000, ref. 34): ELLPACK with the length of each row, 4 bytes a row, so that a thread stops where its
/// row ends and does not read padding.
struct EllRView {
  EllView ell;
  const Index* row_length = nullptr;  ///< [rows]
};

/// The term of entry k of a row: value times x.
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

/// An ELLPACK matrix in host memory.
struct EllMatrix {
  Index rows = 0, width = 0;
  std::vector<Index> column, row_length;  ///< [width × rows], [rows] without padding
  std::vector<Real> value;                ///< [width × rows]

  std::int64_t stored_entries() const { return std::int64_t{rows} * width; }
};

/// An ELLPACK matrix in the memory of a backend.
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

/// The first `width` entries of each row of A; what a row has beyond them is left out.
EllMatrix ell_matrix(const CsrView& A, Index width);

/// The number of entries of the longest row; 0 where there are no rows.
Index longest_row(const CsrView& A);

/// The width of the ELLPACK side of HYB (Bell & Garland 2009): the largest that at least a third of the rows fill, and
/// at least 4096 rows; what rows have beyond it goes into coordinates. 0 for a matrix with fewer than 4096 rows.
Index hyb_width(const CsrView& A);

}  // namespace cardiowarp
