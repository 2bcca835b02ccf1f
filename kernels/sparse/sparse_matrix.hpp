#pragma once
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

/// A matrix in the memory of a backend as a linear solver sees it: by its products, whatever its format. It multiplies
/// by values that the caller gives, [slots] in the order in which the format stores them, of double or of single
/// precision. Vectors are [rows]; they are in single precision only where the values are, too. Sums are in double
/// precision, but those of a row where the vectors are in single. GlobalMatrix (assembly/global_matrix.hpp) is the
/// matrix of a run. A call through this interface costs nothing beside the launch or loop that it makes, and what
/// solves is compiled once for all formats.
template <Backend B>
class SparseMatrix {
 public:
  virtual ~SparseMatrix() = default;
  /// y = A x
  virtual void multiply(B& backend, const Real* values, const Real* x, Real* y) const = 0;
  virtual void multiply(B& backend, const float* values, const Real* x, Real* y) const = 0;
  virtual void multiply(B& backend, const float* values, const float* x, float* y) const = 0;
  /// q = A p and *pq = p·q.
  virtual void multiply_dot(B& backend, const Real* values, const Real* p, Real* q, Real* pq) const = 0;
  virtual void multiply_dot(B& backend, const float* values, const Real* p, Real* q, Real* pq) const = 0;
  virtual void multiply_dot(B& backend, const float* values, const float* p, float* q, Real* pq) const = 0;
  /// y_i = Σ_j |A_ij|
  virtual void absolute_row_sums(B& backend, const Real* values, Real* y) const = 0;
  virtual void absolute_row_sums(B& backend, const float* values, Real* y) const = 0;
  virtual void absolute_row_sums(B& backend, const float* values, float* y) const = 0;
};

}  // namespace cardiowarp
