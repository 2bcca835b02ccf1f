#pragma once
#include <cstdint>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// How a device loads what a kernel reads once. `kept` stays in the L2 cache for the next product; `passing` leaves it
/// first, so that what is too large to stay does not push out x. Known when a kernel is compiled: a choice at every
/// load would cost more than either.
enum class Loads : std::uint8_t { kept, passing };

template <Loads L, class T>
CARDIOWARP_HD T load(const T* memory) {
#if defined(__CUDA_ARCH__)
  if constexpr (L == Loads::passing) return __ldcs(memory);
#endif
  return *memory;
}

/// `passing`: what is not read again soon leaves the L2 cache first.
template <Loads L, class T>
CARDIOWARP_HD void store(T* memory, T value) {
#if defined(__CUDA_ARCH__)
  if constexpr (L == Loads::passing) return __stcs(memory, value);
#endif
  *memory = value;
}

/// For a matrix of so many bytes. A backend without a device() has loads of one kind.
template <class B>
Loads loads_of(const B& backend, std::int64_t bytes) {
  if constexpr (requires { backend.device(); })
    return bytes > backend.device().l2_bytes ? Loads::passing : Loads::kept;
  else
    return Loads::kept;
}

}  // namespace cardiowarp
