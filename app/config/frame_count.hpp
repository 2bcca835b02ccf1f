#pragma once
#include <cstdint>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct TimeConfig;

// How many frames a run will write, as far as the configuration tells. A configuration is refused if the names of its
// frames could not count them, and estimate_frames() reckons with the number (app/advice/frame_estimate.hpp).

/// How many frames a run writes, about: one at t = 0, one at each multiple of the interval, or one a step where equal
/// steps between which nothing is known are longer than that, and one at the end.
Real number_of_frames(const TimeConfig& time, Real interval_ms);

/// The most that a run may write: those that the six digits in their names can count.
inline constexpr std::int64_t most_frames = 1'000'000;

}  // namespace cardiowarp
