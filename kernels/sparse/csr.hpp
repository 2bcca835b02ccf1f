#pragma once
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Compressed sparse rows: entries of row i are [row_begin[i], row_begin[i + 1]), columns ascending. Owns nothing.
/// A product reads 12 bytes an entry and writes 8 a row.
struct CsrView {
  Index rows = 0;
  const Index* row_begin = nullptr;  ///< [rows + 1]
  const Index* column = nullptr;     ///< [entries]
  const Real* value = nullptr;       ///< [entries]
};

/// Row `row` of A x.
CARDIOWARP_HD inline Real row_times_vector(const CsrView& A, Index row, const Real* x) {
  Real sum = 0;
  for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) sum += A.value[e] * x[A.column[e]];
  return sum;
}

/// Loop body of y = A x, row by row. `View` is a matrix with row_times_vector().
template <class View>
struct RowsTimesVector {
  View A;
  const Real* x;
  Real* y;
  CARDIOWARP_HD void operator()(Index row) const { y[row] = row_times_vector(A, row, x); }
};

/// Loop body of q = A p and p·q in one pass: the product is not read back for the dot.
template <class View>
struct RowsTimesVectorDot {
  View A;
  const Real* p;
  Real* q;
  CARDIOWARP_HD Terms<1> operator()(Index row) const {
    q[row] = row_times_vector(A, row, p);
    return {{p[row] * q[row]}};
  }
};

/// Loop body of p·q.
struct Dot {
  const Real *p, *q;
  CARDIOWARP_HD Terms<1> operator()(Index i) const { return {{p[i] * q[i]}}; }
};

/// Compressed rows as conjugate gradients multiply them: q = A p and *pq = p·q in backend memory.
struct CsrProduct {
  CsrView A;
  template <Backend B>
  void multiply_dot(B& backend, const Real* p, Real* q, Real* pq) const {
    backend.template sum<1>(A.rows, pq, RowsTimesVectorDot<CsrView>{A, p, q});
  }
};

}  // namespace cardiowarp
