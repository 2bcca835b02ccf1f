#pragma once
#include <optional>
#include <vector>

#include "cellml/single_cell.hpp"

namespace cardiowarp {

// How the action potential of a single cell depends on the time since the one before (restitution), by the two
// protocols that papers use.

/// One beat of a protocol.
struct RestitutionPoint {
  double interval_ms = 0;  ///< between its pulse and the one before
  bool captured = false;   ///< the potential rises by half of what it did in the beat before the protocol, or more
  /// From the end of the action potential before, its APD90, to the upstroke; empty where that has no end before it.
  std::optional<double> diastolic_ms = {};
  std::optional<double> apd50_ms = {}, apd90_ms = {};
};

/// S1-S2: after `beats` beats of `period_ms` (S1) one pulse follows the last S1 after an interval (S2), for each of
/// `intervals_ms` anew from the same S1. One point an interval.
std::vector<RestitutionPoint> s1s2_restitution(const CellMlModel& model, const CellPulse& pulse, int beats,
                                               double period_ms, const std::vector<double>& intervals_ms);

/// Dynamic: `beats` beats of each of `periods_ms` in turn. Two points a period, its last two beats: they differ where
/// beats alternate.
std::vector<RestitutionPoint> dynamic_restitution(const CellMlModel& model, const CellPulse& pulse, int beats,
                                                  const std::vector<double>& periods_ms);

}  // namespace cardiowarp
