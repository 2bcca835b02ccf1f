#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/device_error.hpp"
#include "kernels/rivals/ehyb.hpp"
#include "kernels/sparse/launch.cuh"
#include "kernels/sparse/warp_lanes.hpp"

namespace cardiowarp {

// The product of EHYB (ehyb.hpp) on a GPU, in two launches. In the first, each part has a block, which loads the x of
// its rows into shared memory and multiplies the own entries; the second adds the extra entries to y. A launch begins
// when the one before it has ended, so that every y is there.
//
// With the dynamic schedule slices are handed out by counters: that of a part is in the shared memory of its block,
// that of the extra entries in device memory. Each warp begins with the slice of its own number and asks the counter
// from its second slice on; where there are no more slices than warps nobody asks. Each product sets its
// counters to 0 itself: every block the counter of its part, and block 0 of the first launch the one of the second.

namespace cuda {

/// The next slice for the calling warp, after one that it has multiplied, of `slices` that `warps` warps share. All
/// lanes of the warp call it together and get the same answer. `taken` counts the slices that were handed out beyond
/// the first of each warp.
template <SliceSchedule schedule>
__device__ Index slice_after(Index slice, Index slices, Index warps, Index* taken) {
  if constexpr (schedule == SliceSchedule::fixed) {
    return slice + warps;
  } else {
    if (slices <= warps) return slices;
    Index before = 0;
    if (threadIdx.x % warp_lanes == 0) before = atomicAdd(taken, 1);
    return warps + __shfl_sync(0xffffffffu, before, 0);
  }
}

/// The own entries, a block for each part; the shared memory has room for the x of the longest part.
template <SliceSchedule schedule, Caching C>
__global__ void __launch_bounds__(1024) ehyb_own_kernel(const EhybView A, const Real* x, Real* y) {
  extern __shared__ Real x_of_part[];
  __shared__ Index taken;
  const Index part = static_cast<Index>(blockIdx.x), threads_of_block = static_cast<Index>(blockDim.x);
  const Index first = A.part_begin[part], rows = A.part_begin[part + 1] - first;
  const Index first_slice = A.part_slice[part], slices = A.part_slice[part + 1] - first_slice;
  if (threadIdx.x == 0) {
    taken = 0;
    if (part == 0) *A.extra_taken = 0;
  }
#pragma unroll 4
  for (Index row = static_cast<Index>(threadIdx.x); row < rows; row += threads_of_block)
    x_of_part[row] = x[first + row];
  __syncthreads();
  const Index lane = static_cast<Index>(threadIdx.x) % warp_lanes, warps = threads_of_block / warp_lanes;
  for (Index slice = static_cast<Index>(threadIdx.x) / warp_lanes; slice < slices;
       slice = slice_after<schedule>(slice, slices, warps, &taken)) {
    const Index row = slice * warp_lanes + lane;
    if (row < rows) y[first + row] = slice_row_times_vector<C>(A.own, first_slice + slice, lane, x_of_part);
  }
}

template <SliceSchedule schedule, Caching C>
__global__ void __launch_bounds__(1024) ehyb_extra_kernel(const EhybView A, const Real* x, Real* y) {
  const Index lane = static_cast<Index>(threadIdx.x) % warp_lanes;
  const Index warps_of_block = static_cast<Index>(blockDim.x) / warp_lanes;
  const Index warps = static_cast<Index>(gridDim.x) * warps_of_block, slices = A.extra_slices();
  for (Index slice = static_cast<Index>(blockIdx.x) * warps_of_block + static_cast<Index>(threadIdx.x) / warp_lanes;
       slice < slices; slice = slice_after<schedule>(slice, slices, warps, A.extra_taken)) {
    const Index k = slice * warp_lanes + lane;
    if (k < A.extra_rows) y[A.extra_row[k]] += slice_row_times_vector<C>(A.extra, slice, lane, x);
  }
}

template <SliceSchedule schedule, Caching C>
void ehyb_launch(CudaBackend& backend, int block_size, const EhybView& A, const Real* x, Real* y) {
  constexpr std::size_t shared_without_asking = 47 << 10;  // 48 KiB with what the kernel declares
  const std::size_t shared = static_cast<std::size_t>(A.longest_part) * sizeof(Real);
  const auto own_kernel = ehyb_own_kernel<schedule, C>;
  if (shared > shared_without_asking)
    cuda_check(cudaFuncSetAttribute(own_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  own_kernel<<<static_cast<unsigned>(A.parts), block_size, shared, backend.stream()>>>(A, x, y);
  cuda_check(cudaGetLastError());
  if (A.extra_rows == 0) return;
  const Index warps_of_block = block_size / warp_lanes;
  const Index blocks_at_once =
      backend.device().multiprocessors * std::max<Index>(1, backend.device().resident_warps / warps_of_block);
  const Index blocks = std::min(blocks_at_once, (A.extra_slices() + warps_of_block - 1) / warps_of_block);
  ehyb_extra_kernel<schedule, C><<<static_cast<unsigned>(blocks), block_size, 0, backend.stream()>>>(A, x, y);
  cuda_check(cudaGetLastError());
}

}  // namespace cuda

/// y = A x, both in the numbering of the matrix, in blocks of `block_size` threads, 0 for the backend's own choice; two
/// launches, one where there are no extra entries. The bits are the same for any schedule and block size, since a row
/// is summed by one lane. One product at a time may run of a matrix, whose counter it uses. Throws
/// std::invalid_argument for a bad block size, DeviceError, also where the longest part does not fit into shared
/// memory.
inline void ehyb_multiply(CudaBackend& backend, SliceSchedule schedule, int block_size, const EhybView& A,
                          const Real* x, Real* y) {
  if (block_size == 0) block_size = cuda::threads;
  require_valid_block_size(block_size);
  if (A.rows == 0) return;
  const Index longest = ehyb_longest_part(backend.device());
  if (A.longest_part > longest)
    throw DeviceError("EHYB: expected parts of at most " + std::to_string(longest) + " rows, got " +
                      std::to_string(A.longest_part));
  const bool streamed = A.caching == Caching::streamed;
  const auto launch = schedule == SliceSchedule::dynamic
                          ? (streamed ? cuda::ehyb_launch<SliceSchedule::dynamic, Caching::streamed>
                                      : cuda::ehyb_launch<SliceSchedule::dynamic, Caching::cached>)
                          : (streamed ? cuda::ehyb_launch<SliceSchedule::fixed, Caching::streamed>
                                      : cuda::ehyb_launch<SliceSchedule::fixed, Caching::cached>);
  launch(backend, block_size, A, x, y);
}

}  // namespace cardiowarp
