#pragma once
#include <array>
#include <limits>

#include "fem/cells/linear_gates.hpp"

namespace cardiowarp {

/// Bueno-Orovio–Cherry–Fenton minimal model of human ventricular cells (2008, J. Theor. Biol. 253:544): the potential u
/// (here φ) and the gates v, w, s. With H_x a step from 0 to 1 at u = θ_x and S(k, u') = ½ [1 + tanh(k (u − u'))],
///   du/dt = ... − J_fi − J_so − J_si
///     J_fi = −v H_v (u − θ_v)(u_u − u) / τ_fi
///     J_so = u (1 − H_w) / τ_o + H_w / τ_so
///     J_si = −H_w w s / τ_si
///   dv/dt = (1 − H_v)(v_∞ − v) / τ_v⁻ − H_v v / τ_v⁺      v_∞ = 1 − H_v⁻
///   dw/dt = (1 − H_w)(w_∞ − w) / τ_w⁻ − H_w w / τ_w⁺      w_∞ = (1 − H_o)(1 − u / τ_w∞) + H_o w_∞*
///   ds/dt = (S(k_s, u_s) − s) / τ_s
///   τ_v⁻ from τ_v1⁻ to τ_v2⁻ by H_v⁻   τ_w⁻ from τ_w1⁻ to τ_w2⁻ by S(k_w⁻, u_w⁻)   τ_o from τ_o1 to τ_o2 by H_o
///   τ_so from τ_so1 to τ_so2 by S(k_so, u_so)   τ_s from τ_s1 to τ_s2 by H_w
/// The paper's u_o is 0 in all its sets and left out: u = 0 is rest. Time is in ms and Φ = 85.7 u − 84 mV.
///
/// The steps H_v and H_w, which u crosses within microseconds, are smooth over ± switch_width. At θ_v⁻ and θ_o u can
/// stay for a long time: the outward current nearly ends at θ_o, so that an epicardial cell is at u = θ_o for some 70
/// ms, in which v opens. There a step is a ramp of the width switch_width that begins just below its threshold, and it
/// blends the two rates of v and the two conductances of J_so, not their time constants. u then falls through the ramp
/// as exp(−t / τ), and each gate is closed for as long in all as with a sharp step.
struct BuenoOrovio {
  // epicardial
  Real u_u = 1.55, theta_v = 0.3, theta_w = 0.13, theta_v_minus = 0.006, theta_o = 0.006;
  Real tau_v1_minus = 60, tau_v2_minus = 1150, tau_v_plus = 1.4506;
  Real tau_w1_minus = 60, tau_w2_minus = 15, k_w_minus = 65, u_w_minus = 0.03, tau_w_plus = 200;
  Real tau_fi = 0.11, tau_o1 = 400, tau_o2 = 6, tau_so1 = 30.0181, tau_so2 = 0.9957, k_so = 2.0458, u_so = 0.65;
  Real tau_s1 = 2.7342, tau_s2 = 16, k_s = 2.0994, u_s = 0.9087;
  Real tau_si = 1.8875, tau_w_infinity = 0.07, w_infinity_star = 0.94;
  Real switch_width = 0.001;

  static constexpr const char* name = "bueno_orovio";
  static constexpr int states = 3;
  static constexpr Scaling scaling{-84, 85.7, 1};

  static constexpr std::array<CellState, 3> state_table() {
    return {{{"v", "gate of the fast inward current, open at rest", 1, from_0_to_1},
             {"w", "gate of the slow inward current, open at rest", 1, from_0_to_1},
             {"s", "gate of the slow inward current, closed at rest", 0, from_0_to_1}}};
  }
  static constexpr std::array<CellParameter<BuenoOrovio>, 28> parameter_table();
  static constexpr std::array<ParameterSet<BuenoOrovio>, 3> parameter_sets();

  friend bool operator==(const BuenoOrovio&, const BuenoOrovio&) = default;

  CARDIOWARP_HD bool admissible(Real /*phi*/) const { return true; }
  Real lowest_phi() const { return -std::numeric_limits<Real>::infinity(); }

