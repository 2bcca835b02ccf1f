#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Lanes of a warp, the threads of a GPU that do the same at the same time, and so of a slice of ELL-WARP.
inline constexpr Index warp_lanes = 32;

}  // namespace cardiowarp
