#pragma once
#include <cstdint>

#include "kernels/backend.hpp"
#include "kernels/ell_warp.hpp"

namespace cardiowarp {

/// to[map[i]] = from[i], i < n; no two map[i] are equal. Takes values from one order to another (paper 000 sec. 6.1):
/// 24 bytes a value. kernels/scatter.cuh overloads it, and belongs into every .cu file that scatters.
template <Backend B>
void scatter(B& backend, Index n, const std::int64_t* map, const Real* from, Real* to) {
  backend.for_each(n, ScatterEntries{map, from, to});
}

}  // namespace cardiowarp
