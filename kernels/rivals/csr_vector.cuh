#pragma once
#include <stdexcept>
#include <string>

#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/launch.cuh"

namespace cardiowarp {

/// The share of A x that one of the `lanes` threads of a row adds up: neighboring lanes read neighboring entries.
CARDIOWARP_HD inline Real lane_times_vector(const CsrView& A, Index row, Index lane, Index lanes, const Real* x) {
  Real sum = 0;
  const std::int64_t end = A.row_begin[row + 1];
  for (std::int64_t e = std::int64_t{A.row_begin[row]} + lane; e < end; e += lanes) sum += A.value[e] * x[A.column[e]];
  return sum;
}

namespace cuda {

template <Index lanes>
__global__ void __launch_bounds__(1024) csr_vector_kernel(const CsrView A, const Real* x, Real* y) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / lanes;
  const Index lane = static_cast<Index>(thread % lanes);
  Real sum = row < A.rows ? lane_times_vector(A, static_cast<Index>(row), lane, lanes, x) : 0;
  for (Index half = lanes / 2; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half, lanes);
  if (row < A.rows && lane == 0) y[row] = sum;
}

template <Index lanes>
void csr_vector_launch(cudaStream_t stream, int block_size, const CsrView& A, const Real* x, Real* y) {
  csr_vector_kernel<lanes><<<blocks_of(std::int64_t{A.rows} * lanes, block_size), block_size, 0, stream>>>(A, x, y);
  cuda_check(cudaGetLastError());
}

}  // namespace cuda

/// y = A x with 2, 4, 8, 16 or 32 lanes a row (Bell & Garland 2009: 32), the same bits for any block size; one launch.
/// Throws std::invalid_argument for another number or a bad block size, DeviceError.
inline void csr_vector_multiply(cudaStream_t stream, int block_size, Index lanes, const CsrView& A, const Real* x,
                                Real* y) {
  require_valid_block_size(block_size);
  if (A.rows == 0) return;
  switch (lanes) {
    case 2:
      return cuda::csr_vector_launch<2>(stream, block_size, A, x, y);
    case 4:
      return cuda::csr_vector_launch<4>(stream, block_size, A, x, y);
    case 8:
      return cuda::csr_vector_launch<8>(stream, block_size, A, x, y);
    case 16:
      return cuda::csr_vector_launch<16>(stream, block_size, A, x, y);
    case 32:
      return cuda::csr_vector_launch<32>(stream, block_size, A, x, y);
    default:
      throw std::invalid_argument("CSR: expected 2, 4, 8, 16 or 32 lanes a row, got " + std::to_string(lanes));
  }
}

}  // namespace cardiowarp
