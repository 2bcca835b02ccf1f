#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

// Small matrices in full, for what tests compare with.

using Dense = std::vector<std::vector<Real>>;

inline Dense dense(const CsrView& A) {
  Dense full(A.rows, std::vector<Real>(A.rows));
  for (Index row = 0; row < A.rows; ++row)
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) full[row][A.column[e]] += A.value[e];
  return full;
}

/// D^-½ A D^-½ with the diagonal D of A.
inline Dense scaled_by_diagonal(Dense A) {
  std::vector<Real> scale(A.size());
  for (std::size_t i = 0; i < A.size(); ++i) scale[i] = 1 / std::sqrt(A[i][i]);
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t j = 0; j < A.size(); ++j) A[i][j] *= scale[i] * scale[j];
  return A;
}

/// x of A x = b by Cholesky's factorization; A is symmetric and positive definite.
inline std::vector<Real> direct_solution(Dense A, std::vector<Real> b) {
  const std::size_t n = A.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      Real sum = A[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= A[i][k] * A[j][k];
      A[i][j] = i == j ? std::sqrt(sum) : sum / A[j][j];
    }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= A[i][k] * b[k];
    b[i] /= A[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= A[k][i] * b[k];
    b[i] /= A[i][i];
  }
  return b;
}

/// The eigenvalues of a symmetric matrix, ascending, by Jacobi's rotations.
inline std::vector<Real> eigenvalues(Dense A) {
  const std::size_t n = A.size();
  for (int sweep = 0; sweep < 60; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (A[p][q] == 0) continue;
        const Real theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
        const Real t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        const Real c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const Real kp = A[k][p], kq = A[k][q];
          A[k][p] = c * kp - s * kq;
          A[k][q] = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const Real pk = A[p][k], qk = A[q][k];
          A[p][k] = c * pk - s * qk;
          A[q][k] = s * pk + c * qk;
        }
      }
  std::vector<Real> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = A[i][i];
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace cardiowarp