  CARDIOWARP_HD CellRates<3> rates(Real phi, const Real* state) const {
    const Real v = state[0], w = state[1], s = state[2];
    const Dual u(phi, 1), fast = fast_on(u), slow = slow_on(u);
    const Dual outward = between(1 / tau_o1, 1 / tau_o2, low_on(u - theta_o));
    const Dual tau_so = between(tau_so1, tau_so2, sigmoid(k_so, u - u_so));
    const Dual fast_inward = fast * (u - theta_v) * (u_u - u) * (1 / tau_fi);  // v times this
    const Dual J_so = (1 - slow) * u * outward + slow / tau_so;
    const Dual slow_inward = slow * (1 / tau_si);  // w s times this
    const Dual f = v * fast_inward - J_so + w * s * slow_inward;
    CellRates<3> rates;
    rates.f = f.value;
    rates.df_dphi = f.slope;
    rates.df_dstate[0] = fast_inward.value;
    rates.df_dstate[1] = s * slow_inward.value;
    rates.df_dstate[2] = w * slow_inward.value;
    const LinearGate gates[3]{gate_v(u), gate_w(u), gate_s(u)};
    set_gate_rates(gates, state, rates);
    return rates;
  }

  CARDIOWARP_HD StateStep<3> step_states(Real phi, const Real* old, Real h) const {
    const Dual u(phi, 1);
    const LinearGate gates[3]{gate_v(u), gate_w(u), gate_s(u)};
    return step_gates(gates, old, h);
  }

  /// The slope of v H_v (u − θ_v)(u_u − u) / τ_fi just above θ_v and with v = 1: where its step is smooth, H_v (u −
  /// θ_v) is up to 1.21 times as steep as behind it.
  Real steepest_reaction() const { return 1.21 * (u_u - theta_v) / tau_fi; }

 private:
  CARDIOWARP_HD Dual fast_on(Dual u) const { return smooth_step(u - theta_v, switch_width); }
  CARDIOWARP_HD Dual slow_on(Dual u) const { return smooth_step(u - theta_w, switch_width); }

  /// The step at θ_v⁻ or θ_o. It begins at a twentieth of its width below the threshold: u then leaves the ramp about
  /// when it would have fallen as far below a sharp one.
  CARDIOWARP_HD Dual low_on(Dual beyond_threshold) const {
    return ramp(beyond_threshold + 0.05 * switch_width, switch_width);
  }

