#pragma once
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/ell_warp.hpp"

namespace cardiowarp {

/// to[map[i]] = from[i] for i < n, where no two map[i] are equal: takes values from one order to another, such as those
/// of CSR to the slots of ELL-WARP (paper 000 sec. 6.1). 24 bytes a value: the value read and written, and its place.
/// This is the general implementation; a GPU has its own (scatter.cuh).
template <Backend B>
void scatter(B& backend, Index n, const std::int64_t* map, const Real* from, Real* to) {
  static_assert(RunsGeneralCode<B>, "include kernels/sparse/scatter.cuh");
  backend.for_each(n, ScatterEntries{map, from, to});
}

}  // namespace cardiowarp
