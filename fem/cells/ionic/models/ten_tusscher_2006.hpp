#pragma once
#include "fem/cells/ionic/ionic_cell.hpp"
#include "fem/cells/ionic/models/ten_tusscher_membrane.hpp"

namespace cardiowarp {

/// The human ventricular cell of ten Tusscher and Panfilov (2006, Am. J. Physiol. Heart Circ. Physiol. 291:H1088): 18
/// states besides the potential. Most of its equations are those of TenTusscherMembrane; the inward rectifier and the
/// transient outward current, by which the kinds of cell differ, are here (ten Tusscher and others 2004, Am. J.
/// Physiol. Heart Circ. Physiol. 286:H1573). Epicardial cells begin as those of the benchmark of Niederer and others do
/// (2011, Phil. Trans. R. Soc. A 369:4331, table 2), the others as the authors' do.
struct TenTusscher2006 : TenTusscherMembrane {
  Real g_K1 = 5.405, g_to = 0.294;
  /// s closes above −s_half mV; τ_s = s_peak e^(−(V + s_center)² / s_width) + s_plateau / (1 + e^((V − 20) / 5)) +
  /// s_least, in ms.
  Real s_half = 20, s_peak = 85, s_center = 45, s_width = 320, s_plateau = 5, s_least = 3;

  static constexpr const char* name = "ten_tusscher_2006";
  static constexpr int gates = 11, followers = 2, pools = 5, coupled = 3;

  static constexpr std::array<CellState, 18> state_table();
  static constexpr std::array<CellParameter<TenTusscher2006>, 17> parameter_table();
  static constexpr std::array<IonicSet<TenTusscher2006>, 3> parameter_sets();

  friend bool operator==(const TenTusscher2006&, const TenTusscher2006&) = default;

  template <class T>
  CARDIOWARP_HD void gate(const T& V, T* target, T* speed) const {
    shared_gates(V, target, speed);
    target[r_gate] = falling((V - 20) * (-1. / 6));
    speed[r_gate] = 1 / (9.5 * bell(V, -40, 1800) + 0.8);
    target[s_gate] = falling((V + s_half) * 0.2);
    speed[s_gate] = 1 / (s_peak * bell(V, -s_center, s_width) + s_plateau * falling((V - 20) * 0.2) + s_least);
  }

  template <class U, class T>
  CARDIOWARP_HD T current(const U& V, const U* gate_values, const T* follower_values, const T* pool_values,
                          const U* slow, T* pool_rate) const {
    using std::exp;
    const TenTusscherReversals<U> E = reversals(slow);
    const U x = V - E.K;
    TenTusscherCurrents<U, T> currents = shared_currents(V, gate_values, follower_values, pool_values, slow, E);
    // Inward rectifier potassium current.
    const U alpha = 0.1 * falling(0.06 * (x - 200));
    const U beta = (3 * exp(0.0002 * (x + 100)) + exp(0.1 * (x - 10))) * falling(-0.5 * x);
    const U i_K1 = g_K1 * std::sqrt(K_o / 5.4) * alpha / (alpha + beta) * x;
    // Transient outward potassium current.
    const U i_to = g_to * gate_values[r_gate] * gate_values[s_gate] * x;
    currents.potassium = currents.potassium + i_K1 + i_to;
    return close(currents, follower_values, pool_values, pool_rate);
  }
};

constexpr std::array<CellState, 18> TenTusscher2006::state_table() {
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
           {"fCass", "inactivation of the L-type calcium current by calcium", 0, from_0_to_1},
           {"R_prime", "share of release channels that are not inactivated", 0, from_0_to_1},
           {"Ca_i", "calcium of the cytoplasm, mM", 0, positive},
           {"Ca_SR", "calcium of the sarcoplasmic reticulum, mM", 0, positive},
           {"Ca_ss", "calcium of the subspace, mM", 0, positive},
           {"Na_i", "sodium of the cytoplasm, mM", 0, positive},
           {"K_i", "potassium of the cytoplasm, mM", 0, positive}}};
}

constexpr std::array<CellParameter<TenTusscher2006>, 17> TenTusscher2006::parameter_table() {
  using Cell = TenTusscher2006;
  return {{{"g_Na", "nS/pF", "fast sodium current", &Cell::g_Na, non_negative},
           {"g_CaL", "cm3/(ms uF)", "L-type calcium current", &Cell::g_CaL, non_negative},
           {"g_to", "nS/pF", "transient outward current", &Cell::g_to, non_negative},
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

constexpr std::array<IonicSet<TenTusscher2006>, 3> TenTusscher2006::parameter_sets() {
  TenTusscher2006 endocardial, midmyocardial;
  endocardial.g_to = 0.073;
  endocardial.s_half = 28;
  endocardial.s_peak = 1000;
  endocardial.s_center = 67;
  endocardial.s_width = 1000;
  endocardial.s_plateau = 0;
  endocardial.s_least = 8;
  midmyocardial.g_Ks = 0.098;
  // m h j d f f2 Xr1 Xr2 Xs r s, fCass R', Ca_i Ca_SR Ca_ss Na_i K_i
  return {{{"epicardial",
            {},
            -85.23,
            {0.00172, 0.7444, 0.7045, 3.373e-5, 0.7888, 0.9755, 0.00621, 0.4712, 0.0095, 2.42e-8, 0.999998, 0.9953,
             0.9073, 0.000126, 3.64, 0.00036, 8.604, 136.89}},
           {"endocardial",
            endocardial,
            -86.709,
            {0.00155, 0.7573, 0.7225, 3.164e-5, 0.8009, 0.9778, 0.00448, 0.476, 0.0087, 2.235e-8, 0.3212, 0.9953,
             0.9068, 0.00013, 3.715, 0.00036, 10.355, 138.4}},
           {"midmyocardial",
            midmyocardial,
            -85.423,
            {0.00165, 0.749, 0.6788, 3.288e-5, 0.7026, 0.9526, 0.0165, 0.473, 0.0174, 2.347e-8, 0.999998, 0.9942,
             0.8978, 0.000153, 4.272, 0.00042, 10.132, 138.52}}}};
}

}  // namespace cardiowarp
