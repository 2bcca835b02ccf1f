#pragma once
#include "fem/cells/ionic/models/curves.hpp"
#include "fem/cells/ionic/models/sodium_gates.hpp"

namespace cardiowarp {

/// Currents by the ions that carry them, mV/ms, positive outward. Calcium that comes through L-type channels goes into
/// the subspace and is counted by itself.
template <class U, class T>
struct TenTusscherCurrents {
  T sodium;
  U potassium;
  T calcium, i_CaL;
};

/// The potentials at which the currents of sodium and potassium turn, mV.
template <class U>
struct TenTusscherReversals {
  U Na, K;
};

/// The common part of the models of ten Tusscher and Panfilov (2006, Am. J. Physiol. Heart Circ. Physiol. 291:H1088,
/// "TP06") and of Stewart and others (2009): sodium, L-type calcium, delayed rectifier, pump and exchanger currents,
/// and the calcium of cytoplasm, subspace and sarcoplasmic reticulum. Equations that TP06 took over are in ten Tusscher
/// and others 2004 (Am. J. Physiol. Heart Circ. Physiol. 286:H1573, "TNNP"). 9 gates, 2 followers and 5 pools.
struct TenTusscherMembrane {
  Real g_Na = 14.838, g_Kr = 0.153, g_Ks = 0.392, g_CaL = 3.98e-5, g_bNa = 0.00029, g_bCa = 0.000592;
  Real g_pK = 0.0146, g_pCa = 0.1238, P_NaK = 2.724, k_NaCa = 1000, V_rel = 0.102, Vmax_up = 0.006375;
  Real Na_o = 140, K_o = 5.4, Ca_o = 2;

  enum Gate : int { m_gate, h_gate, j_gate, d_gate, f_gate, f2_gate, Xr1_gate, Xr2_gate, Xs_gate, r_gate, s_gate };
  enum Follower : int { fCass_follower, R_prime_follower };
  enum Pool : int { Ca_i_pool, Ca_SR_pool, Ca_ss_pool, Na_i_pool, K_i_pool };

  static constexpr Real F = 96485.3415, RT_F = 8314.472 * 310 / F;  // C/mol, mV
  /// Capacitance and volumes of cytoplasm, reticulum and subspace, in units of 1 nF and 1 nl.
  static constexpr Real C_m = 0.185, V_c = 0.016404, V_sr = 0.001094, V_ss = 5.468e-5;

  template <class T>
  CARDIOWARP_HD static T decay(int /*pool*/, const T* /*gates*/) {
    return 0;
  }

  friend bool operator==(const TenTusscherMembrane&, const TenTusscherMembrane&) = default;

  /// m, h, j (TNNP), d, f, f2 (TP06), Xr1, Xr2, Xs (TNNP; τ of Xs TP06).
  template <class T>
  CARDIOWARP_HD static void shared_gates(const T& V, T* target, T* speed) {
    using std::exp;
    using std::sqrt;
    target[m_gate] = square(falling((V + 56.86) * (-1 / 9.03)));
    speed[m_gate] = (1 + exp((V + 60) * -0.2)) / (0.1 * falling((V + 35) * 0.2) + 0.1 * falling((V - 50) * 0.005));
    target[h_gate] = target[j_gate] = ten_tusscher_h_target(V, 71.55);
    speed[h_gate] = ten_tusscher_h_speed(V);
    speed[j_gate] = ten_tusscher_j_speed(V);

    const T above_minus_30 = falling((V + 30) * 0.1);
    target[d_gate] = falling((V + 8) * (-1 / 7.5));
    speed[d_gate] = 1 / ((1.4 * falling((V + 35) * (-1. / 13)) + 0.25) * (1.4 * falling((V + 5) * 0.2)) +
                         falling((V - 50) * -0.05));
    target[f_gate] = falling((V + 20) * (1. / 7));
    speed[f_gate] = 1 / (1102.5 * bell(V, -27, 225) + 200 * falling((V - 13) * -0.1) + 180 * above_minus_30 + 20);
    target[f2_gate] = 0.67 * falling((V + 35) * (1. / 7)) + 0.33;
    speed[f2_gate] = 1 / (562 * bell(V, -27, 240) + 31 * falling((V - 25) * -0.1) + 80 * above_minus_30);

    target[Xr1_gate] = falling((V + 26) * (-1. / 7));
    speed[Xr1_gate] = (1. / 2700) * (1 + exp((V + 45) * -0.1)) * (1 + exp((V + 30) * (1 / 11.5)));
    target[Xr2_gate] = falling((V + 88) * (1. / 24));
    speed[Xr2_gate] = (1 / 3.36) * (1 + exp((V + 60) * -0.05)) * (1 + exp((V - 60) * 0.05));
    target[Xs_gate] = falling((V + 5) * (-1. / 14));
    speed[Xs_gate] = 1 / (1400 * sqrt(falling((V - 5) * (-1. / 6))) * falling((V - 35) * (1. / 15)) + 80);
  }

