#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The lengths that are taken for an edge of a mesh, wherever one is read or typed in. Longer and shorter ones are no
// tissue in any unit, and products of them leave the range of a Real long before a solve ends. A unit that is wrong by
// a million stays inside, and is warned of with the one that would make a heart (app/advice/mesh_size.hpp).

inline constexpr Real shortest_length_mm = 1e-12, longest_length_mm = 1e12;

}  // namespace cardiowarp
