#include "app/config/frame_count.hpp"

#include <algorithm>
#include <cmath>

#include "app/config/time_config.hpp"
#include "app/config/time_grid.hpp"

namespace cardiowarp {

Real number_of_frames(const TimeConfig& time, Real interval_ms) {
  const Real multiples = std::floor(time.end_ms / interval_ms * (1 + TimeGrid::rounding));
  const bool ends_between = multiples * interval_ms < time.end_ms * (1 - TimeGrid::rounding);
  const Real frames = multiples + (ends_between ? 1 : 0);
  if (time.adaptive.enabled || time.interpolates()) return 1 + frames;
  return 1 + std::min(frames, static_cast<Real>(TimeGrid{time.end_ms, time.step_ms}.steps()));
}

}  // namespace cardiowarp
