#pragma once
#include <cmath>

#include "kernels/types.hpp"

namespace cardiowarp {

/// Recovery at the end of a step and how it follows the potential.
struct RecoveryStep {
  Real recovery;
  Real slope;  ///< dr/dφ = h ∂g/∂φ / (1 − h ∂g/∂r)
};

/// Solves r − r_old − h g(φ, r) = 0 by Newton's method from `guess` (paper 000 eq. 7 and Table I, the inner iteration).
/// h is the step in τ. NaN where it does not converge, or converges to a root with 1 − h ∂g/∂r <= 0, which does not
/// belong to the trajectory from r_old: the step is then too long for the model.
template <class CellModel>
CARDIOWARP_HD RecoveryStep advance_recovery(const CellModel& cell, Real phi, Real r_old, Real guess, Real h) {
  constexpr int max_iterations = 50;
  // Newton's error squares from one iteration to the next: a change of 1e-9 leaves an error below rounding.
  constexpr Real tolerance = 1e-9;
  Real r = guess;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const auto rates = cell.rates(phi, r);
    const Real change = (r - r_old - h * rates.g) / (1 - h * rates.dg_dr);
    r -= change;
    if (std::fabs(change) <= tolerance * (1 + std::fabs(r))) {
      const auto final_rates = cell.rates(phi, r);
      const Real determinant = 1 - h * final_rates.dg_dr;
      if (determinant <= 0) break;
      return {r, h * final_rates.dg_dphi / determinant};
    }
  }
  return {NAN, NAN};
}

}  // namespace cardiowarp
