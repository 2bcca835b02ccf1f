#pragma once
#include "fem/cells/ionic/ionic_cell.hpp"
#include "fem/cells/ionic/models/ohara_rudy_membrane.hpp"
#include "fem/cells/ionic/models/sodium_gates.hpp"

namespace cardiowarp {

/// The human ventricular cell ToR-ORd with dynamic chloride (Tomek, Bueno-Orovio, Rodriguez 2020, bioRxiv
/// 2020.06.01.127043), which comes from ToR-ORd (Tomek and others 2019, eLife 8:e48890): 44 states besides the
/// potential. Beside OharaRudyMembrane it has the fast sodium current of Grandi and others 2010, L-type channels in
/// both compartments with activities after Davies, a Markov chain for the rapid delayed rectifier (Lu and others 2001)
/// and chloride currents. Cells begin in the authors' steady state at 1 Hz.
struct TorordDyncl2020 : OharaRudyMembrane {
  Real g_Na = 11.7802, g_ClCa = 0.2843, g_Clb = 1.98e-3, Cl_o = 150;

  static constexpr const char* name = "torord_dyncl_2020";
  static constexpr int gates = 24, followers = 2, pools = 13, chain = 5;
  enum Gate : int { h_gate = shared_gate_count, hp_gate };
  enum Pool : int { nca_i_pool = shared_pool_count, Cl_i_pool, Cl_ss_pool };
  /// The rapid delayed rectifier: closed, open and inactivated.
  enum Chain : int { C3_state, C2_state, C1_state, O_state, I_state };

  template <class T>
  CARDIOWARP_HD static T decay(int pool, const T* gate_values) {
    if (pool == nca_i_pool) return gate_values[jca_gate];
    return pool == Cl_ss_pool ? T(0.5) : OharaRudyMembrane::decay(pool, gate_values);
  }

  constexpr TorordDyncl2020() {
    g_NaL = 0.0279;
    g_to = 0.16;
    P_Ca = 8.3757e-5;
    g_Kr = 0.0321;
    g_Ks = 0.0011;
    g_K1 = 0.6992;
    g_NaCa = 0.0034;
    P_NaK = 15.4509;
    g_Kb = 0.0189;
    P_Nab = 1.9239e-9;
    P_Cab = 5.9194e-8;
    J_rel_factor = 1.5378;
    K_o = 5;
    release_half = 1.7;
    uptake = 0.005425;
    leak = 0.0048825;
    transfer_ms = 60;
  }

  static constexpr std::array<CellState, 44> state_table();
  static constexpr std::array<CellParameter<TorordDyncl2020>, 21> parameter_table();
  static constexpr std::array<IonicSet<TorordDyncl2020>, 3> parameter_sets();

  friend bool operator==(const TorordDyncl2020&, const TorordDyncl2020&) = default;

  template <class T>
  CARDIOWARP_HD void gate(const T& V, T* target, T* speed) const {
    using std::exp;
    late_sodium_and_transient_outward_gates(V, target, speed);
    L_type_and_slow_gates(V, target, speed);
    // Fast sodium current.
    target[m_gate] = square(falling((V + 56.86) * (-1 / 9.03)));
    speed[m_gate] = speed[mL_gate] =
        1 / (0.1292 * bell(V, -45.79, 15.54 * 15.54) + 0.06487 * bell(V, 4.823, 51.12 * 51.12));
    target[h_gate] = target[j_gate] = target[jp_gate] = ten_tusscher_h_target(V, 71.55);
    target[hp_gate] = ten_tusscher_h_target(V, 77.55);
    speed[h_gate] = speed[hp_gate] = ten_tusscher_h_speed(V);
    speed[j_gate] = ten_tusscher_j_speed(V);
    speed[jp_gate] = speed[j_gate] * (1 / 1.46);
    // L-type channels.
    target[d_gate] = V >= 31.4978 ? T(1) : 1.0763 * exp(-1.0070 * exp(-0.0829 * V));
    speed[d_gate] = 1 / (0.6 + 1 / (exp((V + 6) * -0.05) + exp((V + 14) * 0.09)));
    target[jca_gate] = falling((V + 18.08) * (1 / 2.7916));
    speed[jca_gate] = T(1 / 72.5);
  }

