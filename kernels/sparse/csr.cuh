#pragma once
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/csr_format.hpp"
#include "kernels/sparse/launch.cuh"

namespace cardiowarp {

/// y = A x in the backend's stream, one launch; the general implementation is in csr_format.hpp. Throws
/// std::invalid_argument for a bad block size, DeviceError.
template <class Value, class Number>
void csr_multiply(CudaBackend& backend, int block_size, const CsrViewOf<Value>& A, const Number* x, Number* y) {
  const RowsTimesVector<CsrViewOf<Value>, Number> body{A, x, y};
  if (block_size == 0)
    backend.for_each(A.rows, body);
  else
    for_each_in_blocks(backend.stream(), block_size, A.rows, body);
}

}  // namespace cardiowarp
