#include "fem/cells/beats/restitution.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace cardiowarp {
namespace {

/// The beats before a protocol that is under way: where they began, and their largest rise.
struct WholeBeats {
  double rest_mv = 0, rise_mv = 0;

  void add(const BeatReport& beat) {
    if (rise_mv == 0) rest_mv = beat.rest_mv;
    rise_mv = std::max(rise_mv, beat.rise_mv());
  }
  /// A weak pulse lifts the potential little in all beats alike, so that the rise alone does not tell.
  bool captured(const BeatReport& beat) const {
    return beat.rise_mv() >= 0.5 * rise_mv && beat.peak_mv > (1 - activated_share) * rest_mv;
  }
};

/// The point of `beat`, which follows `before` after `interval_ms`.
RestitutionPoint point_of(const BeatReport& beat, const BeatReport& before, double interval_ms,
                          const WholeBeats& whole) {
  RestitutionPoint point{interval_ms, whole.captured(beat)};
  if (!point.captured) return point;
  point.apd50_ms = beat.apd50_ms;
  point.apd90_ms = beat.apd90_ms;
  if (before.apd90_ms) point.diastolic_ms = interval_ms + beat.upstroke_ms - before.upstroke_ms - *before.apd90_ms;
  return point;
}

/// Whether APD90 goes up and down in turn by 1 ms or more.
bool alternate(std::span<const RestitutionPoint> beats) {
  double change_before = 0;
  for (std::size_t k = 1; k < beats.size(); ++k) {
    if (!beats[k].apd90_ms || !beats[k - 1].apd90_ms) return false;
    const double change = *beats[k].apd90_ms - *beats[k - 1].apd90_ms;
    if (std::abs(change) < 1 || change * change_before > 0) return false;
    change_before = change;
  }
  return true;
}

}  // namespace

Rhythm DynamicPeriod::rhythm() const {
  constexpr std::size_t fewest = 4, most = 8;
  if (beats.size() < fewest) return Rhythm::unknown;
  const auto last = std::span(beats).last(std::min(most, beats.size()));
  const auto captured = std::ranges::count(last, true, &RestitutionPoint::captured);
  if (captured == 0) return Rhythm::silent;
  if (captured == std::ssize(last)) return alternate(last.last(fewest)) ? Rhythm::alternans : Rhythm::one_to_one;
  for (std::size_t k = 1; k < last.size(); ++k)
    if (last[k].captured == last[k - 1].captured) return Rhythm::blocked;
  return Rhythm::two_to_one;
}

std::vector<RestitutionPoint> s1s2_restitution(SingleCell& cell, const CellPulse& pulse, int beats, double period_ms,
                                               const std::vector<double>& intervals_ms) {
  WholeBeats whole;
  for (int beat = 1; beat < beats; ++beat) whole.add(cell.beat(period_ms, pulse));
  const SingleCellState before_last = cell.state();
  whole.add(cell.beat(period_ms, pulse));
  std::vector<RestitutionPoint> points;
  for (const double interval_ms : intervals_ms) {
    cell.set_state(before_last);
    const BeatReport s1 = cell.beat(interval_ms, pulse);
    points.push_back(point_of(cell.beat(period_ms, pulse), s1, interval_ms, whole));
  }
  return points;
}

std::vector<DynamicPeriod> dynamic_restitution(SingleCell& cell, const CellPulse& pulse, int beats,
                                               const std::vector<double>& periods_ms) {
  std::vector<DynamicPeriod> periods;
  BeatReport before;
  WholeBeats whole;
  double interval_ms = 0;
  for (const double period_ms : periods_ms) {
    DynamicPeriod& period = periods.emplace_back(DynamicPeriod{period_ms});
    for (int beat = 0; beat < beats; ++beat) {
      const BeatReport now = cell.beat(period_ms, pulse);
      if (whole.rise_mv == 0) whole.add(now);
      if (interval_ms > 0) period.beats.push_back(point_of(now, before, interval_ms, whole));
      before = now;
      interval_ms = period_ms;
    }
  }
  return periods;
}

}  // namespace cardiowarp
