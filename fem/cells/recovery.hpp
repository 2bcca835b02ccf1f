#pragma once
#include <cmath>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Recovery at the end of a step and how it follows the potential.
struct RecoveryStep {
  Real recovery;
  Real slope;  ///< dr/dφ = h ∂g/∂φ / (1 − h ∂g/∂r)
};

/// Solves r − r_old − h g(φ, r) = 0 by Newton's method from r_old (paper 000 eq. 7 and Table I, the inner iteration).
/// h is the step in τ. NaN where it does not converge, or converges to a root with 1 − h ∂g/∂r <= 0, which does not
/// belong to the trajectory from r_old: the step is then too long for the method.
template <class CellModel>
CARDIOWARP_HD RecoveryStep advance_recovery(const CellModel& cell, Real phi, Real r_old, Real h) {
  constexpr int max_iterations = 50;
  // Newton's error squares from one iteration to the next: a change of 1e-9 leaves an error below rounding.
  constexpr Real tolerance = 1e-9;
  Real r = r_old;
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

/// The same in the closed form of the cell model, where it has one.
template <class CellModel>
CARDIOWARP_HD RecoveryStep step_recovery(const CellModel& cell, Real phi, Real r_old, Real h) {
  if constexpr (requires { cell.step_recovery(phi, r_old, h); })
    return cell.step_recovery(phi, r_old, h);
  else
    return advance_recovery(cell, phi, r_old, h);
}

}  // namespace cardiowarp
