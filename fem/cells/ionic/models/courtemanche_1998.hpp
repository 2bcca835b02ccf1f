#pragma once
#include "fem/cells/ionic/ionic_cell.hpp"
#include "fem/cells/ionic/models/sodium_gates.hpp"

namespace cardiowarp {

/// The human atrial cell of Courtemanche, Ramirez and Nattel (1998, Am. J. Physiol. Heart Circ. Physiol. 275:H301): 20
/// states besides the potential. The paper's currents in pA are divided by its capacitance of 100 pF. Of the gates of
/// calcium release u and v follow a flux F_n that depends on themselves, so they are pools.
struct Courtemanche1998 {
  Real g_Na = 7.8, g_K1 = 0.09, g_to = 0.1652, g_Kur_factor = 1, g_Kr = 0.029411765, g_Ks = 0.12941176;
  Real g_CaL = 0.12375, g_bNa = 0.0006744375, g_bCa = 0.001131;
  Real i_NaK_max = 0.59933874, i_NaCa_max = 1600, i_pCa_max = 0.275, k_rel = 30, i_up_max = 0.005;
  Real Na_o = 140, K_o = 5.4, Ca_o = 1.8;

  static constexpr const char* name = "courtemanche_1998";
  static constexpr int gates = 12, followers = 1, pools = 7, coupled = 4;
  enum Gate : int {
    m_gate,
    h_gate,
    j_gate,
    oa_gate,
    oi_gate,
    ua_gate,
    ui_gate,
    xr_gate,
    xs_gate,
    d_gate,
    f_gate,
    w_gate
  };
  enum Pool : int { u_pool, v_pool, Ca_i_pool, Ca_rel_pool, Ca_up_pool, Na_i_pool, K_i_pool };

  static constexpr Real F = 96.4867, RT_F = 8.3143 * 310 / F;  // C/mmol, mV
  static constexpr Real C_m = 100;                             // pF
  /// Volumes of cytoplasm, release compartment and uptake compartment, µm³.
  static constexpr Real V_i = 0.68 * 20100, V_rel = 0.0048 * 20100, V_up = 0.0552 * 20100;

  static constexpr std::array<CellState, 20> state_table();
  static constexpr std::array<CellParameter<Courtemanche1998>, 17> parameter_table();
  static constexpr std::array<IonicSet<Courtemanche1998>, 1> parameter_sets();

  template <class T>
  CARDIOWARP_HD static T decay(int /*pool*/, const T* /*gates*/) {
    return 0;
  }

  friend bool operator==(const Courtemanche1998&, const Courtemanche1998&) = default;

  template <class T>
  CARDIOWARP_HD void gate(const T& V, T* target, T* speed) const {
    using std::exp;
    const OpeningAndClosing<T> m{3.2 * x_over_exp_minus_1(-0.1 * (V + 47.13)), 0.08 * exp(V * (-1. / 11))};
    const OpeningAndClosing<T> h = luo_rudy_h(V), j = luo_rudy_j(V);
    target[m_gate] = m.target();
    speed[m_gate] = m.speed();
    target[h_gate] = h.target();
    speed[h_gate] = h.speed();
    target[j_gate] = j.target();
    speed[j_gate] = j.speed();

    // Transient outward and ultrarapid current, with a Q10 of 3.
    const T activation =
        0.65 / (exp((V + 10) * (-1 / 8.5)) + exp((V - 30) * (-1. / 59))) + 0.65 / (2.5 + exp((V + 82) * (1. / 17)));
    target[oa_gate] = falling((V + 20.47) * (-1 / 17.54));
    speed[oa_gate] = speed[ua_gate] = 3 * activation;
    target[oi_gate] = falling((V + 43.1) * (1 / 5.3));
    speed[oi_gate] = 3 * (1 / (18.53 + exp((V + 113.7) * (1 / 10.95))) + 1 / (35.56 + exp((V + 1.26) * (-1 / 7.44))));
    target[ua_gate] = falling((V + 30.3) * (-1 / 9.6));
    target[ui_gate] = falling((V - 99.45) * (1 / 27.48));
    speed[ui_gate] = 3 * (1 / (21 + exp((V - 185) * (-1. / 28))) + exp((V - 158) * (1. / 16)));

    // Delayed rectifiers: rates of the form k (V − V') / (1 − e^(−(V − V') / s)).
    target[xr_gate] = falling((V + 14.1) * (-1 / 6.5));
    speed[xr_gate] = 0.0003 * 5 * x_over_exp_minus_1((V + 14.1) * -0.2) +
                     7.3898e-5 * 5.1237 * x_over_exp_minus_1((V - 3.3328) * (1 / 5.1237));
    using std::sqrt;
    target[xs_gate] = sqrt(falling((V - 19.9) * (-1 / 12.7)));
    speed[xs_gate] = 2 * (4e-5 * 17 * x_over_exp_minus_1((V - 19.9) * (-1. / 17)) +
                          3.5e-5 * 9 * x_over_exp_minus_1((V - 19.9) * (1. / 9)));

    // L-type calcium current: τ_d = (1 − e^y) / (−0.035 · 6.24 y (1 + e^y)) with y = −(V + 10) / 6.24.
    const T y = (V + 10) * (-1 / 6.24);
    target[d_gate] = falling((V + 10) * -0.125);
    speed[d_gate] = 0.035 * 6.24 * (1 + exp(y)) * x_over_exp_minus_1(y);
    target[f_gate] = falling((V + 28) * (1 / 6.9));
    speed[f_gate] = (0.0197 * exp(square(0.0337 * (V + 10)) * -1) + 0.02) * (1. / 9);

    // Release of calcium: τ_w = 6 (1 − e^z) / ((1 + 0.3 e^z)(V − 7.9)) with z = −(V − 7.9) / 5.
    const T z = (V - 7.9) * -0.2;
    target[w_gate] = falling((V - 40) * (1. / 17));
    speed[w_gate] = (5. / 6) * (1 + 0.3 * exp(z)) * x_over_exp_minus_1(z);
  }

