#include "cellml/restitution.hpp"

namespace cardiowarp {
namespace {

double rise(const BeatReport& beat) { return beat.peak_mv - beat.rest_mv; }

/// The point of `beat`, which follows `before` after `interval_ms`.
RestitutionPoint point_of(const BeatReport& beat, const BeatReport& before, double interval_ms, double whole_rise) {
  RestitutionPoint point{interval_ms, rise(beat) >= 0.5 * whole_rise};
  if (!point.captured) return point;
  point.apd50_ms = beat.apd50_ms;
  point.apd90_ms = beat.apd90_ms;
  if (before.apd90_ms) point.diastolic_ms = interval_ms + beat.upstroke_ms - before.upstroke_ms - *before.apd90_ms;
  return point;
}

}  // namespace

std::vector<RestitutionPoint> s1s2_restitution(const CellMlModel& model, const CellPulse& pulse, int beats,
                                               double period_ms, const std::vector<double>& intervals_ms) {
  SingleCell cell(model);
  for (int beat = 1; beat < beats; ++beat) cell.beat(period_ms, pulse);
  const SingleCellState before_last = cell.state();
  const double whole_rise = rise(cell.beat(period_ms, pulse));
  std::vector<RestitutionPoint> points;
  for (const double interval_ms : intervals_ms) {
    cell.set_state(before_last);
    const BeatReport s1 = cell.beat(interval_ms, pulse);
    points.push_back(point_of(cell.beat(period_ms, pulse), s1, interval_ms, whole_rise));
  }
  return points;
}

std::vector<RestitutionPoint> dynamic_restitution(const CellMlModel& model, const CellPulse& pulse, int beats,
                                                  const std::vector<double>& periods_ms) {
  SingleCell cell(model);
  std::vector<RestitutionPoint> points;
  BeatReport before;
  double whole_rise = 0, interval_ms = 0;
  for (const double period_ms : periods_ms)
    for (int beat = 0; beat < beats; ++beat) {
      const BeatReport now = cell.beat(period_ms, pulse);
      if (whole_rise == 0) whole_rise = rise(now);
      if (beat + 2 >= beats && interval_ms > 0) points.push_back(point_of(now, before, interval_ms, whole_rise));
      before = now;
      interval_ms = period_ms;
    }
  return points;
}

}  // namespace cardiowarp
