#pragma once
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/ell_warp.hpp"

namespace cardiowarp {

/// to[map[i]] = from[i], i < n; no two map[i] are equal. Takes values from one order to another (paper 000 sec. 6.1):
/// 24 bytes a value. A backend with a kernel of its own overloads this (kernels/sparse/scatter.cuh).
template <Backend B>
void scatter(B& backend, Index n, const std::int64_t* map, const Real* from, Real* to) {
  static_assert(RunsPlainText<B>, "include kernels/sparse/scatter.cuh");
  backend.for_each(n, ScatterEntries{map, from, to});
}

}  // namespace cardiowarp