  /// f_Ca closes L-type channels with calcium.
  template <class U, class T>
  CARDIOWARP_HD void follower(const U& /*V*/, const U* /*gates*/, const T* pool_values, const U* /*slow*/, T* target,
                              T* speed) const {
    target[0] = 1 / (1 + pool_values[Ca_i_pool] * (1 / 0.00035));
    speed[0] = T(0.5);
  }

  template <class U, class T>
  CARDIOWARP_HD T current(const U& V, const U* gate_values, const T* f_Ca, const T* pool_values, const U* slow,
                          T* pool_rate) const {
    using std::log;
    const U &Na_i = slow[Na_i_pool], &K_i = slow[K_i_pool];
    const T& Ca_i = pool_values[Ca_i_pool];
    const auto& g = gate_values;
    // Fast sodium and background sodium current.
    const U from_E_Na = V - RT_F * log(Na_o / Na_i), from_E_K = V - RT_F * log(K_o / K_i);
    const U i_Na = g_Na * cube(g[m_gate]) * g[h_gate] * g[j_gate] * from_E_Na;
    const U i_bNa = g_bNa * from_E_Na;
    // Potassium: inward rectifier; transient outward; ultrarapid, rapid and slow delayed rectifier.
    const U i_K1 = g_K1 * falling(0.07 * (V + 80)) * from_E_K;
    const U i_to = g_to * cube(g[oa_gate]) * g[oi_gate] * from_E_K;
    const U i_Kur =
        g_Kur_factor * (0.005 + 0.05 * falling((V - 15) * (-1. / 13))) * cube(g[ua_gate]) * g[ui_gate] * from_E_K;
    const U i_Kr = g_Kr * g[xr_gate] * falling((V + 15) * (1 / 22.4)) * from_E_K;
    const U i_Ks = g_Ks * square(g[xs_gate]) * from_E_K;
    // L-type and background calcium current, and the calcium pump of the membrane.
    const T i_CaL = g_CaL * g[d_gate] * g[f_gate] * (V - 65) * *f_Ca;
    const T i_bCa = g_bCa * (V - 0.5 * RT_F * log(Ca_o / Ca_i));
    const T i_pCa = i_pCa_max * Ca_i / (0.0005 + Ca_i);
    const U i_NaK = sodium_potassium_pump(V, Na_i);
    const T i_NaCa = exchanger(V, Na_i, Ca_i);

    const T sodium = 3 * i_NaCa + (i_Na + i_bNa + 3 * i_NaK);
    const U potassium = i_K1 + i_to + i_Kur + i_Kr + i_Ks - 2 * i_NaK;
    const T calcium = i_CaL + i_bCa + i_pCa - 2 * i_NaCa;
    pool_rate[Na_i_pool] = sodium * (-C_m / (V_i * F));
    pool_rate[K_i_pool] = T(potassium * (-C_m / (V_i * F)));
    calcium_stores(pool_values, slow[Ca_up_pool], g[w_gate], calcium, (C_m / (2 * F)) * (0.5 * i_CaL - 0.2 * i_NaCa),
                   pool_rate);
    return sodium + calcium + potassium;
  }

