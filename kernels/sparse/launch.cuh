#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/backend/cuda_check.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

namespace cuda {

template <class Body>
__global__ void __launch_bounds__(1024) loop_kernel(Index n, const Body body) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) body(static_cast<Index>(i));
}

/// The number of blocks that together have `threads` threads or more.
inline unsigned blocks_of(std::int64_t threads, int block_size) {
  return static_cast<unsigned>((threads + block_size - 1) / block_size);
}

}  // namespace cuda

/// body(i) for i in [0, n) in blocks of a size chosen at run time; one launch. Throws std::invalid_argument for a bad
/// block size, DeviceError.
template <class Body>
void for_each_in_blocks(cudaStream_t stream, int block_size, Index n, const Body& body) {
  require_valid_block_size(block_size);
  if (n == 0) return;
  cuda::loop_kernel<<<cuda::blocks_of(n, block_size), block_size, 0, stream>>>(n, body);
  cuda_check(cudaGetLastError());
}

}  // namespace cardiowarp
