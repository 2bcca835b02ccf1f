#pragma once
#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"
#include "kernels/sparse/ell_warp.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/launch.cuh"

namespace cardiowarp {

namespace cuda {

/// The most threads of a block.
inline constexpr int largest_block = 1024;

/// The most threads of a block of a product with a result, which bounds the registers of each. What a result that takes
/// rows computes of them may need more registers than blocks of 1024 threads leave.
template <class Result>
constexpr int largest_block_with = TakesRows<Result> ? threads : largest_block;

/// A product of K1: one thread a row, each warp with its slice (paper 000 Listing 2).
template <class Term, class Value, class Result>
__global__ void __launch_bounds__(largest_block_with<Result>)
    ell_warp_k1_kernel(const EllWarpViewOf<Value> A, const Term term, Result y) {
  const std::int64_t position = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (position >= A.rows) return;
  const Index slice = static_cast<Index>(position / warp_lanes);
  give_row(y, result_row(A, static_cast<Index>(position)), lane_sum(A, slice, threadIdx.x % warp_lanes, term));
}

/// A product of K2: one warp a slice, `lanes` threads a row, whose sums meet in the first of them (paper 000 Listing 3,
/// with shuffles in place of shared memory). The order depends on the layout alone: the same bits for any block size.
template <class Term, class Value, class Result>
__global__ void __launch_bounds__(largest_block_with<Result>)
    ell_warp_k2_kernel(const EllWarpViewOf<Value> A, const Term term, Result y) {
  const std::int64_t warp = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_lanes;
  if (warp >= A.slices) return;  // all lanes of the warp at once
  const Index slice = static_cast<Index>(warp), lane = threadIdx.x % warp_lanes;
  const Index lanes = A.slice_lanes[slice];
  auto sum = lane_sum(A, slice, lane, term);
  for (Index half = lanes / 2; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half, lanes);
  const Index position = A.slice_row[slice] + lane / lanes;
  if (lane % lanes == 0 && position < A.slice_row[slice + 1]) give_row(y, result_row(A, position), sum);
}

}  // namespace cuda

/// y = A x (TimesVector) or A times ones (TimesOnes) on the device, every row of y written once; one launch.
/// Throws std::invalid_argument for a bad block size, DeviceError.
template <class Term, class Value, class Result>
void ell_warp_multiply(cudaStream_t stream, int block_size, const EllWarpViewOf<Value>& A, const Term& term, Result y) {
  require_valid_block_size(block_size);
  if (A.rows == 0) return;
  block_size = std::min(block_size, cuda::largest_block_with<Result>);
  const std::int64_t threads = A.one_lane_a_row ? A.rows : std::int64_t{A.slices} * warp_lanes;
  const unsigned blocks = cuda::blocks_of(threads, block_size);
  const auto launch = [&](const auto& term_in_kernel) {
    if (A.one_lane_a_row)
      cuda::ell_warp_k1_kernel<<<blocks, block_size, 0, stream>>>(A, term_in_kernel, y);
    else
      cuda::ell_warp_k2_kernel<<<blocks, block_size, 0, stream>>>(A, term_in_kernel, y);
    cuda_check(cudaGetLastError());
  };
  if (A.caching == Caching::streamed)
    launch(term.streamed());
  else
    launch(term);
}

/// y = A x or A times ones, by these kernels in the backend's stream. The general implementation is in ell_warp.hpp.
template <class Term, class Value, class Result>
void ell_warp_multiply(CudaBackend& backend, int block_size, const EllWarpViewOf<Value>& A, const Term& term,
                       Result y) {
  // A result that takes rows makes this a loop over the nodes, and a benchmark may limit the blocks of such loops.
  const int own = TakesRows<Result> ? static_cast<int>(backend.limited_threads(cuda::threads)) : cuda::threads;
  ell_warp_multiply(backend.stream(), block_size == 0 ? own : block_size, A, term, y);
}

}  // namespace cardiowarp
