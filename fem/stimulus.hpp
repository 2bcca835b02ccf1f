#pragma once
#include <cmath>
#include <limits>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// When a stimulus is on. A stimulus drives its nodes by pulses of equal length, which begin at equal distances in time:
//
//        |<- duration ->|              |<- duration ->|
//   _____|##############|______________|##############|______   count = 2
//      start                     start + period             t, ms
//
// A pulse is on for whole steps, those whose end lies in it. Where a stimulus acts, and how strongly, is said by
// Stimulus (app/simulation/problem.hpp); the steps of `time.adaptive` end where a pulse begins or ends.

/// When a stimulus is on: `count` pulses of `duration_ms`, `period_ms` apart, the first from `start_ms`.
struct PulseTrain {
  Real start_ms = 0, duration_ms = 0;
  Real period_ms = 0;  ///< 0: one pulse
  int count = 1;

  static constexpr Real tolerance_ms = 1e-7;

  /// On for the step that ends at `step_end_ms`: start < t <= start + duration, t shifted by whole periods. The
  /// tolerance keeps rounding of `step_end_ms` (a multiple of the step) from adding or losing a step.
  bool on(Real step_end_ms) const {
    Real since_start = step_end_ms - start_ms - tolerance_ms;
    if (since_start <= 0) return false;
    if (period_ms > 0) {
      const Real pulse = std::fmin(std::floor(since_start / period_ms), count - 1);
      since_start -= pulse * period_ms;
    }
    return since_start <= duration_ms;
  }

  /// How many pulses are or were on in the steps up to the one that ends at `step_end_ms`.
  int begun(Real step_end_ms) const {
    const Real since_start = step_end_ms - start_ms - tolerance_ms;
    if (since_start <= 0) return 0;
    return period_ms > 0 ? 1 + static_cast<int>(std::fmin(std::floor(since_start / period_ms), count - 1)) : 1;
  }

  /// The first start or end of a pulse after `time_ms`; infinity after the last.
  Real next_edge_ms(Real time_ms) const {
    const Real first = period_ms > 0 ? std::fmax(std::floor((time_ms - start_ms) / period_ms), 0) : 0;
    for (Real pulse = first; pulse < std::fmin(first + 2, count); ++pulse)
      for (const Real edge : {start_ms + pulse * period_ms, start_ms + pulse * period_ms + duration_ms})
        if (edge > time_ms) return edge;
    return std::numeric_limits<Real>::infinity();
  }
};

}  // namespace cardiowarp
