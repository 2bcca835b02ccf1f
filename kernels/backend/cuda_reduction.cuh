#pragma once
#include <cuda/atomic>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp::cuda {

// The kernel of sums and maxima. Each block combines its share of the indices, by a tree over its threads, and leaves a
// partial sum; the block that comes last combines those. The order depends on n alone, so that every run on every
// device gives the same bits.

inline constexpr int threads = 256;
inline constexpr int warp = 32;
/// Blocks of a reduction. More would make the last block's sum longer, fewer would not fill the device.
inline constexpr int max_reduction_blocks = 1024;

using DeviceAtomic = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;

struct Add {
  static __device__ Real identity() { return 0; }
  static __device__ Real apply(Real a, Real b) { return a + b; }
};

/// NaN wins over every number.
struct Larger {
  static __device__ Real identity() { return 0; }
  static __device__ Real apply(Real a, Real b) { return a > b || isnan(a) ? a : b; }
};

/// Each of `values` combined over all threads of the block, by a tree; the results are thread 0's.
template <class Operation, int N>
__device__ void reduce_block(Real (&values)[N]) {
  __shared__ Real of_warp[N][threads / warp];
  const auto reduce_warp = [](Real& value, int lanes) {
    for (int offset = lanes / 2; offset > 0; offset /= 2)
      value = Operation::apply(value, __shfl_down_sync(0xffffffffu, value, offset));
  };
  for (Real& value : values) reduce_warp(value, warp);
  __syncthreads();  // the last use of of_warp is over
  if (threadIdx.x % warp == 0)
    for (int k = 0; k < N; ++k) of_warp[k][threadIdx.x / warp] = values[k];
  __syncthreads();
  if (threadIdx.x >= warp) return;
  for (int k = 0; k < N; ++k) {
    values[k] = threadIdx.x < threads / warp ? of_warp[k][threadIdx.x] : Operation::identity();
    reduce_warp(values[k], threads / warp);
  }
}

/// The second half of a sum or maximum, for all threads of all blocks: each block leaves its partial sums, one for each
/// of the N values, in `partials` [N × blocks], and the block that comes last combines them in the order of the blocks
/// into result[k] and calls then(). `arrived` is 0 before the launch and after it.
template <class Operation, int N, class Then>
__device__ void combine_blocks(Real (&values)[N], Real* partials, unsigned* arrived, Real* result, const Then& then) {
  __shared__ bool last;
  reduce_block<Operation>(values);
  if (threadIdx.x == 0) {
    for (int k = 0; k < N; ++k) partials[k * gridDim.x + blockIdx.x] = values[k];
    // Who sees all arrivals and then acquires sees the partial sums released before them.
    const DeviceAtomic arrivals(*arrived);
    last = arrivals.fetch_add(1u, ::cuda::memory_order_release) == gridDim.x - 1;
    if (last) ::cuda::atomic_thread_fence(::cuda::memory_order_acquire, ::cuda::thread_scope_device);
  }
  __syncthreads();
  if (!last) return;
  for (Real& value : values) value = Operation::identity();
  constexpr unsigned batch = 8;  // of fetches, of which none waits for another: nobody else works any more
  for (unsigned first = threadIdx.x; first < gridDim.x; first += batch * threads) {
    Real fetched[N][batch];
#pragma unroll
    for (int k = 0; k < N; ++k)
#pragma unroll
      for (unsigned i = 0; i < batch; ++i)
        fetched[k][i] = __ldcg(partials + k * gridDim.x + min(first + i * threads, gridDim.x - 1));
#pragma unroll
    for (int k = 0; k < N; ++k)
#pragma unroll
      for (unsigned i = 0; i < batch; ++i)
        if (first + i * threads < gridDim.x) values[k] = Operation::apply(values[k], fetched[k][i]);
  }
  reduce_block<Operation>(values);
  if (threadIdx.x != 0) return;
  for (int k = 0; k < N; ++k) result[k] = values[k];
  *arrived = 0;  // ready for the next launch
  then();
}

/// result[k] = the combination of body(i).value[k] over all i. Goes from the last i to the first: what the pass before
/// has gone through last is still in the L2 cache.
template <class Operation, int N, class Body, class Then>
__global__ void __launch_bounds__(threads)
    reduce_kernel(Index n, const Body body, const Then then, Real* partials, unsigned* arrived, Real* result) {
  const auto& mine = ready(body);
  if (is_idle(body)) return;  // all threads, or none: `then` changes it when the last has asked
  Real combined[N];
  for (int k = 0; k < N; ++k) combined[k] = Operation::identity();
  const long long stride = static_cast<long long>(gridDim.x) * threads;
  const long long from_end = static_cast<long long>(blockIdx.x) * threads + threadIdx.x;
  for (long long end = (n + stride - 1) / stride * stride; end > 0; end -= stride) {
    const long long i = end - 1 - from_end;
    if (i >= n) continue;
    const Terms<N> terms = mine(static_cast<Index>(i));
    for (int k = 0; k < N; ++k) combined[k] = Operation::apply(combined[k], terms.value[k]);
  }
  combine_blocks<Operation, N>(combined, partials, arrived, result, then);
}

/// Lets maximum() use the kernel of sums.
template <class Body>
struct OneTerm {
  Body body;
  __device__ Terms<1> operator()(Index i) const { return {{body(i)}}; }
};

}  // namespace cardiowarp::cuda