  template <class U, class T>
  CARDIOWARP_HD void follower(const U& V, const U* gate_values, const T* pool_values, const U* slow, T* target,
                              T* speed) const {
    const T open = open_L_type(V, gate_values, slow[nca_pool], phosphorylated_share(pool_values, slow));
    const T activity = activity_in_subspace(pool_values, slow);
    const ConstantField<U> divalent(V * (2 / RT_F));
    release(
        (1.6 * F * P_Ca) * open *
            divalent.force(fourth_power(activity) * pool_values[Ca_ss_pool], fourth_power(activity_outside()) * Ca_o),
        pool_values[Ca_jsr_pool], target, speed);
  }

  template <class U, class T>
  CARDIOWARP_HD T current(const U& V, const U* gate_values, const T* follower_values, const T* pool_values,
                          const U* slow, T* pool_rate) const {
    using std::exp;
    using std::log;
    const U &Na_i = slow[Na_i_pool], &K_i = slow[K_i_pool];
    const T &Ca_i = pool_values[Ca_i_pool], &Ca_ss = pool_values[Ca_ss_pool];
    const auto& g = gate_values;
    const T phosphorylated = phosphorylated_share(pool_values, slow);
    const U v = V * (1 / RT_F);
    const U from_E_Na = V - RT_F * log(Na_o / Na_i), from_E_K = V - RT_F * log(K_o / K_i);
    OharaRudyCurrents<T> I;
    // L-type channels, four fifths of them in the subspace, let calcium, sodium and potassium through.
    const T activity_i = activity_coefficient(0.0005 * (4 * Ca_i + (Na_i + K_i + slow[Cl_i_pool])));
    const T activity_ss = activity_in_subspace(pool_values, slow);
    const Real outside = activity_outside(), Ca_outside = fourth_power(outside) * Ca_o;
    const ConstantField<U> monovalent(v), divalent(2 * v);
    const T open_i = (0.2 * F * P_Ca) * open_L_type(V, g, slow[nca_i_pool], phosphorylated);
    const T open_ss = (0.8 * F * P_Ca) * open_L_type(V, g, slow[nca_pool], phosphorylated);
    const T force_i = divalent.force(fourth_power(activity_i) * Ca_i, Ca_outside);
    I.Ca_i = 2 * open_i * force_i;
    I.Ca_ss = 2 * open_ss * divalent.force(fourth_power(activity_ss) * Ca_ss, Ca_outside);
    I.Na_i = 0.00125 * open_i * monovalent.force(activity_i * Na_i, outside * Na_o);
    I.Na_ss = 0.00125 * open_ss * monovalent.force(activity_ss * slow[Na_ss_pool], outside * Na_o);
    I.K_i = 3.574e-4 * open_i * monovalent.force(activity_i * K_i, outside * K_o);
    I.K_ss = 3.574e-4 * open_ss * monovalent.force(activity_ss * slow[K_ss_pool], outside * K_o);
    pool_rate[nca_pool] = nca_rate(slow[nca_pool], g[jca_gate], Ca_ss, 500);
    pool_rate[nca_i_pool] = nca_rate(slow[nca_i_pool], g[jca_gate], Ca_i, 500);
    // Fast and late sodium current, background currents, calcium pump of the membrane.
    const T i_Na =
        g_Na * cube(g[m_gate]) * from_E_Na * mixed(phosphorylated, g[h_gate] * g[j_gate], g[hp_gate] * g[jp_gate]);
    const U i_Nab = (P_Nab * F) * monovalent.force(Na_i, Na_o);
    const U i_Kb = g_Kb * falling((V - 10.8968) * (-1 / 23.9871)) * from_E_K;
    I.Na_i = I.Na_i + i_Na + late_sodium(g, phosphorylated) * from_E_Na + i_Nab;
    I.Ca_i = I.Ca_i + (2 * F * P_Cab) * force_i + g_pCa * Ca_i / (0.0005 + Ca_i);
    // Exchanger, 35 % of it in the subspace, and pump.
    const U h_Na = exp(0.5224 * v), h_Ca = exp(0.167 * v);
    const T i_NaCa = (0.65 * g_NaCa) * ohara_rudy_exchange(h_Na, h_Ca, Na_i, Ca_i, Na_o, Ca_o);
    const T i_NaCa_ss = (0.35 * g_NaCa) * ohara_rudy_exchange(h_Na, h_Ca, slow[Na_ss_pool], Ca_ss, Na_o, Ca_o);
    const U i_NaK = P_NaK * ohara_rudy_pump(v, Na_i, K_i, Na_o, K_o);
    I.Na_i = I.Na_i + 3 * i_NaCa + 3 * i_NaK;
    I.Na_ss = I.Na_ss + 3 * i_NaCa_ss;
    I.Ca_i = I.Ca_i - 2 * i_NaCa;
    I.Ca_ss = I.Ca_ss - 2 * i_NaCa_ss;
    // Potassium: transient outward, rapid and slow delayed rectifier, inward rectifier, background.
    const U i_Kr = g_Kr * std::sqrt(K_o / 5) * slow[pools + O_state] * from_E_K;
    I.K_i = I.K_i + transient_outward(V, g, phosphorylated) * from_E_K + i_Kr +
            slow_rectifier(V, g, pool_values, slow) + inward_rectifier(from_E_K) + i_Kb - 2 * i_NaK;
    return close(I, follower_values, pool_values, slow, phosphorylated, pool_rate) +
           chloride(V, pool_values, slow, pool_rate);
  }

