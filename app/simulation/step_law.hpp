#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// How long the next adaptive step is, as a function of the error of the last. StepControl applies it on the host, and
// a flight (flight.hpp) on the machine that computes, where several steps are made before the host looks. Both have to
// find the same steps to the last bit, or results would depend on when the host looks. So for the schemes that fly the
// law consists of operations that every machine rounds in the same way: sums, single products and quotients, and a root
// that is made of products and fused multiply-adds.

/// Stops that are nearer to each other are one.
inline constexpr Real same_time_ms = 1e-8;

/// x^(−1/n) for x > 0, with a relative error of some 1e-16 and the same bits on every machine. Newton's method for
/// r^(−n) = x: r ← r + r (1 − x r^n) / n, from a first r that is some percent off, as log2 m is
/// within 0.09 of 2m − 2 where x = m 2^e, 1/2 <= m < 1. Each iteration squares that error, times (n + 1) / 2.
CARDIOWARP_HD inline Real inverse_root(Real x, int n) {
  int exponent = 0;
  const Real m = std::frexp(x, &exponent);
  const int whole = exponent >= 0 ? exponent / n : -((n - 1 - exponent) / n), rest = exponent - whole * n;
  const Real scaled = std::ldexp(m, rest), y = -(static_cast<Real>(rest) + (2 * m - 2)) / n;  // x = scaled 2^(n whole)
  Real r = std::fma(std::fma(std::fma(0.0402, y, 0.2290), y, 0.6927), y, 1);                  // 2^y
  for (int round = 0; round < 6; ++round) {
    Real power = 1, square = r;
    for (int left = n; left > 0; left /= 2, square *= square)
      if (left % 2 != 0) power *= square;
    r = std::fma(r, std::fma(-scaled, power, 1) / n, r);
  }
  return std::ldexp(r, -whole);
}

/// Where adaptive steps are.
struct StepPlan {
  Real time_ms = 0, next_ms = 0;  ///< the end of the last step and of the one to try
  Real proposed_ms = 0;           ///< the length of the next step, if no stop is near
  Real previous_ratio = 0;        ///< error / tolerance of the step before; 0 where that says nothing

  CARDIOWARP_HD Real step_ms() const { return next_ms - time_ms; }
};

/// The law of StepControl (step_control.hpp), whose numbers are those of `time.adaptive`.
struct StepLaw {
  Real tolerance, min_step_ms, max_step_ms;
  int error_order;  ///< k: the error of a step grows by h^k; one above the order of the scheme

  CARDIOWARP_HD bool is_shortest(const StepPlan& plan) const { return plan.step_ms() <= min_step_ms * (1 + rounding); }

  /// The largest error with which the step to try is to be accepted; infinite if it is the shortest possible step.
  CARDIOWARP_HD Real largest_error(const StepPlan& plan) const {
    return is_shortest(plan) ? std::numeric_limits<Real>::infinity() : tolerance;
  }

  /// The step to try is accepted, and was no stop.
  CARDIOWARP_HD void accept(StepPlan& plan, Real error) const {
    const Real step = plan.step_ms();
    const Real ratio = std::max<Real>(error / tolerance, 1e-10);
    // A step that a stop cut short says nothing against the one proposed before it.
    const Real longest = std::max(largest_growth * step, plan.proposed_ms);
    plan.proposed_ms = std::clamp(std::max(safety * growth(ratio, plan.previous_ratio), Real{smallest_growth}) * step,
                                  min_step_ms, std::min(longest, max_step_ms));
    plan.previous_ratio = ratio;
  }

  /// The step to try was rejected for its error.
  CARDIOWARP_HD void reject(StepPlan& plan, Real error) const {
    const Real factor = error_order == 2 ? std::sqrt(tolerance / error)
                                         : inverse_root(std::min(error / tolerance, Real{largest_ratio}), error_order);
    plan.proposed_ms =
        std::max(std::clamp(safety * factor, Real{smallest_growth}, Real{safety}) * plan.step_ms(), min_step_ms);
    plan.previous_ratio = 0;
  }

  /// The next step, from time_ms, where the next stop is at `stop_ms`.
  CARDIOWARP_HD void plan_to(StepPlan& plan, Real stop_ms) const {
    const Real left = stop_ms - plan.time_ms, step = plan.proposed_ms * (1 + rounding);
    if (left <= step)
      plan.next_ms = stop_ms;
    else
      plan.next_ms = plan.time_ms + (left <= 2 * step ? left / 2 : plan.proposed_ms);
  }

 private:
  // Device code has their values alone: who takes a reference makes a copy.
  static constexpr Real rounding = 1e-6;  ///< of a step, relative
  static constexpr Real safety = 0.9;
  static constexpr Real largest_growth = 2, smallest_growth = 0.2;
  /// Of error to tolerance: beyond it a step shrinks by as much as it may anyway, and an infinite one has no root.
  static constexpr Real largest_ratio = 1e10;

  /// ratio^(−0.6/k) before^(0.2/k), where there is no ratio before ratio^(−1/k). Errors of backward Euler, which does
  /// not fly, are taken to their powers by the C library, as those of the first runs with it were.
  CARDIOWARP_HD Real growth(Real ratio, Real before) const {
    if (error_order == 2)
      return before > 0 ? std::pow(ratio, -0.6 / error_order) * std::pow(before, 0.2 / error_order)
                        : 1 / std::sqrt(ratio);
    const Real now = std::min(ratio, Real{largest_ratio}), cubed = now * now * now;
    return before > 0 ? inverse_root(cubed / std::min(before, Real{largest_ratio}), 5 * error_order)
                      : inverse_root(now, error_order);
  }
};

}  // namespace cardiowarp
