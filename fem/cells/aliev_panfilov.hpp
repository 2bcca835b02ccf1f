#pragma once
#include <array>
#include <cmath>

#include "fem/cells/cell_model.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Aliev–Panfilov cell model, dimensionless (paper 000 eqs. 1-5, Göktepe & Kuhl 2009):
///   dφ/dτ = ... + f,  f = c φ (φ − α)(1 − φ) − r φ
///   dr/dτ = g,        g = [γ + μ1 r / (μ2 + φ)] [−r − c φ (φ − b − 1)]
/// Defined for μ2 + φ > 0. The one state is the recovery r.
struct AlievPanfilov {
  Real alpha = 0.01, gamma = 0.002, b = 0.15, c = 8, mu1 = 0.2, mu2 = 0.3;

  static constexpr const char* name = "aliev_panfilov";
  static constexpr int states = 1;
  static constexpr Scaling scaling{-80, 100, 12.9};
  static constexpr const char* range_in_words = "μ2 + φ > 0";

  static constexpr std::array<CellState, 1> state_table() {
    return {{{"recovery", "slow variable that ends the action potential", 0, non_negative}}};
  }

  /// The ranges in which the model has a stable rest state at φ = r = 0 and a threshold below full depolarization.
  static constexpr std::array<CellParameter<AlievPanfilov>, 6> parameter_table();

  friend bool operator==(const AlievPanfilov&, const AlievPanfilov&) = default;

  CARDIOWARP_HD bool admissible(Real phi) const { return mu2 + phi > 0; }
  Real lowest_phi() const { return -mu2; }

  CARDIOWARP_HD CellRates<1> rates(Real phi, const Real* state) const {
    const Real r = state[0];
    const Real cubic = c * phi * (phi - alpha) * (1 - phi);
    const Real cubic_slope = c * ((2 * phi - alpha) * (1 - phi) - phi * (phi - alpha));
    const Real inverse = 1 / (mu2 + phi);
    const Real speed = gamma + mu1 * r * inverse;
    const Real target = -r - c * phi * (phi - b - 1);
    CellRates<1> rates;
    rates.f = cubic - r * phi;
    rates.df_dphi = cubic_slope - r;
    rates.df_dstate[0] = -phi;
    rates.g[0] = speed * target;
    rates.dg_dphi[0] = -mu1 * r * inverse * inverse * target - speed * c * (2 * phi - b - 1);
    rates.dg_dstate[0][0] = mu1 * inverse * target - speed;
    return rates;
  }

  /// Solves r − r_old − h g(φ, r) = 0 (paper 000 eq. 7), which is quadratic in r: with m = μ1 / (μ2 + φ) and
  /// k = c φ (φ − b − 1),
  ///   A r² + B r + C = 0,  A = h m,  B = 1 + h (γ + m k),  C = h γ k − r_old.
  /// The root that tends to r_old as h does to 0 is the larger, where 1 − h ∂g/∂r = 2 A r + B = s > 0, s² = B² − 4 A C.
  /// If r_old > −γ/m there is such a root at every h. The result is NaN if there is none.
  CARDIOWARP_HD StateStep<1> step_states(Real phi, const Real* old, Real h) const {
    const Real m = mu1 * (1 / (mu2 + phi));  // the reciprocal that rates() has, too
    const Real k = c * phi * (phi - b - 1);
    const Real A = h * m, B = 1 + h * (gamma + m * k), C = h * gamma * k - old[0];
    const Real s = std::sqrt(B * B - 4 * A * C);
    // r = −2C / (B + s) = (s − B) / 2A, that of the two in which nothing cancels; one division for it and 1 / s
    const Real over = B > 0 ? -2 * C : s - B, under = B > 0 ? B + s : 2 * A, inverse = 1 / (under * s);
    const Real r = over * (s * inverse);
    return {{r}, {h * rates(phi, &r).dg_dphi[0] * (under * inverse)}};
  }

  /// The steepest reaction at any r >= 0: c ((1 + α)² / 3 − α).
  Real steepest_reaction() const { return c * ((1 + alpha) * (1 + alpha) / 3 - alpha); }

  /// Without recovery φ = ½ [1 − tanh(x / 2δ)] travels at (1 − 2α) √(c D̃ / 2), with δ² = 2 D̃ / c.
  Front front() const { return {(1 - 2 * alpha) * std::sqrt(c / 2), 2 / c}; }
};

constexpr std::array<CellParameter<AlievPanfilov>, 6> AlievPanfilov::parameter_table() {
  return {{{"alpha", "", "excitation threshold", &AlievPanfilov::alpha, {0, 1, true, false}},
           {"gamma", "", "recovery rate at rest", &AlievPanfilov::gamma, non_negative},
           {"b", "", "shape of the recovery", &AlievPanfilov::b, any_number},
           {"c", "", "strength of the excitation", &AlievPanfilov::c, positive},
           {"mu1", "", "rate of recovery with its value", &AlievPanfilov::mu1, non_negative},
           {"mu2", "", "the model is defined for potentials above −100 mu2 − 80 mV", &AlievPanfilov::mu2, positive}}};
}

}  // namespace cardiowarp