  /// The chain C3 ⇌ C2 ⇌ C1 ⇌ O ⇌ I, with C1 ⇌ I besides.
  template <class U, class T>
  CARDIOWARP_HD void chain_rate(const U& V, const T* chain_values, T* rate) const {
    using std::exp;
    const U v = V * (1 / RT_F);
    const T &C3 = chain_values[C3_state], &C2 = chain_values[C2_state], &C1 = chain_values[C1_state],
            &O = chain_values[O_state], &I = chain_values[I_state];
    const U alpha = 0.1161 * exp(0.299 * v), beta = 0.2442 * exp(-1.604 * v);
    constexpr Real alpha_1 = 0.154375, beta_1 = 0.1911;
    const U alpha_2 = 0.0578 * exp(0.971 * v), beta_2 = 0.349e-3 * exp(-1.062 * v);
    const U alpha_i = 0.2533 * exp(0.5953 * v), beta_i = 0.06525 * exp(-0.8209 * v);
    const U to_I = 0.52e-4 * exp(1.525 * v), from_I = beta_2 * beta_i * to_I / (alpha_2 * alpha_i);
    rate[C3_state] = beta * C2 - alpha * C3;
    rate[C2_state] = alpha * C3 + beta_1 * C1 - (beta + alpha_1) * C2;
    rate[C1_state] = alpha_1 * C2 + beta_2 * O + from_I * I - (beta_1 + alpha_2 + to_I) * C1;
    rate[O_state] = alpha_2 * C1 + beta_i * I - (beta_2 + alpha_i) * O;
    rate[I_state] = to_I * C1 + alpha_i * O - (from_I + beta_i) * I;
  }

 private:
  /// The activity coefficient of a monovalent ion by the equation of Davies, from the ionic strength in mol/l; that of
  /// a divalent ion is its fourth power.
  template <class T>
  CARDIOWARP_HD static T activity_coefficient(const T& strength) {
    using std::exp;
    using std::sqrt;
    constexpr Real A = 0.5238190247282047;  // 1.82e6 (74 · 310)^(−3/2), for water at 310 K
    const T root = sqrt(strength);
    return exp(-A * (root / (1 + root) - 0.3 * strength));
  }
  template <class U, class T>
  CARDIOWARP_HD static T activity_in_subspace(const T* pool_values, const U* slow) {
    return activity_coefficient(
        0.0005 * (4 * pool_values[Ca_ss_pool] + (slow[Na_ss_pool] + slow[K_ss_pool] + slow[Cl_ss_pool])));
  }
  CARDIOWARP_HD Real activity_outside() const { return activity_coefficient(0.0005 * (Na_o + K_o + Cl_o + 4 * Ca_o)); }
  template <class T>
  CARDIOWARP_HD static T fourth_power(const T& x) {
    return square(square(x));
  }

