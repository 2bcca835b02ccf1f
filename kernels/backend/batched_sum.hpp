#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Σ term(k) for k in [0, n), added in ascending order, by one thread. On a GPU all terms of a batch are fetched before
/// the first is added, so that their latencies overlap; a CPU fetches and adds one after the other. The last batch goes
/// beyond the end: there term(n − 1) is fetched again and left out. Full batches have a loop of their own, since to
/// clamp their indices, too, would cost more than it saves.
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