  CARDIOWARP_HD LinearGate gate_v(Dual u) const {
    const Dual closing = fast_on(u), low = low_on(u - theta_v_minus);
    const Dual opening = (1 - closing) * (1 - low) * (1 / tau_v1_minus);
    return {opening, opening + (1 - closing) * low * (1 / tau_v2_minus) + closing * (1 / tau_v_plus)};
  }
  CARDIOWARP_HD LinearGate gate_w(Dual u) const {
    const Dual closing = slow_on(u), low = low_on(u - theta_o);
    const Dual speed = (1 - closing) / between(tau_w1_minus, tau_w2_minus, sigmoid(k_w_minus, u - u_w_minus));
    const Dual target = between(1 - u * (1 / tau_w_infinity), w_infinity_star, low);
    return {speed * target, speed + closing * (1 / tau_w_plus)};
  }
  CARDIOWARP_HD LinearGate gate_s(Dual u) const {
    const Dual speed = 1 / between(tau_s1, tau_s2, slow_on(u));
    return {speed * sigmoid(k_s, u - u_s), speed};
  }
};

constexpr std::array<CellParameter<BuenoOrovio>, 28> BuenoOrovio::parameter_table() {
  using Cell = BuenoOrovio;
  constexpr Range fraction{0, 1, false, false};
  return {
      {{"u_u", "", "upper end of the fast inward current, u", &Cell::u_u, positive},
       {"theta_v", "", "u from which the fast inward current flows and v closes", &Cell::theta_v, fraction},
       {"theta_w", "", "u from which the slow currents flow and w closes", &Cell::theta_w, fraction},
       {"theta_v_minus", "", "u below which v opens", &Cell::theta_v_minus, fraction},
       {"theta_o", "", "u from which tau_o2 and w_infinity_star hold", &Cell::theta_o, fraction},
       {"tau_v1_minus", "ms", "time constant of v below theta_v_minus", &Cell::tau_v1_minus, positive},
       {"tau_v2_minus", "ms", "time constant of v from theta_v_minus to theta_v", &Cell::tau_v2_minus, positive},
       {"tau_v_plus", "ms", "time constant with which v closes", &Cell::tau_v_plus, positive},
       {"tau_w1_minus", "ms", "time constant with which w opens, below u_w_minus", &Cell::tau_w1_minus, positive},
       {"tau_w2_minus", "ms", "time constant with which w opens, above u_w_minus", &Cell::tau_w2_minus, positive},
       {"k_w_minus", "", "steepness between the two", &Cell::k_w_minus, positive},
       {"u_w_minus", "", "u between the two", &Cell::u_w_minus, any_number},
       {"tau_w_plus", "ms", "time constant with which w closes", &Cell::tau_w_plus, positive},
       {"tau_fi", "ms", "time constant of the fast inward current", &Cell::tau_fi, positive},
       {"tau_o1", "ms", "time constant of the outward current below theta_o", &Cell::tau_o1, positive},
       {"tau_o2", "ms", "time constant of the outward current from theta_o to theta_w", &Cell::tau_o2, positive},
       {"tau_so1", "ms", "time constant of the slow outward current below u_so", &Cell::tau_so1, positive},
       {"tau_so2", "ms", "time constant of the slow outward current above u_so", &Cell::tau_so2, positive},
       {"k_so", "", "steepness between the two", &Cell::k_so, positive},
       {"u_so", "", "u between the two", &Cell::u_so, any_number},
       {"tau_s1", "ms", "time constant of s below theta_w", &Cell::tau_s1, positive},
       {"tau_s2", "ms", "time constant of s above theta_w", &Cell::tau_s2, positive},
       {"k_s", "", "steepness with which s opens", &Cell::k_s, positive},
       {"u_s", "", "u at which s is half open", &Cell::u_s, any_number},
       {"tau_si", "ms", "time constant of the slow inward current", &Cell::tau_si, positive},
       {"tau_w_infinity", "", "u over which the target of w falls below theta_o", &Cell::tau_w_infinity, positive},
       {"w_infinity_star", "", "target of w above theta_o", &Cell::w_infinity_star, from_0_to_1},
       {"switch_width", "", "width in u of the steps at theta_v_minus and theta_o, half of that at theta_v and theta_w",
        &Cell::switch_width, narrow_switch}}};
}

constexpr std::array<ParameterSet<BuenoOrovio>, 3> BuenoOrovio::parameter_sets() {
  constexpr BuenoOrovio epicardial,
      endocardial{.u_u = 1.56,
                  .theta_v_minus = 0.2,
                  .tau_v1_minus = 75,
                  .tau_v2_minus = 10,
                  .tau_w1_minus = 6,
                  .tau_w2_minus = 140,
                  .k_w_minus = 200,
                  .u_w_minus = 0.016,
                  .tau_w_plus = 280,
                  .tau_fi = 0.1,
                  .tau_o1 = 470,
                  .tau_so1 = 40,
                  .tau_so2 = 1.2,
                  .k_so = 2,
                  .tau_s2 = 2,
                  .tau_si = 2.9013,
                  .tau_w_infinity = 0.0273,
                  .w_infinity_star = 0.78},
      midmyocardial{.u_u = 1.61,
                    .theta_v_minus = 0.1,
                    .theta_o = 0.005,
                    .tau_v1_minus = 80,
                    .tau_v2_minus = 1.4506,
                    .tau_w1_minus = 70,
                    .tau_w2_minus = 8,
                    .k_w_minus = 200,
                    .u_w_minus = 0.016,
                    .tau_w_plus = 280,
                    .tau_fi = 0.078,
                    .tau_o1 = 410,
                    .tau_o2 = 7,
                    .tau_so1 = 91,
                    .tau_so2 = 0.8,
                    .k_so = 2.1,
                    .u_so = 0.6,
                    .tau_s2 = 4,
                    .tau_si = 3.3849,
                    .tau_w_infinity = 0.01,
                    .w_infinity_star = 0.5};
  return {{{"epicardial", epicardial}, {"endocardial", endocardial}, {"midmyocardial", midmyocardial}}};
}

}  // namespace cardiowarp
