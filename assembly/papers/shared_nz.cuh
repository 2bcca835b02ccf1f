#pragma once
#include <cuda_runtime.h>

#include "assembly/papers/shared_nz.hpp"
#include "assembly/papers/shared_nz_general.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"

namespace cardiowarp {

namespace cuda {

/// One block a part. What a thread needs of its first element is on its way before the nodes are there.
template <class Body>
__global__ void __launch_bounds__(1024) sum_shared_nz_kernel(const Body body) {
  extern __shared__ Real shared_of_part[];
  const Index part = static_cast<Index>(blockIdx.x), thread = static_cast<Index>(threadIdx.x),
              threads = static_cast<Index>(blockDim.x), elements = body.elements_of(part);
  const SharedNzMemory memory = body.memory_of(part, shared_of_part);
  typename Body::Fetched next;
  if (thread < elements) next = body.fetched(part, thread);
  body.bring_nodes(part, thread, threads, memory);
  __syncthreads();
  for (Index local = thread; local < elements; local += threads) {
    const typename Body::Fetched now = next;
    if (local + threads < elements) next = body.fetched(part, local + threads);
    body.evaluate(local, now, memory);
  }
  __syncthreads();
  const Index groups = body.groups_of(part), lane = thread % warp_lanes;
  for (Index item = thread / warp_lanes; item < groups * body.parts.split; item += threads / warp_lanes)
    body.sum_lane(part, item % groups, item / groups, lane, memory);
  __syncthreads();
  for (Index local = thread; local < body.parts.own[part]; local += threads) body.finish_row(part, local, memory);
}

template <class Body>
__global__ void __launch_bounds__(Body::most_threads) sum_general_parts_kernel(const Body body) {
  extern __shared__ Real shared_of_part[];
  const Index part = static_cast<Index>(blockIdx.x), thread = static_cast<Index>(threadIdx.x),
              threads = static_cast<Index>(blockDim.x), elements = body.elements_of(part);
  const typename Body::Memory memory = body.memory_of(part, shared_of_part);
  body.bring_nodes(part, thread, threads, memory);
  __syncthreads();
  for (Index local = thread; local < elements; local += threads) body.evaluate(part, local, memory);
  __syncthreads();
  const Index end = body.parts.group_begin[part + 1];
  for (Index group = body.parts.group_begin[part] + thread / warp_lanes; group < end; group += threads / warp_lanes)
    body.sum(group, thread % warp_lanes, memory);
}

}  // namespace cuda

/// Runs the body for all parts in one launch. Throws DeviceError.
template <class Body>
void sum_shared_nz(CudaBackend& backend, const Body& body, Index threads) {
  if (body.parts.parts == 0) return;
  const std::size_t shared = body.parts.most_numbers * sizeof(Real);
  const auto kernel = cuda::sum_shared_nz_kernel<Body>;
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  kernel<<<static_cast<unsigned>(body.parts.parts), static_cast<unsigned>(threads), shared, backend.stream()>>>(body);
  cuda_check(cudaGetLastError());
}

/// Runs the body for all parts in one launch. Throws DeviceError.
template <class Body>
void sum_general_parts(CudaBackend& backend, const Body& body, Index threads, std::size_t shared_bytes) {
  if (body.parts.parts == 0) return;
  const auto kernel = cuda::sum_general_parts_kernel<Body>;
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
  kernel<<<static_cast<unsigned>(body.parts.parts), static_cast<unsigned>(threads), shared_bytes, backend.stream()>>>(
      body);
  cuda_check(cudaGetLastError());
}

}  // namespace cardiowarp
