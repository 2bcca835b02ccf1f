#pragma once
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/csr.hpp"

namespace cardiowarp::test {

// Matrices for conjugate gradients that are not stored: a function tells what a row is times a vector.

/// A matrix of n rows given as a function of (row, vector).
template <class Row>
struct RowMatrix {
  Row row;
  Index n;
  friend Real row_times_vector(const RowMatrix& A, Index i, const Real* x) { return A.row(i, x); }
  template <Backend B>
  void multiply_dot(B& backend, const Real* p, Real* q, Real* pq) const {
    backend.template sum<1>(n, pq, RowsTimesVectorDot<RowMatrix>{*this, p, q});
  }
};

/// 1D Laplacian plus `shift` times identity, n unknowns.
inline auto laplacian(Index n, Real shift) {
  return [n, shift](Index i, const Real* x) {
    return (2 + shift) * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0);
  };
}

}  // namespace cardiowarp::test
