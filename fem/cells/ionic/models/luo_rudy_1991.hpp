#pragma once
#include "fem/cells/ionic/ionic_cell.hpp"
#include "fem/cells/ionic/models/sodium_gates.hpp"

namespace cardiowarp {

/// The ventricular cell of Luo and Rudy (1991, Circ. Res. 68:1501): six gates and the calcium of the cytoplasm. Sodium
/// and potassium inside are constant. µA/cm² of the paper are mV/ms at its 1 µF/cm².
struct LuoRudy1991 {
  Real g_Na = 23, g_si = 0.09, g_K = 0.282, g_K1 = 0.6047, g_Kp = 0.0183, g_b = 0.03921;
  Real Na_o = 140, K_o = 5.4;

  static constexpr const char* name = "luo_rudy_1991";
  static constexpr int gates = 6, followers = 0, pools = 1;
  static constexpr Real RT_F = 8314 * 310 / 96484.6;  // mV
  static constexpr Real Na_i = 18, K_i = 145;         // mM

  static constexpr std::array<CellState, 7> state_table();
  static constexpr std::array<CellParameter<LuoRudy1991>, 8> parameter_table();
  static constexpr std::array<IonicSet<LuoRudy1991>, 1> parameter_sets();

  friend bool operator==(const LuoRudy1991&, const LuoRudy1991&) = default;

  template <class T>
  CARDIOWARP_HD void gate(const T& V, T* target, T* speed) const {
    using std::exp;
    const OpeningAndClosing<T> rates[gates]{// m: 0.32 U / (1 − e^(−0.1 U)) with U = V + 47.13
                                            {3.2 * x_over_exp_minus_1(-0.1 * (V + 47.13)), 0.08 * exp(V * (-1. / 11))},
                                            luo_rudy_h(V),
                                            luo_rudy_j(V),
                                            // d
                                            {0.095 * exp(-0.01 * (V - 5)) * falling(-0.072 * (V - 5)),
                                             0.07 * exp(-0.017 * (V + 44)) * falling(0.05 * (V + 44))},
                                            // f
                                            {0.012 * exp(-0.008 * (V + 28)) * falling(0.15 * (V + 28)),
                                             0.0065 * exp(-0.02 * (V + 30)) * falling(-0.2 * (V + 30))},
                                            // X
                                            {0.0005 * exp(0.083 * (V + 50)) * falling(0.057 * (V + 50)),
                                             0.0013 * exp(-0.06 * (V + 20)) * falling(-0.04 * (V + 20))}};
    for (int i = 0; i < gates; ++i) {
      target[i] = rates[i].target();
      speed[i] = rates[i].speed();
    }
  }

  template <class U, class T>
  CARDIOWARP_HD T current(const U& V, const U* gate_values, const T* /*none*/, const T* pool_values, const U* /*none*/,
                          T* pool_rate) const {
    using std::exp;
    using std::log;
    using std::sqrt;
    const U &m = gate_values[0], &h = gate_values[1], &j = gate_values[2], &d = gate_values[3], &f = gate_values[4],
            &X = gate_values[5];
    const T& Ca_i = pool_values[0];
    // Fast sodium current.
    const U i_Na = g_Na * cube(m) * h * j * (V - RT_F * log(Na_o / Na_i));
    // Slow inward current of calcium, which fills the cytoplasm; an uptake empties it.
    const T i_si = g_si * d * f * (V - (7.7 - 13.0287 * log(Ca_i)));
    pool_rate[0] = -1e-4 * i_si + 0.07 * (1e-4 - Ca_i);
    // Time-dependent potassium current, whose channels let some sodium through.
    const U i_K = g_K * sqrt(K_o / 5.4) * X * inactivation_of_K(V) *
                  (V - RT_F * log((K_o + 0.01833 * Na_o) / (K_i + 0.01833 * Na_i)));
    // Time-independent potassium current.
    const U x = V - RT_F * log(K_o / K_i);
    const U alpha = 1.02 * falling(0.2385 * (x - 59.215));
    const U beta =
        (0.49124 * exp(0.08032 * (x + 5.476)) + exp(0.06175 * (x - 594.31))) * falling(-0.5143 * (x + 4.753));
    const U i_K1 = g_K1 * sqrt(K_o / 5.4) * alpha / (alpha + beta) * x;
    // Plateau potassium current and background current.
    const U i_Kp = g_Kp * falling((V - 7.488) * (-1 / 5.98)) * x;
    const U i_b = g_b * (V + 59.87);
    return i_si + (i_Na + i_K + i_K1 + i_Kp + i_b);
  }

 private:
  /// X_i: 2.837 (e^(0.04 (V + 77)) − 1) / ((V + 77) e^(0.04 (V + 35))), and 1 up to −100 mV.
  template <class T>
  CARDIOWARP_HD static T inactivation_of_K(const T& V) {
    using std::exp;
    if (V <= -100) return T(1);
    return 2.837 * 0.04 / (x_over_exp_minus_1(0.04 * (V + 77)) * exp(0.04 * (V + 35)));
  }
};

constexpr std::array<CellState, 7> LuoRudy1991::state_table() {
  return {{{"m", "activation of the fast sodium current", 0, from_0_to_1},
           {"h", "fast inactivation of the sodium current", 0, from_0_to_1},
           {"j", "slow inactivation of the sodium current", 0, from_0_to_1},
           {"d", "activation of the slow inward current", 0, from_0_to_1},
           {"f", "inactivation of the slow inward current", 0, from_0_to_1},
           {"X", "activation of the time-dependent potassium current", 0, from_0_to_1},
           {"Ca_i", "calcium of the cytoplasm, mM", 0, positive}}};
}

constexpr std::array<CellParameter<LuoRudy1991>, 8> LuoRudy1991::parameter_table() {
  using Cell = LuoRudy1991;
  return {{{"g_Na", "mS/cm2", "fast sodium current", &Cell::g_Na, non_negative},
           {"g_si", "mS/cm2", "slow inward current", &Cell::g_si, non_negative},
           {"g_K", "mS/cm2", "time-dependent potassium current", &Cell::g_K, non_negative},
           {"g_K1", "mS/cm2", "time-independent potassium current", &Cell::g_K1, non_negative},
           {"g_Kp", "mS/cm2", "plateau potassium current", &Cell::g_Kp, non_negative},
           {"g_b", "mS/cm2", "background current", &Cell::g_b, non_negative},
           {"Na_o", "mM", "sodium outside the cell", &Cell::Na_o, positive},
           {"K_o", "mM", "potassium outside the cell", &Cell::K_o, positive}}};
}

constexpr std::array<IonicSet<LuoRudy1991>, 1> LuoRudy1991::parameter_sets() {
  return {
      {{"ventricular", {}, -83.853, {0.00187018, 0.9804713, 0.98767124, 0.00316354, 0.99427859, 0.16647703, 0.0002}}}};
}

}  // namespace cardiowarp
