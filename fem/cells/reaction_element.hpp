#pragma once
#include <cmath>

#include "fem/cells/recovery.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The state at which elements are evaluated, in backend memory.
struct ElementState {
  const Real* phi;           ///< [nodes] current iterate
  const Real* load;          ///< [nodes] φ_old/h + s: what a step starts from, with its stimulus
  const Real* recovery_old;  ///< [elements] at the start of the step
  Real* recovery;            ///< [elements] out: at the end of the step with the current φ
  const Real* step;          ///< h, in τ
};

/// The nonlinear part of an element (paper 000 Table I, one integration point). With one point an element adds one
/// number to all 16 entries of K and one to its four entries of R:
///   tangent_e  = V_e/16 (1/h − df/dφ),            df/dφ = ∂f/∂φ + ∂f/∂r · dr/dφ
///   residual_e = V_e/4  (φ_q/h − f(φ_q, r) − (φ_old/h + s)_q)
struct alignas(16) TangentResidual {
  Real tangent = 0, residual = 0;
  CARDIOWARP_HD TangentResidual& operator+=(const TangentResidual& other) {
    tangent += other.tangent;
    residual += other.residual;
    return *this;
  }
};

struct ReactionElement {
  Real recovery;
  TangentResidual adds;
};

/// Of an element with corners `node`, volume in mm³ and the recovery that state.recovery_old has for it. Outside the
/// model's range (μ2 + φ <= 0 at a node) all is NaN, which the solver reports.
template <class CellModel>
CARDIOWARP_HD ReactionElement reaction_element(const CellModel& cell, const Tetrahedron& node, Real volume,
                                               Real recovery_old, const ElementState& state) {
  Real phi_sum = 0, load_sum = 0;
  bool admissible = true;
  for (int i = 0; i < 4; ++i) {
    phi_sum += state.phi[node[i]];
    load_sum += state.load[node[i]];
    admissible = admissible && cell.admissible(state.phi[node[i]]);
  }
  const Real phi_q = admissible ? phi_sum / 4 : NAN;  // a return here would cost a GPU a tenth of the time
  const Real step = *state.step, inverse_step = 1 / step;
  const RecoveryStep r = step_recovery(cell, phi_q, recovery_old, step);
  const auto rates = cell.rates(phi_q, r.recovery);
  return {r.recovery,
          {volume / 16 * (inverse_step - (rates.df_dphi + rates.df_dr * r.slope)),
           volume / 4 * (phi_q * inverse_step - rates.f - load_sum / 4)}};
}

}  // namespace cardiowarp
