#pragma once
#include <cuda_runtime.h>

#include "assembly/papers/global_nz.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"

namespace cardiowarp {

namespace cuda {

/// One block of threads for a block of elements, a thread an element.
template <class Body>
__global__ void __launch_bounds__(elements_a_block) store_element_blocks_kernel(const Body body) {
  extern __shared__ Real shared_of_block[];
  const Index block = static_cast<Index>(blockIdx.x), thread = static_cast<Index>(threadIdx.x);
  const typename Body::Memory memory(shared_of_block, body.nodes_of(block));
  body.bring_nodes(block, thread, elements_a_block, memory);
  __syncthreads();
  const Index place = body.element_begin[block] + thread;
  if (place < body.element_begin[block + 1]) body.evaluate(place, memory);
}

/// One block of threads for a block of sums.
template <class Body>
__global__ void __launch_bounds__(threads_a_list_block) sum_lists_kernel(const Body body) {
  __shared__ Real of_block[sums_a_list_block];
  const Index block = static_cast<Index>(blockIdx.x), thread = static_cast<Index>(threadIdx.x);
  for (Index k = thread; k < sums_a_list_block; k += threads_a_list_block) of_block[k] = 0;
  __syncthreads();
  body.sum(block, thread, of_block);
  __syncthreads();
  for (Index k = thread; k < body.sums_of(block); k += threads_a_list_block)
    body.store(block * sums_a_list_block + k, of_block[k]);
}

}  // namespace cuda

/// Runs the body for all blocks of elements in one launch. Throws DeviceError.
template <class Body>
void store_element_blocks(CudaBackend& backend, const Body& body) {
  if (body.blocks == 0) return;
  const std::size_t shared = std::size_t(body.most_nodes) * Body::Memory::numbers_a_node * sizeof(Real);
  const auto kernel = cuda::store_element_blocks_kernel<Body>;
  if (shared > std::size_t{48} << 10)  // of linear elements never
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  kernel<<<static_cast<unsigned>(body.blocks), elements_a_block, shared, backend.stream()>>>(body);
  cuda_check(cudaGetLastError());
}

/// Runs the body for all blocks of sums in one launch. Throws DeviceError.
template <class Body>
void sum_lists(CudaBackend& backend, Index blocks, const Body& body) {
  if (blocks == 0) return;
  cuda::sum_lists_kernel<<<static_cast<unsigned>(blocks), threads_a_list_block, 0, backend.stream()>>>(body);
  cuda_check(cudaGetLastError());
}

}  // namespace cardiowarp
