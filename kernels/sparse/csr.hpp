#pragma once
#include <cmath>
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Compressed sparse rows (CSR), in host or backend memory; owns nothing. The entries of row i are row_begin[i] up to,
/// but without, row_begin[i + 1], in ascending order of their columns unless somebody says otherwise:
///
///   | 7 1 . . |   row_begin   0     2       5       8    10
///   | 1 7 2 . |   column      0 1   0 1 2   1 2 3   2 3
///   | . 2 7 3 |   value       7 1   1 7 2   2 7 3   3 7
///   | . . 3 7 |
///
/// It takes 12 bytes an entry and 4 a row; a product reads them, gathers x and writes 8 a row. It is the format of the
/// CPU, and what every other format is made from. With values in single precision, `Value` = float, an entry takes 8
/// bytes: a product with a vector in double precision makes them double again and adds in double precision; where the
/// vector is in single precision, too, so are the terms and the sum of a row.
template <class Value>
struct CsrViewOf {
  Index rows = 0;
  const Index* row_begin = nullptr;  ///< [rows + 1]
  const Index* column = nullptr;     ///< [entries]
  const Value* value = nullptr;      ///< [entries]
};
using CsrView = CsrViewOf<Real>;

/// Row `row` of A x, its terms added in the order of the entries.
template <class Value, class Number>
CARDIOWARP_HD auto row_times_vector(const CsrViewOf<Value>& A, Index row, const Number* x) {
  decltype(Value{} * Number{}) sum = 0;
  for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) sum += A.value[e] * x[A.column[e]];
  return sum;
}

/// The sum of the absolute values of a row.
template <class Value>
CARDIOWARP_HD Real absolute_row_sum(const CsrViewOf<Value>& A, Index row) {
  Real sum = 0;
  for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) sum += std::fabs(Real{A.value[e]});
  return sum;
}

/// Loop body over the rows: y_i = Σ_j |A_ij|. `View` is a matrix with absolute_row_sum().
template <class View, class Number = Real>
struct AbsoluteRowSums {
  View A;
  Number* y;
  CARDIOWARP_HD void operator()(Index row) const { y[row] = static_cast<Number>(absolute_row_sum(A, row)); }
};

/// Loop body of y = A x, row by row. `View` is a matrix with row_times_vector().
template <class View, class Number = Real>
struct RowsTimesVector {
  View A;
  const Number* x;
  Number* y;
  CARDIOWARP_HD void operator()(Index row) const { y[row] = static_cast<Number>(row_times_vector(A, row, x)); }
};

/// Loop body of q = A p and p·q in one pass: the product is not read back for the dot.
template <class View, class Number = Real>
struct RowsTimesVectorDot {
  View A;
  const Number* p;
  Number* q;
  CARDIOWARP_HD Terms<1> operator()(Index row) const {
    q[row] = row_times_vector(A, row, p);
    return {{Real{p[row]} * q[row]}};
  }
};

/// Loop body of the sum p·q.
template <class Number>
struct Dot {
  const Number *p, *q;
  CARDIOWARP_HD Terms<1> operator()(Index i) const { return {{Real{p[i]} * q[i]}}; }
};
template <class Number>
Dot(const Number*, const Number*) -> Dot<Number>;

/// A CSR matrix as ConjugateGradient multiplies (solver/cg/conjugate_gradient.hpp): q = A p and *pq = p·q, in one pass.
template <class Value = Real>
struct CsrProduct {
  CsrViewOf<Value> A;
  template <Backend B, class Number>
  void multiply_dot(B& backend, const Number* p, Number* q, Real* pq) const {
    backend.template sum<1>(A.rows, pq, RowsTimesVectorDot<CsrViewOf<Value>, Number>{A, p, q});
  }
};

}  // namespace cardiowarp
