#pragma once
#include "fem/cells/ionic/ionic_cell.hpp"
#include "fem/cells/ionic/models/ten_tusscher_membrane.hpp"

namespace cardiowarp {

/// The human Purkinje cell of Stewart, Aslanidi, Noble, Noble, Boyett and Zhang (2009, Phil. Trans. R. Soc. A
/// 367:2225): TenTusscherMembrane with a hyperpolarization-activated and a sustained potassium current, and with an
/// inward rectifier and a transient outward current of its own; 19 states besides the potential. It has no rest: left
/// alone it beats every 1.22 s. It begins in its steady cycle, between two beats.
struct Stewart2009 : TenTusscherMembrane {
  Real g_K1 = 0.065, g_to = 0.08184, g_sus = 0.0227, g_f_Na = 0.0145654, g_f_K = 0.0234346;

  static constexpr const char* name = "stewart_2009";
  static constexpr int gates = 12, followers = 2, pools = 5, coupled = 3;
  static constexpr int y_gate = 11;

  constexpr Stewart2009() {
    g_Na = 130.5744;
    g_Kr = 0.0918;
    g_Ks = 0.2352;
  }

  static constexpr std::array<CellState, 19> state_table();
  static constexpr std::array<CellParameter<Stewart2009>, 20> parameter_table();
  static constexpr std::array<IonicSet<Stewart2009>, 1> parameter_sets();

  friend bool operator==(const Stewart2009&, const Stewart2009&) = default;

  template <class T>
  CARDIOWARP_HD void gate(const T& V, T* target, T* speed) const {
    using std::exp;
    shared_gates(V, target, speed);
    target[r_gate] = falling((V - 20) * (-1. / 13));
    speed[r_gate] = 1 / (10.45 * bell(V, -40, 1800) + 7.3);
    target[s_gate] = falling((V + 27) * (1. / 13));
    speed[s_gate] = 1 / (85 * bell(V, -25, 320) + 5 * falling((V - 40) * 0.2) + 42);
    target[y_gate] = falling((V + 80.6) * (1 / 6.8));
    speed[y_gate] = (1. / 4000) * (exp(-2.9 - 0.04 * V) + exp(3.6 + 0.11 * V));
  }

