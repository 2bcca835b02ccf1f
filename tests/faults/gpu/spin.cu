#include "tests/faults/gpu/spin.hpp"

namespace cardiowarp::test {
namespace {

__device__ unsigned long long now_ns() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void spin_kernel(unsigned long long ns) {
  const unsigned long long begin = now_ns();
  while (now_ns() - begin < ns) {
  }
}

}  // namespace

void spin_a_minute(cudaStream_t stream) { spin_kernel<<<1, 1, 0, stream>>>(60'000'000'000ull); }

}  // namespace cardiowarp::test
