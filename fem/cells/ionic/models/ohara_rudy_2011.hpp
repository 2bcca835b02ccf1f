#pragma once
#include "fem/cells/ionic/ionic_cell.hpp"
#include "fem/cells/ionic/models/ohara_rudy_membrane.hpp"

namespace cardiowarp {

/// The human ventricular cell of O'Hara, Virág, Varró and Rudy (2011, PLoS Comput. Biol. 7:e1002061, supplement), 40
/// states besides the potential: OharaRudyMembrane and the fast sodium current, the rapid delayed rectifier and the
/// inward rectifier of that paper. Cells begin at the values of the authors' program, from which they take some hundred
/// beats to settle.
struct OharaRudy2011 : OharaRudyMembrane {
  Real g_Na = 75;

  static constexpr const char* name = "ohara_rudy_2011";
  static constexpr int gates = 28, followers = 2, pools = 10;
  enum Gate : int { hf_gate = shared_gate_count, hs_gate, hsp_gate, xrf_gate, xrs_gate, xk1_gate };

  static constexpr std::array<CellState, 40> state_table();
  static constexpr std::array<CellParameter<OharaRudy2011>, 18> parameter_table();
  static constexpr std::array<IonicSet<OharaRudy2011>, 3> parameter_sets();

  friend bool operator==(const OharaRudy2011&, const OharaRudy2011&) = default;

  template <class T>
  CARDIOWARP_HD void gate(const T& V, T* target, T* speed) const {
    using std::exp;
    late_sodium_and_transient_outward_gates(V, target, speed);
    L_type_and_slow_gates(V, target, speed);
    // Fast sodium current.
    target[m_gate] = falling((V + 39.57) * (-1 / 9.871));
    speed[m_gate] = speed[mL_gate] = 6.765 * exp((V + 11.64) * (1 / 34.77)) + 8.552 * exp((V + 77.42) * (-1 / 5.955));
    target[hf_gate] = target[hs_gate] = target[j_gate] = target[jp_gate] = falling((V + 82.9) * (1 / 6.086));
    target[hsp_gate] = falling((V + 89.1) * (1 / 6.086));
    speed[hf_gate] = 1.432e-5 * exp((V + 1.196) * (-1 / 6.285)) + 6.149 * exp((V + 0.5096) * (1 / 20.27));
    speed[hs_gate] = 0.009794 * exp((V + 17.95) * (-1 / 28.05)) + 0.3343 * exp((V + 5.73) * (1 / 56.66));
    speed[hsp_gate] = speed[hs_gate] * (1. / 3);
    speed[j_gate] =
        1 / (2.038 + 1 / (0.02136 * exp((V + 100.6) * (-1 / 8.281)) + 0.3052 * exp((V + 0.9941) * (1 / 38.45))));
    speed[jp_gate] = speed[j_gate] * (1 / 1.46);
    // L-type calcium current.
    target[d_gate] = falling((V + 3.94) * (-1 / 4.23));
    speed[d_gate] = 1 / (0.6 + 1 / (exp((V + 6) * -0.05) + exp((V + 14) * 0.09)));
    target[jca_gate] = target[ff_gate];
    speed[jca_gate] = T(1. / 75);
    // Rapid delayed rectifier.
    target[xrf_gate] = target[xrs_gate] = falling((V + 8.337) * (-1 / 6.789));
    speed[xrf_gate] =
        1 / (12.98 + 1 / (0.3652 * exp((V - 31.66) * (1 / 3.869)) + 4.123e-5 * exp((V - 47.78) * (-1 / 20.38))));
    speed[xrs_gate] =
        1 / (1.865 + 1 / (0.06629 * exp((V - 34.7) * (1 / 7.355)) + 1.128e-5 * exp((V - 29.74) * (-1 / 25.94))));
    // Inward rectifier.
    target[xk1_gate] = falling((V + 2.5538 * K_o + 144.59) * (-1 / (1.5692 * K_o + 3.8115)));
    speed[xk1_gate] = (1 / 122.2) * (exp((V + 127.2) * (-1 / 20.36)) + exp((V + 236.8) * (1 / 69.33)));
  }

  template <class U, class T>
  CARDIOWARP_HD void follower(const U& V, const U* gate_values, const T* pool_values, const U* slow, T* target,
                              T* speed) const {
    const T open = open_L_type(V, gate_values, slow[nca_pool], phosphorylated_share(pool_values, slow));
    const ConstantField<U> divalent(V * (2 / RT_F));
    release((2 * F * P_Ca) * open * divalent.force(pool_values[Ca_ss_pool], 0.341 * Ca_o), pool_values[Ca_jsr_pool],
            target, speed);
  }