  template <class U, class T>
  CARDIOWARP_HD T current(const U& V, const U* gate_values, const T* follower_values, const T* pool_values,
                          const U* slow, T* pool_rate) const {
    const TenTusscherReversals<U> E = reversals(slow);
    const U x = V - E.K;
    TenTusscherCurrents<U, T> currents = shared_currents(V, gate_values, follower_values, pool_values, slow, E);
    // Hyperpolarization-activated current of sodium and potassium.
    const U i_f_Na = g_f_Na * gate_values[y_gate] * (V - E.Na), i_f_K = g_f_K * gate_values[y_gate] * x;
    // Inward rectifier, transient outward and sustained potassium current.
    const U i_K1 = g_K1 * falling(0.1 * (V + 75.44)) * (x - 8);
    const U i_to = g_to * gate_values[r_gate] * gate_values[s_gate] * x;
    const U i_sus = g_sus * falling((V - 5) * (-1. / 17)) * x;
    currents.sodium = currents.sodium + i_f_Na;
    currents.potassium = currents.potassium + i_f_K + i_K1 + i_to + i_sus;
    return close(currents, follower_values, pool_values, pool_rate);
  }
};

constexpr std::array<CellState, 19> Stewart2009::state_table() {
  return {{{"m", "activation of the fast sodium current", 0, from_0_to_1},
           {"h", "fast inactivation of the sodium current", 0, from_0_to_1},
           {"j", "slow inactivation of the sodium current", 0, from_0_to_1},
           {"d", "activation of the L-type calcium current", 0, from_0_to_1},
           {"f", "slow inactivation of the L-type calcium current by the potential", 0, from_0_to_1},
           {"f2", "fast inactivation of the L-type calcium current by the potential", 0, from_0_to_1},
           {"Xr1", "activation of the rapid delayed rectifier", 0, from_0_to_1},
           {"Xr2", "inactivation of the rapid delayed rectifier", 0, from_0_to_1},
           {"Xs", "activation of the slow delayed rectifier", 0, from_0_to_1},
           {"r", "activation of the transient outward current", 0, from_0_to_1},
           {"s", "inactivation of the transient outward current", 0, from_0_to_1},
           {"y", "activation of the hyperpolarization-activated current", 0, from_0_to_1},
           {"fCass", "inactivation of the L-type calcium current by calcium", 0, from_0_to_1},
           {"R_prime", "share of release channels that are not inactivated", 0, from_0_to_1},
           {"Ca_i", "calcium of the cytoplasm, mM", 0, positive},
           {"Ca_SR", "calcium of the sarcoplasmic reticulum, mM", 0, positive},
           {"Ca_ss", "calcium of the subspace, mM", 0, positive},
           {"Na_i", "sodium of the cytoplasm, mM", 0, positive},
           {"K_i", "potassium of the cytoplasm, mM", 0, positive}}};
}

constexpr std::array<CellParameter<Stewart2009>, 20> Stewart2009::parameter_table() {
  using Cell = Stewart2009;
  return {{{"g_Na", "nS/pF", "fast sodium current", &Cell::g_Na, non_negative},
           {"g_CaL", "cm3/(ms uF)", "L-type calcium current", &Cell::g_CaL, non_negative},
           {"g_f_Na", "nS/pF", "hyperpolarization-activated current, sodium", &Cell::g_f_Na, non_negative},
           {"g_f_K", "nS/pF", "hyperpolarization-activated current, potassium", &Cell::g_f_K, non_negative},
           {"g_to", "nS/pF", "transient outward current", &Cell::g_to, non_negative},
           {"g_sus", "nS/pF", "sustained potassium current", &Cell::g_sus, non_negative},
           {"g_Kr", "nS/pF", "rapid delayed rectifier", &Cell::g_Kr, non_negative},
           {"g_Ks", "nS/pF", "slow delayed rectifier", &Cell::g_Ks, non_negative},
           {"g_K1", "nS/pF", "inward rectifier", &Cell::g_K1, non_negative},
           {"g_pK", "nS/pF", "plateau potassium current", &Cell::g_pK, non_negative},
           {"g_bNa", "nS/pF", "background sodium current", &Cell::g_bNa, non_negative},
           {"g_bCa", "nS/pF", "background calcium current", &Cell::g_bCa, non_negative},
           {"g_pCa", "pA/pF", "calcium pump of the membrane", &Cell::g_pCa, non_negative},
           {"P_NaK", "pA/pF", "sodium-potassium pump", &Cell::P_NaK, non_negative},
           {"k_NaCa", "pA/pF", "sodium-calcium exchanger", &Cell::k_NaCa, non_negative},
           {"V_rel", "1/ms", "release of calcium from the reticulum", &Cell::V_rel, non_negative},
           {"Vmax_up", "mM/ms", "uptake of calcium into the reticulum", &Cell::Vmax_up, non_negative},
           {"Na_o", "mM", "sodium outside the cell", &Cell::Na_o, positive},
           {"K_o", "mM", "potassium outside the cell", &Cell::K_o, positive},
           {"Ca_o", "mM", "calcium outside the cell", &Cell::Ca_o, positive}}};
}

constexpr std::array<IonicSet<Stewart2009>, 1> Stewart2009::parameter_sets() {
  // m h j d f f2 Xr1 Xr2 Xs r s y, fCass R', Ca_i Ca_SR Ca_ss Na_i K_i
  return {{{"purkinje",
            {},
            -69.1370441635924,
            {0.0417391656294997, 0.190678733735145, 0.238219836154029, 0.000287906256206415, 0.989328560287987,
             0.995474890442185, 0.00550281999719088, 0.313213286437995, 0.00953708522974789, 0.00103618091196912,
             0.96386101799501, 0.0457562667986602, 0.999955429598213, 0.991580051907845, 0.000101878186157052,
             3.10836886659417, 0.000446818714055411, 8.80420286531673, 136.781894160227}}}};
}

}  // namespace cardiowarp
