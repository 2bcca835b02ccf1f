#pragma once
#include "fem/scaling.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// When φ crosses `level` in the step from (t_old, φ_old) to (t_new, φ_new), linearly interpolated.
CARDIOWARP_HD inline Real crossing_ms(Real t_old, Real t_new, Real phi_old, Real phi_new, Real level) {
  return t_old + (t_new - t_old) * (level - phi_old) / (phi_new - phi_old);
}

/// Activation time and APD90 of each node's first beat, followed step by step. All arrays are [nodes].
struct BeatMaps {
  Real* activation_ms;  ///< upward crossing of 0 mV; −1 until then; 0 where the start is above it
  Real* apd90_ms;       ///< from activation to the downward crossing of rest + 10 % (peak − rest); −1 until then
  Real* peak_phi;       ///< of the beat so far

  static constexpr Real activation_phi = phi_from_mv(0);
  static constexpr Real repolarised_fraction = 0.1;  // rest is φ = 0

  CARDIOWARP_HD void start(Index node, Real phi) const {
    activation_ms[node] = phi >= activation_phi ? 0 : -1;
    apd90_ms[node] = -1;
    peak_phi[node] = phi;
  }

  /// Times of crossings are interpolated linearly in the step from (t_old, φ_old) to (t_new, φ_new), in ms.
  CARDIOWARP_HD void record(Index node, Real t_old, Real t_new, Real phi_old, Real phi_new) const {
    if (activation_ms[node] < 0) {
      if (phi_new < activation_phi) return;
      activation_ms[node] = crossing_ms(t_old, t_new, phi_old, phi_new, activation_phi);
      peak_phi[node] = phi_new;
    } else if (apd90_ms[node] < 0) {
      if (phi_new > peak_phi[node]) peak_phi[node] = phi_new;
      const Real repolarised_phi = repolarised_fraction * peak_phi[node];
      if (phi_new <= repolarised_phi)
        apd90_ms[node] = crossing_ms(t_old, t_new, phi_old, phi_new, repolarised_phi) - activation_ms[node];
    }
  }
};

/// The first activation of each node after a time that moves on, from pulse to pulse of the stimuli.
struct ActivationSince {
  Real* activation_ms;  ///< [nodes] first upward crossing of 0 mV after `since_ms`; until then an earlier one, or 0
  Real since_ms;

  CARDIOWARP_HD void record(Index node, Real t_old, Real t_new, Real phi_old, Real phi_new) const {
    if (phi_old >= BeatMaps::activation_phi || phi_new < BeatMaps::activation_phi) return;
    if (activation_ms[node] <= since_ms)
      activation_ms[node] = crossing_ms(t_old, t_new, phi_old, phi_new, BeatMaps::activation_phi);
  }
};

}  // namespace cardiowarp