 private:
  /// Sodium–potassium pump.
  template <class U>
  CARDIOWARP_HD U sodium_potassium_pump(const U& V, const U& Na_i) const {
    using std::exp;
    using std::sqrt;
    const Real sigma = (exp(Na_o / 67.3) - 1) / 7;
    const U ratio = 10 / Na_i;
    return (i_NaK_max * K_o / (K_o + 1.5)) /
           ((1 + 0.1245 * exp(V * (-0.1 / RT_F)) + 0.0365 * sigma * exp(V * (-1 / RT_F))) * (1 + ratio * sqrt(ratio)));
  }

  /// Sodium–calcium exchanger, γ = 0.35.
  template <class U, class T>
  CARDIOWARP_HD T exchanger(const U& V, const U& Na_i, const T& Ca_i) const {
    using std::exp;
    const U inward = exp(V * (-0.65 / RT_F));
    const Real scale = i_NaCa_max / ((87.5 * 87.5 * 87.5 + cube(Na_o)) * (1.38 + Ca_o));
    const U per_charge = scale / (1 + 0.1 * inward);
    return per_charge * exp(V * (0.35 / RT_F)) * cube(Na_i) * Ca_o - per_charge * inward * cube(Na_o) * Ca_i;
  }

  /// 1 / (1 + e^x) for an x of hundreds, where e^x has no derivative in double precision.
  template <class T>
  CARDIOWARP_HD static T steeply_falling(const T& x) {
    using std::exp;
    if (x <= 0) return falling(x);
    const T inverse = exp(-x);
    return inverse / (1 + inverse);
  }

