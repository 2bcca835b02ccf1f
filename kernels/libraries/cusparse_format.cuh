#pragma once
#include "kernels/libraries/cusparse.cuh"
#include "kernels/libraries/cusparse_format.hpp"
#include "kernels/sparse/csr.cuh"

namespace cardiowarp {

/// Throws DeviceError, and MissingLibrary where cuSPARSE is not installed.
template <>
class CusparseProduct<CudaBackend> {
 public:
  CusparseProduct(CudaBackend& backend, const CsrPattern& pattern)
      : matrix_(backend, pattern), product_(backend, matrix_.view(), pattern.entries(), CusparseAlgorithm::csr_2) {}
  Real* value() { return matrix_.value(); }

  /// cuSPARSE has been told where the matrix has its values: products with others are made row by row.
  void multiply(CudaBackend& backend, int /*block_size*/, const Real* values, const Real* x, Real* y) const {
    if (values == matrix_.view().value)
      product_.multiply(x, y);
    else
      csr_multiply(backend, 0, matrix_.view(values), x, y);
  }
  void multiply_dot(CudaBackend& backend, int /*block_size*/, const Real* values, const Real* p, Real* q,
                    Real* pq) const {
    multiply(backend, 0, values, p, q);
    backend.sum<1>(matrix_.view().rows, pq, Dot{p, q});
  }
  void absolute_row_sums(CudaBackend& backend, int /*block_size*/, const Real* values, Real* y) const {
    const CsrView A = matrix_.view(values);
    backend.for_each(A.rows, AbsoluteRowSums<CsrView>{A, y});
  }

 private:
  CsrMatrix matrix_;
  CusparseMatrix product_;
};

}  // namespace cardiowarp