  /// fCass closes L-type channels with the calcium of the subspace; R', the share of release channels that are not
  /// inactivated, has dR'/dt = −k2 Ca_ss R' + k4 (1 − R') (TP06).
  template <class U, class T>
  CARDIOWARP_HD void follower(const U& /*V*/, const U* /*gates*/, const T* pools, const U* /*slow*/, T* target,
                              T* speed) const {
    const T fraction = 1 / (1 + square(pools[Ca_ss_pool] * (1 / 0.05)));
    target[fCass_follower] = 0.6 * fraction + 0.4;
    speed[fCass_follower] = 1 / (80 * fraction + 2);
    speed[R_prime_follower] = 0.045 * release_factor(pools[Ca_SR_pool]) * pools[Ca_ss_pool] + 0.005;
    target[R_prime_follower] = 0.005 / speed[R_prime_follower];
  }

  template <class U>
  CARDIOWARP_HD TenTusscherReversals<U> reversals(const U* slow) const {
    using std::log;
    return {RT_F * log(Na_o / slow[Na_i_pool]), RT_F * log(K_o / slow[K_i_pool])};
  }

  /// The currents that both models have. `E` are reversals().
  template <class U, class T>
  CARDIOWARP_HD TenTusscherCurrents<U, T> shared_currents(const U& V, const U* gates, const T* followers,
                                                          const T* pools, const U* slow,
                                                          const TenTusscherReversals<U>& E) const {
    using std::log;
    using std::sqrt;
    const T& Ca_i = pools[Ca_i_pool];
    const U &Na_i = slow[Na_i_pool], &K_i = slow[K_i_pool];
    // Fast sodium and background sodium current (TNNP).
    const U i_Na = g_Na * cube(gates[m_gate]) * gates[h_gate] * gates[j_gate] * (V - E.Na);
    const U i_bNa = g_bNa * (V - E.Na);
    // Rapid and slow delayed rectifier potassium currents (TNNP); the slow channels let some sodium through.
    const U E_Ks = RT_F * log((K_o + 0.03 * Na_o) / (K_i + 0.03 * Na_i));
    const U i_Kr = g_Kr * sqrt(K_o / 5.4) * gates[Xr1_gate] * gates[Xr2_gate] * (V - E.K);
    const U i_Ks = g_Ks * square(gates[Xs_gate]) * (V - E_Ks);
    // Plateau potassium current (TNNP).
    const U i_pK = g_pK * (V - E.K) * falling((V - 25) * (-1 / 5.98));
    // Background calcium current and calcium pump of the membrane (TNNP).
    const T i_bCa = g_bCa * (V - 0.5 * RT_F * log(Ca_o / Ca_i));
    const T i_pCa = g_pCa * Ca_i / (Ca_i + 0.0005);
    const U i_NaK = sodium_potassium_pump(V, Na_i);
    const T i_NaCa = exchanger(V, Na_i, Ca_i);
    return {3 * i_NaCa + (i_Na + i_bNa + 3 * i_NaK), i_Kr + i_Ks + i_pK - 2 * i_NaK, i_bCa + i_pCa - 2 * i_NaCa,
            L_type(V, gates, followers[fCass_follower], pools[Ca_ss_pool])};
  }

