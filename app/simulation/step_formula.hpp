#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The coefficients of one step of order 2 that is made of stages of backward Euler. A step of length h from φ_n has
/// one stage or two, each of length θ = `length` h. The first begins with
///   φ̂ = φ_n + by_rate h φ'_n + by_change (φ_n − φ_{n−1})
/// and ends at t_n + first_at h. The last one ends at t_n + h, and its result is φ_{n+1}. Where there are two, the last
/// begins with
///   φ̂ = φ_n + beyond (φ₁ − φ_n).
/// The states of the cells do the same. The error of the step is estimated as `error` times its distance to the
/// trapezoidal rule, φ_n + h/2 (φ'_n + φ'_{n+1}) − φ_{n+1}: the rule is itself wrong by h³ φ'''/12, and the step by
/// another multiple of h³ φ'''.
struct StepFormula {
  int stages = 2;
  Real length;         ///< of a stage
  Real by_rate = 0;    ///< above 0 where the first stage needs φ' at the step's beginning
  Real by_change = 0;  ///< above 0 where it needs the step before
  Real first_at;
  Real beyond;
  Real error;

  /// The time from the first stage's end to the second's, over the time from the step's beginning to the first stage's
  /// end.
  CARDIOWARP_HD Real rest_over_first() const { return (1 - first_at) / first_at; }
};

namespace step_formula {

inline constexpr Real root_of_2 = 1.41421356237309504880;
inline constexpr Real gamma = 1 - root_of_2 / 2;

/// Alexander 1977, SIAM J. Numer. Anal. 14; L-stable. Needs nothing from before the step.
inline constexpr StepFormula sdirk2{.length = gamma, .first_at = gamma, .beyond = (1 - gamma) / gamma, .error = 1};

/// The trapezoidal rule over 2γh, then BDF2 (Bank et al. 1985, IEEE Trans. Electron Devices 32), with γ for which both
/// stages are equally long; L-stable. Its error is that of Hosea and Shampine 1996, Appl. Numer. Math. 20.
inline constexpr StepFormula trbdf2{.length = gamma,
                                    .by_rate = gamma,
                                    .first_at = 2 * gamma,
                                    .beyond = (1 + root_of_2) / 2,
                                    .error = 2 * root_of_2 / 3};

/// The steps of BDF2 may grow by this factor from one to the next for ever without instability.
inline constexpr Real largest_growth_of_bdf2 = 1 + root_of_2;

/// BDF2 with a step `growth` times as long as the one before. It is wrong by e h³ φ''', e = (1+ω)² / (6ω (1+2ω)), so
/// by e / (e − 1/12) times the distance to the trapezoidal rule (Milne's device).
constexpr StepFormula bdf2(Real growth) {
  const Real share = 1 / (1 + 2 * growth), error = (1 + growth) * (1 + growth) * share / (6 * growth);
  return {.stages = 1,
          .length = (1 + growth) * share,
          .by_change = growth * growth * share,
          .first_at = 1,
          .beyond = 0,
          .error = error / (error - 1. / 12)};
}

}  // namespace step_formula
}  // namespace cardiowarp
