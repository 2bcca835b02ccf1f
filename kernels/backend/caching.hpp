#pragma once
#include <cstdint>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// How the L2 cache of a GPU treats data that a kernel fetches once. `cached` data stay there for the next
/// kernel that reads them; `streamed` data are the first to leave, so that a matrix too large for the cache does not
/// push out the vectors that every row gathers from. caching_for() decides by the number of bytes when the arrays are
/// made. Kernels have it as a template parameter: a choice at every fetch would cost more than either. A CPU knows no
/// difference.
enum class Caching : std::uint8_t { cached, streamed };

/// *memory, fetched as C says.
template <Caching C, class T>
CARDIOWARP_HD T fetch(const T* memory) {
#if defined(__CUDA_ARCH__)
  if constexpr (C == Caching::streamed) return __ldcs(memory);
#endif
  return *memory;
}

/// How a kernel fetches what it reads at random, such as x in a product: as usual, through the path of data that nobody
/// writes (`ld.global.nc`; on the GPUs of paper 000 that was the texture cache, since Volta both ways go through the
/// same L1 cache), or past the L1 cache (`ld.global.cg`). All of the program fetches as usual; `bench spmv` measures
/// the others (paper 000 sec. 7). A CPU knows no difference.
enum class FetchWay : std::uint8_t { usual, read_only, past_l1 };

/// *memory, fetched as W says. With `read_only` nobody may write it while the kernel runs.
template <FetchWay W, class T>
CARDIOWARP_HD T fetch_by(const T* memory) {
#if defined(__CUDA_ARCH__)
  if constexpr (W == FetchWay::read_only) return __ldg(memory);
  if constexpr (W == FetchWay::past_l1) return __ldcg(memory);
#endif
  return *memory;
}

/// *memory = value. What is `streamed` is not read again soon and leaves the L2 cache first.
template <Caching C, class T>
CARDIOWARP_HD void store(T* memory, T value) {
#if defined(__CUDA_ARCH__)
  if constexpr (C == Caching::streamed) return __stcs(memory, value);
#endif
  *memory = value;
}

/// How a kernel is to fetch an array of so many bytes, or several arrays of so many together: `streamed` where they are
/// more than the L2 cache of the backend's device holds. `cached` for a backend without a device().
template <class B>
Caching caching_for(const B& backend, std::int64_t bytes) {
  if constexpr (requires { backend.device(); })
    return bytes > backend.device().l2_bytes ? Caching::streamed : Caching::cached;
  else
    return Caching::cached;
}

}  // namespace cardiowarp
