#pragma once
#include <cmath>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The maps of a beat, activation time and APD90. A run finds them while it steps, so that it does not have to keep the
// potential of earlier steps. After each step, record() is called for each node on the machine that computes. It gets
// the path of φ in the step and finds when φ crossed a level between the two ends. A path is a straight line
// (LinearPath) for a scheme that knows φ at the ends alone, or Hermite's cubic (CubicPath) for one that knows its
// slopes there, too. BeatMaps takes 24 bytes per node and ActivationSince 8; both point to memory of the caller.

/// The path of φ of a node in the step from t_old to t_new, in ms, as a straight line.
struct LinearPath {
  Real t_old, t_new, phi_old, phi_new;

  /// φ when the share `s` of the step has passed.
  CARDIOWARP_HD Real at(Real s) const { return phi_old + s * (phi_new - phi_old); }

  CARDIOWARP_HD Real largest_phi() const { return phi_old > phi_new ? phi_old : phi_new; }
  CARDIOWARP_HD Real largest_rise_per_ms() const { return (phi_new - phi_old) / (t_new - t_old); }
  /// When φ crosses `level`, which is between its ends.
  CARDIOWARP_HD Real crossing_ms(Real level) const {
    return t_old + (t_new - t_old) * (level - phi_old) / (phi_new - phi_old);
  }
};

/// The path of φ of a node in the step from t_old to t_new, in ms, as Hermite's cubic. s in [0, 1] is the share of the
/// step that has passed, Δ = φ_new − φ_old, and the slopes are dφ/ds at both ends:
///   φ(s) = φ_old + s (slope_old + s (c + s d)),  d = slope_old + slope_new − 2Δ,  c = Δ − slope_old − d
struct CubicPath {
  Real t_old, t_new, phi_old, phi_new;
  Real slope_old, slope_new;  ///< φ per step

  /// φ when the share `s` of the step has passed.
  CARDIOWARP_HD Real at(Real s) const { return phi_old + s * (slope_old + s * (quadratic() + s * cubic())); }

  /// The larger φ of the ends, or a larger one between them, which is looked for if φ rises at the start and falls at
  /// the end.
  CARDIOWARP_HD Real largest_phi() const {
    const Real at_ends = phi_old > phi_new ? phi_old : phi_new;
    if (!(slope_old > 0 && slope_new < 0)) return at_ends;
    const Real root = std::sqrt(quadratic() * quadratic() - 3 * cubic() * slope_old);
    const Real between = at(slope_old / (root - quadratic()));
    return between > at_ends ? between : at_ends;
  }

  /// The largest slope in the step, φ per ms: at an end, or where the parabola of the slopes has its vertex.
  CARDIOWARP_HD Real largest_rise_per_ms() const {
    Real largest = slope_old > slope_new ? slope_old : slope_new;
    const Real vertex = -quadratic() / (3 * cubic());
    if (cubic() < 0 && vertex > 0 && vertex < 1) largest = slope_old + quadratic() * vertex;
    return largest / (t_new - t_old);
  }

  /// When φ crosses `level`, which is between its ends. Newton's method finds it, kept between two shares of the step
  /// that have φ on either side of the level. If φ is past the level at the start, that is the start of the step.
  CARDIOWARP_HD Real crossing_ms(Real level) const {
    constexpr int most = 60;  // halvings end at rounding
    const bool up = phi_new >= level;
    if (up ? phi_old >= level : phi_old <= level) return t_old;
    Real before = 0, after = 1, s = (level - phi_old) / (phi_new - phi_old);
    for (int iteration = 0; iteration < most; ++iteration) {
      const Real distance = at(s) - level;
      (up == (distance >= 0) ? after : before) = s;
      const Real newton = s - distance / (slope_old + s * (2 * quadratic() + 3 * s * cubic()));
      const Real next = newton >= before && newton <= after ? newton : (before + after) / 2;
      const bool found = std::fabs(next - s) <= 1e-15;
      s = next;
      if (found) break;
    }
    return t_old + (t_new - t_old) * s;
  }

 private:
  CARDIOWARP_HD Real cubic() const { return slope_old + slope_new - 2 * (phi_new - phi_old); }
  CARDIOWARP_HD Real quadratic() const { return phi_new - phi_old - slope_old - cubic(); }
};

/// Activation time and APD90 of each node's first beat, followed step by step. All arrays are [nodes].
struct BeatMaps {
  Real* activation_ms;  ///< upward crossing of 0 mV; −1 until then; 0 where the start is above it
  Real* apd90_ms;       ///< from activation to the downward crossing of rest + 10 % (peak − rest); −1 until then
  Real* peak_phi;       ///< of the beat so far
  Real activation_phi;  ///< φ at 0 mV, the level of activation

  static constexpr Real repolarized_fraction = 0.1;  // rest is φ = 0

  CARDIOWARP_HD void start(Index node, Real phi) const {
    activation_ms[node] = phi >= activation_phi ? 0 : -1;
    apd90_ms[node] = -1;
    peak_phi[node] = phi;
  }

  /// A step of the node, in which it has a LinearPath or a CubicPath.
  template <class Path = LinearPath>
  CARDIOWARP_HD void record(Index node, const Path& path) const {
    if (activation_ms[node] < 0) {
      if (path.phi_new < activation_phi) return;
      activation_ms[node] = path.crossing_ms(activation_phi);
      peak_phi[node] = path.largest_phi();
    } else if (apd90_ms[node] < 0) {
      if (const Real largest = path.largest_phi(); largest > peak_phi[node]) peak_phi[node] = largest;
      const Real repolarized_phi = repolarized_fraction * peak_phi[node];
      if (path.phi_new <= repolarized_phi) apd90_ms[node] = path.crossing_ms(repolarized_phi) - activation_ms[node];
    }
  }
};

/// The first activation of each node after a time that moves on, from pulse to pulse of the stimuli.
struct ActivationSince {
  Real* activation_ms;  ///< [nodes] first upward crossing of the level after `since_ms`; until then an earlier one, 0
                        ///< where the start is above it, or −1
  Real since_ms;
  Real level_phi;  ///< φ from which on a node counts as activated

  CARDIOWARP_HD void start(Index node, Real phi) const { activation_ms[node] = phi >= level_phi ? 0 : -1; }

  template <class Path = LinearPath>
  CARDIOWARP_HD void record(Index node, const Path& path) const {
    if (path.phi_old >= level_phi || path.phi_new < level_phi) return;
    if (activation_ms[node] <= since_ms) activation_ms[node] = path.crossing_ms(level_phi);
  }
};

}  // namespace cardiowarp
