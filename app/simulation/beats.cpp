#include "app/simulation/beats.hpp"

#include <algorithm>
#include <cmath>

#include "app/config/output_config.hpp"

namespace cardiowarp {

BeatWish beat_wish(const OutputConfig& output, Real end_ms) {
  const auto asks = [&](MapKind kind) { return output.has(kind); };
  const bool only_velocity =
      output.more_maps.empty() || (output.more_maps.size() == 1 && asks(MapKind::conduction_velocity));
  if (output.beats == BeatChoice::first && only_velocity) return {};
  BeatWish wish;
  constexpr Real shortest_cycle_ms = 100;
  wish.last = output.beats == BeatChoice::last;
  wish.beats = 1;
  if (output.beats == BeatChoice::last) wish.beats = 2;  // intervals need the one before
  if (output.beats == BeatChoice::all) wish.beats = static_cast<int>(std::ceil(end_ms / shortest_cycle_ms)) + 1;
  wish.repolarization = {asks(MapKind::apd30), asks(MapKind::apd50), asks(MapKind::apd80), true};
  wish.upstroke = asks(MapKind::upstroke_velocity);
  return wish;
}

int BeatRecords::kept_as(std::size_t point, int beat) const {
  if (beat < 0 || beat >= beats[point]) return -1;
  if (!last) return beat < kept ? beat : -1;
  return beat >= beats[point] - kept ? beat % kept : -1;
}

}  // namespace cardiowarp
