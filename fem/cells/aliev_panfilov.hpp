#pragma once
#include <cmath>

#include "fem/cells/recovery.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Aliev–Panfilov cell model, dimensionless (paper 000 eqs. 1-5, Göktepe & Kuhl 2009):
///   dφ/dτ = ... + f,  f = c φ (φ − α)(1 − φ) − r φ
///   dr/dτ = g,        g = [γ + μ1 r / (μ2 + φ)] [−r − c φ (φ − b − 1)]
/// Defined for μ2 + φ > 0.
struct AlievPanfilov {
  Real alpha = 0.01, gamma = 0.002, b = 0.15, c = 8, mu1 = 0.2, mu2 = 0.3;

  friend bool operator==(const AlievPanfilov&, const AlievPanfilov&) = default;

  /// Rates of φ and r and their partial derivatives, all at one point.
  struct Rates {
    Real f, df_dphi, df_dr;
    Real g, dg_dphi, dg_dr;
  };

  CARDIOWARP_HD bool admissible(Real phi) const { return mu2 + phi > 0; }

  CARDIOWARP_HD Rates rates(Real phi, Real r) const {
    const Real cubic = c * phi * (phi - alpha) * (1 - phi);
    const Real cubic_slope = c * ((2 * phi - alpha) * (1 - phi) - phi * (phi - alpha));
    const Real inverse = 1 / (mu2 + phi);
    const Real speed = gamma + mu1 * r * inverse;
    const Real target = -r - c * phi * (phi - b - 1);
    Rates rates;
    rates.f = cubic - r * phi;
    rates.df_dphi = cubic_slope - r;
    rates.df_dr = -phi;
    rates.g = speed * target;
    rates.dg_dphi = -mu1 * r * inverse * inverse * target - speed * c * (2 * phi - b - 1);
    rates.dg_dr = mu1 * inverse * target - speed;
    return rates;
  }

  /// Solves r − r_old − h g(φ, r) = 0 (paper 000 eq. 7), which is quadratic in r: with m = μ1 / (μ2 + φ) and
  /// k = c φ (φ − b − 1),
  ///   A r² + B r + C = 0,  A = h m,  B = 1 + h (γ + m k),  C = h γ k − r_old.
  /// The root that tends to r_old as h does to 0 is the larger, where 1 − h ∂g/∂r = 2 A r + B = s > 0, s² = B² − 4 A C.
  /// For r_old > −γ/m there is one at every h; NaN where there is none.
  CARDIOWARP_HD RecoveryStep step_recovery(Real phi, Real r_old, Real h) const {
    const Real m = mu1 * (1 / (mu2 + phi));  // the reciprocal that rates() has, too
    const Real k = c * phi * (phi - b - 1);
    const Real A = h * m, B = 1 + h * (gamma + m * k), C = h * gamma * k - r_old;
    const Real s = std::sqrt(B * B - 4 * A * C);
    // r = −2C / (B + s) = (s − B) / 2A, that of the two in which nothing cancels; one division for it and 1 / s
    const Real over = B > 0 ? -2 * C : s - B, under = B > 0 ? B + s : 2 * A, inverse = 1 / (under * s);
    const Real r = over * (s * inverse);
    return {r, h * rates(phi, r).dg_dphi * (under * inverse)};
  }

  /// Largest ∂f/∂φ over all φ for r >= 0: c ((1 + α)² / 3 − α).
  CARDIOWARP_HD Real steepest_reaction() const { return c * ((1 + alpha) * (1 + alpha) / 3 - alpha); }
};

}  // namespace cardiowarp