  /// Inward rectifier of Tomek and others 2019, from x = V − E_K.
  template <class T>
  CARDIOWARP_HD T inward_rectifier(const T& x) const {
    using std::exp;
    const T alpha = 4.094 * falling(0.1217 * (x - 49.934));
    const T beta = (15.72 * exp(0.0674 * (x - 3.257)) + exp(0.0618 * (x - 594.31))) * falling(-0.1629 * (x + 14.207));
    return g_K1 * std::sqrt(K_o / 5) * alpha / (alpha + beta) * x;
  }

  /// Chloride current that calcium of the subspace opens, and background chloride current; sets the rates of chloride.
  template <class U, class T>
  CARDIOWARP_HD T chloride(const U& V, const T* pool_values, const U* slow, T* rate) const {
    using std::log;
    const U &Cl_i = slow[Cl_i_pool], &Cl_ss = slow[Cl_ss_pool];
    const T i_ClCa = g_ClCa / (1 + 0.1 / pool_values[Ca_ss_pool]) * (V - RT_F * log(Cl_ss / Cl_o));
    const U i_Clb = g_Clb * (V - RT_F * log(Cl_i / Cl_o)), J = (Cl_ss - Cl_i) * 0.5;
    rate[Cl_i_pool] = T(i_Clb * (A_cap / (F * v_myo)) + J * (v_ss / v_myo));
    rate[Cl_ss_pool] = i_ClCa * (A_cap / (F * v_ss)) - J;
    return i_ClCa + i_Clb;
  }
};

constexpr std::array<CellState, 44> TorordDyncl2020::state_table() {
  std::array<CellState, 44> table{};
  int next = 0;
  for (const CellState& state : ohara_rudy_gates) table[next++] = state;
  table[next++] = {"h", "fast inactivation of the fast sodium current", 0, from_0_to_1};
  table[next++] = {"hp", "h of phosphorylated channels", 0, from_0_to_1};
  for (const CellState& state : ohara_rudy_followers) table[next++] = state;
  for (const CellState& state : ohara_rudy_pools) table[next++] = state;
  table[next++] = {"nca_i", "share of L-type channels of the cytoplasm that calcium closes", 0, from_0_to_1};
  table[next++] = {"Cl_i", "chloride of the cytoplasm, mM", 0, positive};
  table[next++] = {"Cl_ss", "chloride of the subspace, mM", 0, positive};
  table[next++] = {"C3", "share of rapid rectifier channels that are closed, farthest from open", 0, from_0_to_1};
  table[next++] = {"C2", "share of rapid rectifier channels between C3 and C1", 0, from_0_to_1};
  table[next++] = {"C1", "share of rapid rectifier channels that are closed, next to open", 0, from_0_to_1};
  table[next++] = {"O", "share of rapid rectifier channels that are open", 0, from_0_to_1};
  table[next++] = {"I", "share of rapid rectifier channels that are inactivated", 0, from_0_to_1};
  return table;
}

constexpr std::array<CellParameter<TorordDyncl2020>, 21> TorordDyncl2020::parameter_table() {
  using Cell = TorordDyncl2020;
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
           {"g_ClCa", "mS/uF", "chloride current that calcium opens", &Cell::g_ClCa, non_negative},
           {"g_Clb", "mS/uF", "background chloride current", &Cell::g_Clb, non_negative},
           {"P_NaK", "uA ms/uF", "sodium-potassium pump", &Cell::P_NaK, non_negative},
           {"g_NaCa", "uA ms/uF", "sodium-calcium exchanger", &Cell::g_NaCa, non_negative},
           {"J_rel_factor", "", "factor of calcium release from the reticulum", &Cell::J_rel_factor, non_negative},
           {"J_up_factor", "", "factor of calcium uptake into the reticulum", &Cell::J_up_factor, non_negative},
           {"Na_o", "mM", "sodium outside the cell", &Cell::Na_o, positive},
           {"K_o", "mM", "potassium outside the cell", &Cell::K_o, positive},
           {"Ca_o", "mM", "calcium outside the cell", &Cell::Ca_o, positive},
           {"Cl_o", "mM", "chloride outside the cell", &Cell::Cl_o, positive}}};
}

