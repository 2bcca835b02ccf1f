#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Σ term(k) for k in [0, n), in ascending order. On a device the terms of a batch are loaded before the first is
/// added, so that their latencies overlap; of the last batch, what is beyond the end is loaded from n − 1 and left out.
/// On the CPU one after the other. Full batches are apart from the last because what clamps costs more than it loads.
template <Index Batch = 8, class Term>
CARDIOWARP_HD auto batched_sum(Index n, const Term& term) {
  using Value = decltype(term(Index{}));
  Value sum{};
  Index first = 0;
#if defined(__CUDA_ARCH__)
  Value terms[Batch];
  for (; first + Batch <= n; first += Batch) {
#pragma unroll
    for (Index k = 0; k < Batch; ++k) terms[k] = term(first + k);
#pragma unroll
    for (Index k = 0; k < Batch; ++k) sum += terms[k];
  }
  if (first == n) return sum;
#pragma unroll
  for (Index k = 0; k < Batch; ++k) terms[k] = term(first + k < n ? first + k : n - 1);
#pragma unroll
  for (Index k = 0; k < Batch; ++k)
    if (first + k < n) sum += terms[k];
#else
  for (; first < n; ++first) sum += term(first);
#endif
  return sum;
}

}  // namespace cardiowarp