  template <class U, class T>
  CARDIOWARP_HD T current(const U& V, const U* gate_values, const T* follower_values, const T* pool_values,
                          const U* slow, T* pool_rate) const {
    using std::exp;
    using std::log;
    const U &Na_i = slow[Na_i_pool], &K_i = slow[K_i_pool];
    const T& Ca_i = pool_values[Ca_i_pool];
    const auto& g = gate_values;
    const T phosphorylated = phosphorylated_share(pool_values, slow);
    const U v = V * (1 / RT_F);
    const U from_E_Na = V - RT_F * log(Na_o / Na_i), from_E_K = V - RT_F * log(K_o / K_i);
    // Fast and late sodium current.
    const U hf = 0.99 * g[hf_gate], h = hf + 0.01 * g[hs_gate], hp = hf + 0.01 * g[hsp_gate];
    const T i_Na = g_Na * cube(g[m_gate]) * from_E_Na * mixed(phosphorylated, h * g[j_gate], hp * g[jp_gate]);
    const T i_NaL = late_sodium(g, phosphorylated) * from_E_Na;
    // L-type channels let calcium, sodium and potassium out of the subspace.
    const ConstantField<U> monovalent(v), divalent(2 * v);
    const T open = (F * P_Ca) * open_L_type(V, g, slow[nca_pool], phosphorylated);
    const T i_CaL = 2 * open * divalent.force(pool_values[Ca_ss_pool], 0.341 * Ca_o);
    const T i_CaNa = 0.00125 * open * monovalent.force(0.75 * slow[Na_ss_pool], 0.75 * Na_o);
    const T i_CaK = 3.574e-4 * open * monovalent.force(0.75 * slow[K_ss_pool], 0.75 * K_o);
    pool_rate[nca_pool] = nca_rate(slow[nca_pool], g[jca_gate], pool_values[Ca_ss_pool], 1000);
    // Background currents, and the calcium pump of the membrane.
    const U i_Kb = g_Kb * falling((V - 14.48) * (-1 / 18.34)) * from_E_K;
    const U i_Nab = (P_Nab * F) * monovalent.force(Na_i, Na_o);
    const T i_Cab = (2 * P_Cab * F) * divalent.force(Ca_i, 0.341 * Ca_o), i_pCa = g_pCa * Ca_i / (0.0005 + Ca_i);
    // Exchanger, four fifths of it in the membrane of the cytoplasm, and pump.
    const U h_Na = exp(0.5224 * v), h_Ca = exp(0.167 * v);
    const T i_NaCa = (0.8 * g_NaCa) * ohara_rudy_exchange(h_Na, h_Ca, Na_i, Ca_i, Na_o, Ca_o);
    const T i_NaCa_ss =
        (0.2 * g_NaCa) * ohara_rudy_exchange(h_Na, h_Ca, slow[Na_ss_pool], pool_values[Ca_ss_pool], Na_o, Ca_o);
    const U i_NaK = P_NaK * ohara_rudy_pump(v, Na_i, K_i, Na_o, K_o);
    const T i_K =
        (transient_outward(V, g, phosphorylated) + (rapid_rectifier(V, g) + inward_rectifier(V, g))) * from_E_K +
        slow_rectifier(V, g, pool_values, slow) + i_Kb;
    return close({i_Na + i_NaL + 3 * i_NaCa + 3 * i_NaK + i_Nab, i_CaNa + 3 * i_NaCa_ss, i_K - 2 * i_NaK, i_CaK,
                  i_pCa + i_Cab - 2 * i_NaCa, i_CaL - 2 * i_NaCa_ss},
                 follower_values, pool_values, slow, phosphorylated, pool_rate);
  }

 private:
  /// Rapid delayed rectifier, without V − E_K.
  template <class T>
  CARDIOWARP_HD T rapid_rectifier(const T& V, const T* g) const {
    const T fast = falling((V + 54.81) * (1 / 38.21));
    return g_Kr * std::sqrt(K_o / 5.4) * (fast * g[xrf_gate] + (1 - fast) * g[xrs_gate]) *
           falling((V + 55) * (1. / 75)) * falling((V - 10) * (1. / 30));
  }