/// Steady states of the three kinds of cell at 1 Hz: gates and followers in the order of the table; Ca_i Ca_ss Ca_jsr
/// Ca_nsr nca CaMKt Na_i Na_ss K_i K_ss nca_i Cl_i Cl_ss; C3 C2 C1 O I.
// clang-format off
inline constexpr std::array<Real, 44> torord_endocardial = {
    0.0006517153615, 0.8471656685, 0.8469014389, 0.0001351202612, 0.5566016505, 0.3115490707, 0.0008899259019,
    0.9996715765, 0.5988908494, 0.00045341652, 0.9996715836, 0.6620691979, 0, 0.9999999943, 0.9401790721,
    0.9999999943, 0.9999013767, 0.9999846196, 0.9999999943, 0.9999999943, 0.2439590161, 0.0001586166946,
    0.8473266934, 0.7018454277, 0, 0, 7.453480936e-05, 6.497340593e-05, 1.525692534, 1.528000591,
    0.000489937845, 0.01095025642, 12.39735647, 12.39769533, 147.7114744, 147.7114334, 0.0008326009257,
    29.20697939, 29.20695574, 0.9982511348, 0.0007936020463, 0.0006532143385, 0.0002922448951, 9.804082931e-06};
inline constexpr std::array<Real, 44> torord_epicardial = {
    0.0005253231422, 0.864457115, 0.8643527157, 0.0001117969462, 0.5916536009, 0.3476812368, 0.0008320407879,
    0.9997242376, 0.9997234903, 0.0004239120549, 0.9997242378, 0.9997240548, 0, 0.9999999957, 0.9510602138,
    0.9999999957, 0.9999376924, 0.9999886202, 0.9999999957, 0.9999999957, 0.2233584486, 0.0001418247438,
    0.8645148045, 0.7313656139, 0, 0, 6.621815693e-05, 5.749921012e-05, 1.805047038, 1.806793541,
    0.0003049522926, 0.01273541366, 13.40061971, 13.40093664, 152.36389, 152.3638443, 0.0005272668363,
    34.3172099, 34.31718796, 0.9984733408, 0.0007393045207, 0.0006029078768, 0.0001787783294, 5.678254818e-06};
inline constexpr std::array<Real, 44> torord_midmyocardial = {
    0.0004619565348, 0.8737841497, 0.8735375075, 9.987708749e-05, 0.5986117595, 0.3339899145, 0.0007994041883,
    0.9997514186, 0.5702537819, 0.0004072776812, 0.999751424, 0.6351926598, 0, 0.9999999963, 0.9183586951,
    0.9999999963, 0.9997540432, 0.9999742891, 0.9999999962, 0.9999999963, 0.2642292989, 0.000132734771,
    0.8739076576, 0.7478972415, 0, 0, 8.297576141e-05, 6.642187382e-05, 2.016414616, 2.01222465,
    0.0005336519652, 0.02018820464, 15.94867336, 15.94922012, 156.7130672, 156.7130129, 0.001257861368,
    48.91276815, 48.91273558, 0.9983451297, 0.0007086459668, 0.0005910047337, 0.0003445732763, 1.064230141e-05};
// clang-format on

constexpr std::array<IonicSet<TorordDyncl2020>, 3> TorordDyncl2020::parameter_sets() {
  TorordDyncl2020 epicardial, midmyocardial;
  epicardial.g_NaL *= 0.6;
  epicardial.g_to *= 2;
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
  midmyocardial.g_to *= 2;
  midmyocardial.P_Ca *= 2;
  midmyocardial.g_Kr *= 0.8;
  midmyocardial.g_K1 *= 1.3;
  midmyocardial.g_NaCa *= 1.4;
  midmyocardial.P_NaK *= 0.7;
  midmyocardial.release_of_kind = 1.7;
  return {{{"endocardial", {}, -89.74808282, torord_endocardial},
           {"epicardial", epicardial, -90.74563325, torord_epicardial},
           {"midmyocardial", midmyocardial, -91.3391804, torord_midmyocardial}}};
}

}  // namespace cardiowarp
