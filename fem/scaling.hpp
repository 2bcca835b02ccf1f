#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The unit system, stated once (paper 000 sec. 2, Göktepe & Kuhl 2009): Φ[mV] = 100 φ − 80, t[ms] = 12.9 τ, lengths in
// mm. Outside the solver everything is in mV, ms, mm; inside it in φ, τ, mm.

inline constexpr Real rest_mv = -80;
inline constexpr Real mv_per_phi = 100;
inline constexpr Real ms_per_tau = 12.9;

CARDIOWARP_HD constexpr Real phi_from_mv(Real potential_mv) { return (potential_mv - rest_mv) / mv_per_phi; }
CARDIOWARP_HD constexpr Real mv_from_phi(Real phi) { return mv_per_phi * phi + rest_mv; }
CARDIOWARP_HD constexpr Real tau_from_ms(Real time_ms) { return time_ms / ms_per_tau; }

/// Diffusivity in mm² per τ from mm²/ms: D̃ = 12.9 D.
CARDIOWARP_HD constexpr Real scaled_diffusivity(Real mm2_per_ms) { return ms_per_tau * mm2_per_ms; }

/// Stimulus in φ per τ from mV/ms; positive depolarises.
CARDIOWARP_HD constexpr Real scaled_stimulus(Real mv_per_ms) { return ms_per_tau / mv_per_phi * mv_per_ms; }

}  // namespace cardiowarp