  /// Inward rectifier, without V − E_K.
  template <class T>
  CARDIOWARP_HD T inward_rectifier(const T& V, const T* g) const {
    return g_K1 * std::sqrt(K_o) * g[xk1_gate] * falling((V + 105.8 - 2.6 * K_o) * (1 / 9.493));
  }
};

constexpr std::array<CellState, 40> OharaRudy2011::state_table() {
  std::array<CellState, 40> table{};
  int next = 0;
  for (const CellState& state : ohara_rudy_gates) table[next++] = state;
  table[next++] = {"hf", "fast inactivation of the fast sodium current", 0, from_0_to_1};
  table[next++] = {"hs", "slower inactivation of the fast sodium current", 0, from_0_to_1};
  table[next++] = {"hsp", "hs of phosphorylated channels", 0, from_0_to_1};
  table[next++] = {"xrf", "fast activation of the rapid delayed rectifier", 0, from_0_to_1};
  table[next++] = {"xrs", "slow activation of the rapid delayed rectifier", 0, from_0_to_1};
  table[next++] = {"xk1", "inactivation of the inward rectifier", 0, from_0_to_1};
  for (const CellState& state : ohara_rudy_followers) table[next++] = state;
  for (const CellState& state : ohara_rudy_pools) table[next++] = state;
  return table;
}

constexpr std::array<CellParameter<OharaRudy2011>, 18> OharaRudy2011::parameter_table() {
  using Cell = OharaRudy2011;
  return {{{"g_Na", "mS/uF", "fast sodium current", &Cell::g_Na, non_negative},
           {"g_NaL", "mS/uF", "late sodium current", &Cell::g_NaL, non_negative},
           {"P_Ca", "cm/s", "L-type calcium current", &Cell::P_Ca, non_negative},
           {"g_to", "mS/uF", "transient outward current", &Cell::g_to, non_negative},
           {"g_Kr", "mS/uF", "rapid delayed rectifier", &Cell::g_Kr, non_negative},
           {"g_Ks", "mS/uF", "slow delayed rectifier", &Cell::g_Ks, non_negative},
           {"g_K1", "mS/uF", "inward rectifier", &Cell::g_K1, non_negative},
           {"g_Kb", "mS/uF", "background potassium current", &Cell::g_Kb, non_negative},
           {"P_Nab", "cm/s", "background sodium current", &Cell::P_Nab, non_negative},
           {"P_Cab", "cm/s", "background calcium current", &Cell::P_Cab, non_negative},
           {"g_pCa", "mS/uF", "calcium pump of the membrane", &Cell::g_pCa, non_negative},
           {"P_NaK", "uA ms/uF", "sodium-potassium pump", &Cell::P_NaK, non_negative},
           {"g_NaCa", "uA ms/uF", "sodium-calcium exchanger", &Cell::g_NaCa, non_negative},
           {"J_rel_factor", "", "factor of calcium release from the reticulum", &Cell::J_rel_factor, non_negative},
           {"J_up_factor", "", "factor of calcium uptake into the reticulum", &Cell::J_up_factor, non_negative},
           {"Na_o", "mM", "sodium outside the cell", &Cell::Na_o, positive},
           {"K_o", "mM", "potassium outside the cell", &Cell::K_o, positive},
           {"Ca_o", "mM", "calcium outside the cell", &Cell::Ca_o, positive}}};
}

constexpr std::array<IonicSet<OharaRudy2011>, 3> OharaRudy2011::parameter_sets() {
  OharaRudy2011 endocardial, epicardial, midmyocardial;
  epicardial.g_NaL *= 0.6;
  epicardial.g_to *= 4;
  epicardial.P_Ca *= 1.2;
  epicardial.g_Kr *= 1.3;
  epicardial.g_Ks *= 1.4;
  epicardial.g_K1 *= 1.2;
  epicardial.g_NaCa *= 1.1;
  epicardial.P_NaK *= 0.9;
  epicardial.g_Kb *= 0.6;
  epicardial.J_up_factor = 1.3;
  epicardial.calmodulin *= 1.3;
  epicardial.epicardial_to = 0.95;
  midmyocardial.g_to *= 4;
  midmyocardial.P_Ca *= 2.5;
  midmyocardial.g_Kr *= 0.8;
  midmyocardial.g_K1 *= 1.3;
  midmyocardial.g_NaCa *= 1.4;
  midmyocardial.P_NaK *= 0.7;
  midmyocardial.release_of_kind = 1.7;
  std::array<Real, 40> states{};
  for (const int open : {j_gate + 0, jp_gate + 0, hL_gate + 0, hLp_gate + 0, iF_gate + 0, iS_gate + 0, iFp_gate + 0,
                         iSp_gate + 0, ff_gate + 0, fs_gate + 0, fcaf_gate + 0, fcas_gate + 0, jca_gate + 0,
                         ffp_gate + 0, fcafp_gate + 0, hf_gate + 0, hs_gate + 0, hsp_gate + 0, xk1_gate + 0})
    states[open] = 1;
  // Ca_i Ca_ss Ca_jsr Ca_nsr nca CaMKt Na_i Na_ss K_i K_ss
  constexpr std::array<Real, pools> pool_values{1e-4, 1e-4, 1.2, 1.2, 0, 0, 7, 7, 145, 145};
  for (int i = 0; i < pools; ++i) states[gates + followers + i] = pool_values[i];
  return {{{"endocardial", endocardial, -87, states},
           {"epicardial", epicardial, -87, states},
           {"midmyocardial", midmyocardial, -87, states}}};
}

}  // namespace cardiowarp
