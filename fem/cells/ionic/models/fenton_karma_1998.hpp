#pragma once
#include "fem/cells/ionic/ionic_cell.hpp"

namespace cardiowarp {

/// The three-variable model of Fenton and Karma (1998, Chaos 8:20, eqs. 3-9 and table I): a potential u and the gates v
/// and w. With Θ(x) = 1 for x ≥ 0, else 0,
///   du/dt = −J_fi − J_so − J_si
///     J_fi = −v Θ(u − u_c)(1 − u)(u − u_c) / τ_d
///     J_so = u Θ(u_c − u) / τ_0 + Θ(u − u_c) / τ_r
///     J_si = −w [1 + tanh(k (u − u_si))] / (2 τ_si)
///   dv/dt = Θ(u_c − u)(1 − v) / τ_v⁻ − Θ(u − u_c) v / τ_v⁺      τ_v⁻ = τ_v1⁻ for u ≥ u_v, τ_v2⁻ below
///   dw/dt = Θ(u_c − u)(1 − w) / τ_w⁻ − Θ(u − u_c) w / τ_w⁺
/// The switches are sharp as in the paper, so that current and speeds jump at u_c. V = V_0 + (V_fi − V_0) u with the
/// paper's V_0 = −85 and V_fi = 15 mV, so that the current in mV/ms is 100 (J_fi + J_so + J_si). τ_d is the paper's C_m
/// / g_fi. The sets are its fits to the models of Beeler and Reuter, its modified one, to the modified one of Luo and
/// Rudy, and to guinea pigs.
struct FentonKarma1998 {
  Real tau_d = 0.25, tau_r = 33.33, tau_si = 29, tau_0 = 12.5;
  Real tau_v_plus = 3.33, tau_v1_minus = 1250, tau_v2_minus = 19.6, tau_w_plus = 870, tau_w_minus = 41;
  Real u_c = 0.13, u_v = 0.04, u_si = 0.85, k = 10;

  static constexpr const char* name = "fenton_karma_1998";
  static constexpr int gates = 2, followers = 0, pools = 0;
  static constexpr Real V_0 = -85, height = 100;  // mV

  static constexpr std::array<CellState, 2> state_table();
  static constexpr std::array<CellParameter<FentonKarma1998>, 13> parameter_table();
  static constexpr std::array<IonicSet<FentonKarma1998>, 4> parameter_sets();

  friend bool operator==(const FentonKarma1998&, const FentonKarma1998&) = default;

  template <class T>
  CARDIOWARP_HD void gate(const T& V, T* target, T* speed) const {
    const T u = (V - V_0) * (1 / height);
    const bool active = u >= u_c;
    target[0] = target[1] = T(active ? 0 : 1);
    speed[0] = T(1 / (active ? tau_v_plus : u >= u_v ? tau_v1_minus : tau_v2_minus));
    speed[1] = T(1 / (active ? tau_w_plus : tau_w_minus));
  }

  template <class U, class T>
  CARDIOWARP_HD T current(const U& V, const U* gate_values, const T* /*none*/, const T* /*none*/, const U* /*none*/,
                          T* /*pool_rate*/) const {
    using std::tanh;
    const U u = (V - V_0) * (1 / height);
    const U& w = gate_values[1];
    // Fast inward, slow outward and slow inward current.
    const U J_si = w * (1 + tanh(k * (u - u_si))) * (-0.5 / tau_si);
    if (u < u_c) return T(height * (u * (1 / tau_0) + J_si));
    const U J_fi = gate_values[0] * (1 - u) * (u - u_c) * (-1 / tau_d);
    return T(height * (J_fi + 1 / tau_r + J_si));
  }
};

constexpr std::array<CellState, 2> FentonKarma1998::state_table() {
  return {{{"v", "gate of the fast inward current, open at rest", 0, from_0_to_1},
           {"w", "gate of the slow inward current, open at rest", 0, from_0_to_1}}};
}

constexpr std::array<CellParameter<FentonKarma1998>, 13> FentonKarma1998::parameter_table() {
  using Cell = FentonKarma1998;
  constexpr Range fraction{0, 1, false, false};
  return {{{"tau_d", "ms", "time constant of the fast inward current", &Cell::tau_d, positive},
           {"tau_r", "ms", "time constant of the slow outward current above u_c", &Cell::tau_r, positive},
           {"tau_si", "ms", "time constant of the slow inward current", &Cell::tau_si, positive},
           {"tau_0", "ms", "time constant of the slow outward current below u_c", &Cell::tau_0, positive},
           {"tau_v_plus", "ms", "time constant with which v closes", &Cell::tau_v_plus, positive},
           {"tau_v1_minus", "ms", "time constant with which v opens above u_v", &Cell::tau_v1_minus, positive},
           {"tau_v2_minus", "ms", "time constant with which v opens below u_v", &Cell::tau_v2_minus, positive},
           {"tau_w_plus", "ms", "time constant with which w closes", &Cell::tau_w_plus, positive},
           {"tau_w_minus", "ms", "time constant with which w opens", &Cell::tau_w_minus, positive},
           {"u_c", "", "u from which the cell is active", &Cell::u_c, fraction},
           {"u_v", "", "u between the two time constants with which v opens", &Cell::u_v, any_number},
           {"u_si", "", "u at which the slow inward current is half on", &Cell::u_si, any_number},
           {"k", "", "steepness with which it turns on", &Cell::k, positive}}};
}

constexpr std::array<IonicSet<FentonKarma1998>, 4> FentonKarma1998::parameter_sets() {
  constexpr FentonKarma1998 modified_beeler_reuter{.tau_r = 50,
                                                   .tau_si = 44.84,
                                                   .tau_0 = 8.3,
                                                   .tau_v1_minus = 1000,
                                                   .tau_v2_minus = 19.2,
                                                   .tau_w_plus = 667,
                                                   .tau_w_minus = 11,
                                                   .u_v = 0.055},
      modified_luo_rudy{.tau_d = 1 / 5.8,
                        .tau_r = 130,
                        .tau_si = 127,
                        .tau_v_plus = 10,
                        .tau_v1_minus = 18.2,
                        .tau_v2_minus = 18.2,
                        .tau_w_plus = 1020,
                        .tau_w_minus = 80},
      guinea_pig{.tau_d = 1 / 8.7,
                 .tau_r = 25,
                 .tau_si = 22.22,
                 .tau_v_plus = 10,
                 .tau_v1_minus = 333,
                 .tau_v2_minus = 40,
                 .tau_w_plus = 1000,
                 .tau_w_minus = 65,
                 .u_v = 0.025};
  return {{{"beeler_reuter", {}, V_0, {1, 1}},
           {"modified_beeler_reuter", modified_beeler_reuter, V_0, {1, 1}},
           {"modified_luo_rudy", modified_luo_rudy, V_0, {1, 1}},
           {"guinea_pig", guinea_pig, V_0, {1, 1}}}};
}

}  // namespace cardiowarp