  /// The rates of u, v and of the calcium in cytoplasm, uptake and release compartment. `calcium` is the current of
  /// calcium through the membrane in mV/ms, `trigger` the part of F_n in µm³ mM/ms that currents through it have.
  template <class U, class T>
  CARDIOWARP_HD void calcium_stores(const T* pool_values, const U& Ca_up, const U& w, const T& calcium,
                                    const T& trigger, T* pool_rate) const {
    const T &u = pool_values[u_pool], &v = pool_values[v_pool], &Ca_i = pool_values[Ca_i_pool],
            &Ca_rel = pool_values[Ca_rel_pool];
    // Release, transfer between the compartments of the reticulum, uptake and leak.
    const T i_rel = k_rel * square(u) * v * w * (Ca_rel - Ca_i);
    const T i_tr = (Ca_up - Ca_rel) * (1. / 180);
    const T i_up = i_up_max / (1 + 0.00092 / Ca_i);
    const U i_leak = i_up_max * Ca_up * (1. / 15);
    // F_n in units of 13.67e-16, the width of the steps at 3.4175e-13 and 6.835e-14.
    const T flux = (V_rel * i_rel - trigger) * (1e-12 / 13.67e-16);
    const T u_target = steeply_falling(250 - flux);
    pool_rate[u_pool] = (u_target - u) * 0.125;
    pool_rate[v_pool] = (steeply_falling(flux - 50) - v) / (1.91 + 2.09 * u_target);
    pool_rate[Ca_up_pool] = i_up - i_leak - i_tr * (V_rel / V_up);
    pool_rate[Ca_rel_pool] = (i_tr - i_rel) * free_share(Ca_rel, 10 * 0.8, 0.8);
    // Troponin and calmodulin.
    const T buffers = 1 + 0.07 * 0.0005 / square(Ca_i + 0.0005) + 0.05 * 0.00238 / square(Ca_i + 0.00238);
    pool_rate[Ca_i_pool] =
        (calcium * (-C_m / (2 * V_i * F)) + (i_leak - i_up) * (V_up / V_i) + i_rel * (V_rel / V_i)) / buffers;
  }
};

constexpr std::array<CellState, 20> Courtemanche1998::state_table() {
  return {{{"m", "activation of the fast sodium current", 0, from_0_to_1},
           {"h", "fast inactivation of the sodium current", 0, from_0_to_1},
           {"j", "slow inactivation of the sodium current", 0, from_0_to_1},
           {"oa", "activation of the transient outward current", 0, from_0_to_1},
           {"oi", "inactivation of the transient outward current", 0, from_0_to_1},
           {"ua", "activation of the ultrarapid delayed rectifier", 0, from_0_to_1},
           {"ui", "inactivation of the ultrarapid delayed rectifier", 0, from_0_to_1},
           {"xr", "activation of the rapid delayed rectifier", 0, from_0_to_1},
           {"xs", "activation of the slow delayed rectifier", 0, from_0_to_1},
           {"d", "activation of the L-type calcium current", 0, from_0_to_1},
           {"f", "inactivation of the L-type calcium current by the potential", 0, from_0_to_1},
           {"w", "inactivation of calcium release by the potential", 0, from_0_to_1},
           {"f_Ca", "inactivation of the L-type calcium current by calcium", 0, from_0_to_1},
           {"u", "activation of calcium release by the flux of calcium", 0, from_0_to_1},
           {"v", "inactivation of calcium release by the flux of calcium", 0, from_0_to_1},
           {"Ca_i", "calcium of the cytoplasm, mM", 0, positive},
           {"Ca_rel", "calcium of the release compartment, mM", 0, positive},
           {"Ca_up", "calcium of the uptake compartment, mM", 0, positive},
           {"Na_i", "sodium of the cytoplasm, mM", 0, positive},
           {"K_i", "potassium of the cytoplasm, mM", 0, positive}}};
}

constexpr std::array<CellParameter<Courtemanche1998>, 17> Courtemanche1998::parameter_table() {
  using Cell = Courtemanche1998;
  return {{{"g_Na", "nS/pF", "fast sodium current", &Cell::g_Na, non_negative},
           {"g_CaL", "nS/pF", "L-type calcium current", &Cell::g_CaL, non_negative},
           {"g_to", "nS/pF", "transient outward current", &Cell::g_to, non_negative},
           {"g_Kur_factor", "", "factor of the ultrarapid delayed rectifier", &Cell::g_Kur_factor, non_negative},
           {"g_Kr", "nS/pF", "rapid delayed rectifier", &Cell::g_Kr, non_negative},
           {"g_Ks", "nS/pF", "slow delayed rectifier", &Cell::g_Ks, non_negative},
           {"g_K1", "nS/pF", "inward rectifier", &Cell::g_K1, non_negative},
           {"g_bNa", "nS/pF", "background sodium current", &Cell::g_bNa, non_negative},
           {"g_bCa", "nS/pF", "background calcium current", &Cell::g_bCa, non_negative},
           {"i_pCa_max", "pA/pF", "calcium pump of the membrane", &Cell::i_pCa_max, non_negative},
           {"i_NaK_max", "pA/pF", "sodium-potassium pump", &Cell::i_NaK_max, non_negative},
           {"i_NaCa_max", "pA/pF", "sodium-calcium exchanger", &Cell::i_NaCa_max, non_negative},
           {"k_rel", "1/ms", "release of calcium from the reticulum", &Cell::k_rel, non_negative},
           {"i_up_max", "mM/ms", "uptake of calcium into the reticulum", &Cell::i_up_max, non_negative},
           {"Na_o", "mM", "sodium outside the cell", &Cell::Na_o, positive},
           {"K_o", "mM", "potassium outside the cell", &Cell::K_o, positive},
           {"Ca_o", "mM", "calcium outside the cell", &Cell::Ca_o, positive}}};
}

constexpr std::array<IonicSet<Courtemanche1998>, 1> Courtemanche1998::parameter_sets() {
  // m h j oa oi ua ui xr xs d f w, f_Ca, u v Ca_i Ca_rel Ca_up Na_i K_i
  return {{{"atrial", {}, -81.18, {2.908e-3, 0.9649,   0.9775,   3.043e-2, 0.9992, 4.966e-3, 0.9986,
                                   3.296e-5, 1.869e-2, 1.367e-4, 0.9996,   0.9992, 0.7755,   2.35e-112,
                                   1,        1.013e-4, 1.488,    1.488,    11.17,  139}}}};
}

}  // namespace cardiowarp
