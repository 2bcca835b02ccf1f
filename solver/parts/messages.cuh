#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"
#include "solver/parts/messages.hpp"

// How the thread blocks of one launch send each other numbers while all of them are on the device, as messages
// (messages.hpp). An exchange in which every block sends and receives is a round; rounds are counted.
//
// No barrier across the device is needed. A message has its number and its round, 16 bytes through the L2 cache, and a
// reader looks at its place until it finds the round there. Even and odd rounds have places of their own: a block
// writes to a place again only after a round in which it has received from every block, each of which had read that
// place before it sent.

namespace cardiowarp::cuda {

/// Sends a number. Both halves go with the round. PTX promises no more than that each word is whole; the device moves
/// at least 8 bytes of a vector at once, on which NCCL's low-latency protocol relies as well.
__device__ inline void send(Message* place, Real number, unsigned round) {
  const long long bits = __double_as_longlong(number);
  asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(place), "r"(static_cast<unsigned>(bits)),
               "r"(round), "r"(static_cast<unsigned>(bits >> 32)), "r"(round)
               : "memory");
}

/// The message that is at a place now, of whatever round.
__device__ inline Message look(const Message* place) {
  Message seen;
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(seen.low), "=r"(seen.low_round), "=r"(seen.high), "=r"(seen.high_round)
               : "l"(place)
               : "memory");
  return seen;
}

/// Waits for n <= N messages of a round and calls take(k, number at place(k)) for k < n. All places are looked at
/// together, again and again: a look takes as long as a round should, and one place after the other would take n times
/// that.
template <int N, class Place, class Take>
__device__ void receive(int n, unsigned round, const Place& place, const Take& take) {
  Message seen[N];
  bool all;
  do {
    for (int k = 0; k < N; ++k)
      if (k < n) seen[k] = look(place(k));
    all = true;
    for (int k = 0; k < N; ++k)
      if (k < n) all = all && seen[k].low_round == round && seen[k].high_round == round;
  } while (!all);
  for (int k = 0; k < N; ++k)
    if (k < n) take(k, __longlong_as_double(static_cast<long long>(seen[k].high) << 32 | seen[k].low));
}

/// The sum over the lanes of a warp, in every lane.
__device__ inline Real warp_sum(Real value) {
  for (int distance = warp / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

/// Whether the device has room for so many blocks at the same time. With less, the blocks that run would wait for ever
/// for those that do not. Also allows the kernel its shared memory. It is asked once before the first launch, since a
/// launch that is being recorded for a graph might not tell.
inline bool all_blocks_at_once(const void* kernel, Index blocks, int block_size, std::size_t shared_bytes) {
  int device = 0, cooperative = 0, multiprocessors = 0, most_shared = 0, blocks_each = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  cuda_check(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  cudaFuncAttributes of_kernel{};
  cuda_check(cudaFuncGetAttributes(&of_kernel, kernel));
  if (of_kernel.sharedSizeBytes + shared_bytes > static_cast<std::size_t>(most_shared)) return false;
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, block_size, shared_bytes));
  return cooperative != 0 && blocks_each * multiprocessors >= blocks;
}

/// Launches the kernel with all of its blocks on the device at the same time, for which all_blocks_at_once() found
/// room.
template <class... Parameters>
void launch_at_once(CudaBackend& backend, void (*kernel)(Parameters...), Index blocks, int block_size,
                    std::size_t shared_bytes, const std::type_identity_t<Parameters>&... arguments) {
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  cuda_check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), static_cast<unsigned>(blocks),
                                         static_cast<unsigned>(block_size), pointers, shared_bytes, backend.stream()));
}

}  // namespace cardiowarp::cuda
