#pragma once
#include <cmath>
#include <cstdint>

#include "fem/mesh.hpp"
#include "fem/recovery.hpp"
#include "kernels/types.hpp"

namespace cardiowarp {

/// The nonlinear part of the residual and tangent, element by element (paper 000 Table I, one integration point).
/// With one point an element adds one number to all 16 entries of K and one to its four entries of R:
///   tangent_e  = V_e/16 (1/h − df/dφ),            df/dφ = ∂f/∂φ + ∂f/∂r · dr/dφ
///   residual_e = V_e/4  ((φ_q − φ_q,old)/h − f(φ_q, r) − s_q)
/// Reads 42 bytes and three gathers of four nodes an element, writes 24. Arrays are [elements] or [nodes].
template <class CellModel>
struct ReactionElements {
  const Tetrahedron* nodes;
  const Real* volume;  ///< mm³
  const CellModel* cell_models;
  const std::uint16_t* cell_model;  ///< [elements] index into cell_models
  const Real* phi;                  ///< [nodes] current iterate
  const Real* phi_old;              ///< [nodes] at the start of the step
  const Real* source;               ///< [nodes] stimulus, φ per τ
  const Real* recovery_old;         ///< at the start of the step
  Real* recovery;                   ///< in: a guess, out: converged with the current φ
  Real* tangent;
  Real* residual;
  Real step;  ///< h, in τ

  /// Outside the model's range (μ2 + φ <= 0 at a node) both results are NaN, which the solver reports.
  CARDIOWARP_HD void operator()(Index element) const {
    const Tetrahedron& node = nodes[element];
    const CellModel& cell = cell_models[cell_model[element]];
    Real phi_sum = 0, phi_old_sum = 0, source_sum = 0;
    bool admissible = true;
    for (int i = 0; i < 4; ++i) {
      phi_sum += phi[node[i]];
      phi_old_sum += phi_old[node[i]];
      source_sum += source[node[i]];
      admissible = admissible && cell.admissible(phi[node[i]]);
    }
    if (!admissible) {
      tangent[element] = residual[element] = NAN;
      return;
    }
    const Real phi_q = phi_sum / 4;
    const RecoveryStep r = advance_recovery(cell, phi_q, recovery_old[element], recovery[element], step);
    const auto rates = cell.rates(phi_q, r.recovery);
    recovery[element] = r.recovery;
    tangent[element] = volume[element] / 16 * (1 / step - (rates.df_dphi + rates.df_dr * r.slope));
    residual[element] = volume[element] / 4 * ((phi_q - phi_old_sum / 4) / step - rates.f - source_sum / 4);
  }
};

}  // namespace cardiowarp
