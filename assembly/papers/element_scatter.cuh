#pragma once
#include <cuda_runtime.h>

#include "assembly/papers/element_scatter.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"

namespace cardiowarp {

namespace cuda {

/// One block of threads for a block of elements. Each thread keeps the numbers of its element until its color adds.
template <class Body>
__global__ void __launch_bounds__(elements_a_block) scatter_blocks_kernel(const Body body) {
  const Index i = static_cast<Index>(blockIdx.x), place = body.first(i) + static_cast<Index>(threadIdx.x);
  const bool has_element = place < body.end(i);
  const auto numbers = body.scatter.numbers(has_element ? place : body.first(i), has_element);
  const int color_of_mine = has_element ? body.color_in_block[place] : -1;
  for (int color = 0; __syncthreads_or(color_of_mine >= color); ++color)
    if (color_of_mine == color) body.scatter.template add<false>(place, numbers);
}

}  // namespace cuda

/// Runs the body for `blocks` blocks in one launch. Throws DeviceError.
template <class Body>
void scatter_blocks(CudaBackend& backend, Index blocks, const Body& body) {
  if (blocks == 0) return;
  cuda::scatter_blocks_kernel<<<static_cast<unsigned>(blocks), elements_a_block, 0, backend.stream()>>>(body);
  cuda_check(cudaGetLastError());
}

}  // namespace cardiowarp
