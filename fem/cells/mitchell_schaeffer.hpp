#pragma once
#include <array>
#include <cmath>
#include <limits>

#include "fem/cells/linear_gates.hpp"

namespace cardiowarp {

/// Mitchell–Schaeffer cell model (2003, Bull. Math. Biol. 65:767): a current in, a current out, and one gate h,
///   dφ/dt = ... + f,  f = h φ² (1 − φ) / τ_in − φ / τ_out
///   dh/dt = g,        g = (1 − h) / τ_open below φ = v_gate, −h / τ_close above.
/// The switch at v_gate is smooth over ± switch_width. Time is in ms; the paper's φ runs from 0 to 1, and that it means
/// −80 to 20 mV is our choice, as in Aliev–Panfilov.
struct MitchellSchaeffer {
  Real tau_in = 0.3, tau_out = 6, tau_open = 120, tau_close = 150, v_gate = 0.13, switch_width = 0.001;

  static constexpr const char* name = "mitchell_schaeffer";
  static constexpr int states = 1;
  static constexpr Scaling scaling{-80, 100, 1};

  static constexpr std::array<CellState, 1> state_table() {
    return {{{"h", "gate of the inward current, open at rest", 1, from_0_to_1}}};
  }
  static constexpr std::array<CellParameter<MitchellSchaeffer>, 6> parameter_table();

  friend bool operator==(const MitchellSchaeffer&, const MitchellSchaeffer&) = default;

  CARDIOWARP_HD bool admissible(Real /*phi*/) const { return true; }
  Real lowest_phi() const { return -std::numeric_limits<Real>::infinity(); }

  CARDIOWARP_HD CellRates<1> rates(Real phi, const Real* state) const {
    const Real h = state[0];
    CellRates<1> rates;
    rates.f = h * phi * phi * (1 - phi) / tau_in - phi / tau_out;
    rates.df_dphi = h * phi * (2 - 3 * phi) / tau_in - 1 / tau_out;
    rates.df_dstate[0] = phi * phi * (1 - phi) / tau_in;
    const LinearGate gates[1]{gate(phi)};
    set_gate_rates(gates, state, rates);
    return rates;
  }

  CARDIOWARP_HD StateStep<1> step_states(Real phi, const Real* old, Real step) const {
    const LinearGate gates[1]{gate(phi)};
    return step_gates(gates, old, step);
  }

  /// The steepest reaction, at h = 1 and φ = 1/3.
  Real steepest_reaction() const { return 1 / (3 * tau_in) - 1 / tau_out; }

  /// With h = 1, f is the cubic φ (φ − low)(high − φ) / τ_in, low + high = 1 and low · high = τ_in / τ_out, whose front
  /// travels at (high − 2 low) √(D̃ / 2 τ_in) with δ² = 2 τ_in D̃ / high².
  Front front() const {
    const Real square = 1 - 4 * tau_in / tau_out;
    if (square <= 0) return {0, 2 * tau_in};
    const Real high = (1 + std::sqrt(square)) / 2, low = 1 - high;
    return {(high - 2 * low) / std::sqrt(2 * tau_in), 2 * tau_in / (high * high)};
  }

 private:
  CARDIOWARP_HD LinearGate gate(Real phi) const {
    const Dual closing = smooth_step({phi - v_gate, 1}, switch_width);
    const Dual opening = (1 - closing) * (1 / tau_open);
    return {opening, opening + closing * (1 / tau_close)};
  }
};

constexpr std::array<CellParameter<MitchellSchaeffer>, 6> MitchellSchaeffer::parameter_table() {
  using Cell = MitchellSchaeffer;
  return {{{"tau_in", "ms", "time constant of the inward current", &Cell::tau_in, positive},
           {"tau_out", "ms", "time constant of the outward current", &Cell::tau_out, positive},
           {"tau_open", "ms", "time constant with which the gate opens", &Cell::tau_open, positive},
           {"tau_close", "ms", "time constant with which the gate closes", &Cell::tau_close, positive},
           {"v_gate", "", "φ above which the gate closes", &Cell::v_gate, {0, 1, false, false}},
           {"switch_width", "", "half of the width in φ over which the gate turns from opening to closing",
            &Cell::switch_width, narrow_switch}}};
}

}  // namespace cardiowarp
