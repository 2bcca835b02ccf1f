#pragma once
#include <optional>
#include <vector>

#include "fem/cells/beats/single_cell.hpp"

namespace cardiowarp {

// How the action potential of a single cell depends on the time since the one before (restitution), by the two
// protocols that papers use.

/// A cell, as tissue around a pulse, counts as activated from this share of the way from rest to 0 mV
/// (app/simulation/pulse_watch.hpp). Rest is where the first beat began.
inline constexpr double activated_share = 0.375;

/// One beat of a protocol.
struct RestitutionPoint {
  double interval_ms = 0;  ///< between its pulse and the one before
  /// The potential rises by half of the largest rise of the beats before the protocol, or more, and comes to where a
  /// cell counts as activated.
  bool captured = false;
  /// From the end of the action potential before, its APD90, to the upstroke; empty where that has no end before it.
  std::optional<double> diastolic_ms = {};
  std::optional<double> apd50_ms = {}, apd90_ms = {};
};

/// S1-S2: after `beats` beats of `period_ms` (S1) one pulse follows the last S1 after an interval (S2), for each of
/// `intervals_ms` anew from the same S1. One point an interval. `cell` is as it begins, and is paced meanwhile.
std::vector<RestitutionPoint> s1s2_restitution(SingleCell& cell, const CellPulse& pulse, int beats, double period_ms,
                                               const std::vector<double>& intervals_ms);

/// The pattern of the beats of a period, as its last ones show it.
enum class Rhythm {
  unknown,     ///< too few beats to tell
  one_to_one,  ///< each pulse captures, and action potentials are alike
  alternans,   ///< each pulse captures, and action potentials are long and short in turn
  two_to_one,  ///< every other pulse captures
  blocked,     ///< other pulses are blocked
  silent       ///< no pulse captures
};

/// The beats of one period of the dynamic protocol.
struct DynamicPeriod {
  double period_ms = 0;
  std::vector<RestitutionPoint> beats = {};

  /// By the last eight beats, of which there are four at least. Action potentials alternate where their APD90 differ by
  /// 1 ms or more, up and down in turn, among the last four.
  Rhythm rhythm() const;
};

/// Dynamic: `beats` beats of each of `periods_ms` in turn. The first beat of all belongs to no point. `cell` is as it
/// begins, and is paced meanwhile.
std::vector<DynamicPeriod> dynamic_restitution(SingleCell& cell, const CellPulse& pulse, int beats,
                                               const std::vector<double>& periods_ms);

}  // namespace cardiowarp
