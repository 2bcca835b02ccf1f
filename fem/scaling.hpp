#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The units that a cell model is written in. Users give and get mV, ms and mm. Inside the solver the potential is a
/// number φ without unit, 0 at rest and about 1 at the peak of a beat, and time is τ:
///   Φ[mV] = mv_per_phi φ + rest_mv,  t[ms] = ms_per_tau τ.
/// Lengths are in mm on both sides.
struct Scaling {
  Real rest_mv;     ///< the potential of φ = 0
  Real mv_per_phi;  ///< positive
  Real ms_per_tau;  ///< positive

  friend bool operator==(const Scaling&, const Scaling&) = default;

  CARDIOWARP_HD constexpr Real phi_from_mv(Real potential_mv) const { return (potential_mv - rest_mv) / mv_per_phi; }
  CARDIOWARP_HD constexpr Real mv_from_phi(Real phi) const { return mv_per_phi * phi + rest_mv; }
  CARDIOWARP_HD constexpr Real tau_from_ms(Real time_ms) const { return time_ms / ms_per_tau; }

  /// Diffusivity D̃ in mm² per τ from D in mm²/ms.
  CARDIOWARP_HD constexpr Real diffusivity(Real mm2_per_ms) const { return ms_per_tau * mm2_per_ms; }

  /// Stimulus in φ per τ from mV/ms; positive depolarizes.
  CARDIOWARP_HD constexpr Real stimulus(Real mv_per_ms) const { return ms_per_tau / mv_per_phi * mv_per_ms; }
};

}  // namespace cardiowarp