  /// Sets the rates of all pools from the currents, and gives their sum. Stimuli are charged to no ion.
  template <class U, class T>
  CARDIOWARP_HD T close(const TenTusscherCurrents<U, T>& currents, const T* followers, const T* pools, T* rate) const {
    const T &Ca_i = pools[Ca_i_pool], &Ca_SR = pools[Ca_SR_pool], &Ca_ss = pools[Ca_ss_pool];
    // Release from the reticulum, uptake, leak, and diffusion out of the subspace (TP06).
    const T opening = (0.15 / release_factor(Ca_SR)) * square(Ca_ss);
    const T i_rel = V_rel * opening / (0.06 + opening) * followers[R_prime_follower] * (Ca_SR - Ca_ss);
    const T i_up = Vmax_up / (1 + square(0.00025 / Ca_i));
    const T i_leak = 0.00036 * (Ca_SR - Ca_i), i_xfer = 0.0038 * (Ca_ss - Ca_i);
    rate[Ca_i_pool] = free_share(Ca_i, 0.2 * 0.001, 0.001) *
                      ((i_leak - i_up) * (V_sr / V_c) + i_xfer - currents.calcium * (C_m / (2 * V_c * F)));
    rate[Ca_SR_pool] = free_share(Ca_SR, 10 * 0.3, 0.3) * (i_up - i_rel - i_leak);
    rate[Ca_ss_pool] = free_share(Ca_ss, 0.4 * 0.00025, 0.00025) *
                       (i_rel * (V_sr / V_ss) - i_xfer * (V_c / V_ss) - currents.i_CaL * (C_m / (2 * V_ss * F)));
    rate[Na_i_pool] = currents.sodium * (-C_m / (V_c * F));
    rate[K_i_pool] = T(currents.potassium * (-C_m / (V_c * F)));
    return currents.sodium + currents.calcium + currents.i_CaL + currents.potassium;
  }

 private:
  /// k_casr: how much the calcium of the reticulum changes the rates of the release channels (TP06).
  template <class T>
  CARDIOWARP_HD static T release_factor(const T& Ca_SR) {
    return 2.5 - 1.5 / (1 + square(1.5 / Ca_SR));
  }

  /// L-type calcium current (TP06): constant field, shifted by 15 mV.
  template <class U, class T>
  CARDIOWARP_HD T L_type(const U& V, const U* gates, const T& fCass, const T& Ca_ss) const {
    const U open = (2 * F * g_CaL) * gates[d_gate] * gates[f_gate] * gates[f2_gate];
    return open * fCass * ConstantField<U>((V - 15) * (2 / RT_F)).force(0.25 * Ca_ss, Ca_o);
  }

  /// Sodium–potassium pump (TNNP).
  template <class U>
  CARDIOWARP_HD U sodium_potassium_pump(const U& V, const U& Na_i) const {
    using std::exp;
    return (P_NaK * K_o / (K_o + 1)) * Na_i /
           ((Na_i + 40) * (1 + 0.1245 * exp(V * (-0.1 / RT_F)) + 0.0353 * exp(V * (-1 / RT_F))));
  }

  /// Sodium–calcium exchanger (TNNP), γ = 0.35, α = 2.5.
  template <class U, class T>
  CARDIOWARP_HD T exchanger(const U& V, const U& Na_i, const T& Ca_i) const {
    using std::exp;
    const U inward = exp(V * (-0.65 / RT_F));
    const Real scale = k_NaCa / ((87.5 * 87.5 * 87.5 + cube(Na_o)) * (1.38 + Ca_o));
    const U per_charge = scale / (1 + 0.1 * inward);
    return per_charge * exp(V * (0.35 / RT_F)) * cube(Na_i) * Ca_o - per_charge * inward * (2.5 * cube(Na_o)) * Ca_i;
  }
};

}  // namespace cardiowarp
