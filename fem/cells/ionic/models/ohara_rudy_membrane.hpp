#pragma once
#include <array>

#include "fem/cells/cell_model.hpp"
#include "fem/cells/ionic/models/curves.hpp"
#include "fem/cells/ionic/models/ohara_rudy_transport.hpp"

namespace cardiowarp {

/// Currents by the ion and the compartment from which they come, cytoplasm or subspace, in mV/ms and positive outward.
template <class T>
struct OharaRudyCurrents {
  T Na_i, Na_ss, K_i, K_ss, Ca_i, Ca_ss;
};

/// The common part of the human ventricular models of O'Hara, Virág, Varró and Rudy (2011, PLoS Comput. Biol.
/// 7:e1002061, supplement, "ORd") and of Tomek and others (2019, 2020): CaMK, the late sodium and the transient outward
/// current, the gates of L-type and slow delayed rectifier channels, and the calcium of four compartments. Members have
/// the values of ORd's endocardial cell. Channels that CaMK phosphorylated have gates of their own, with a p in their
/// names.
struct OharaRudyMembrane {
  Real g_NaL = 0.0075, g_to = 0.02, P_Ca = 0.0001, g_Kr = 0.046, g_Ks = 0.0034, g_K1 = 0.1908, g_NaCa = 0.0008;
  Real P_NaK = 30, g_Kb = 0.003, P_Nab = 3.75e-10, P_Cab = 2.5e-8, g_pCa = 0.0005, J_rel_factor = 1, J_up_factor = 1;
  Real Na_o = 140, K_o = 5.4, Ca_o = 1.8;
  // Numbers by which kinds of cells and models differ, not users' to set: calmodulin in mM; the target of release; how
  // much faster the transient outward current inactivates at rest (epicardial); release, uptake and transfer.
  Real calmodulin = 0.05, release_of_kind = 1, epicardial_to = 0;
  Real release_half = 1.5, uptake = 0.004375, leak = 0.0039375, transfer_ms = 100;

  enum SharedGate : int {
    m_gate,
    j_gate,
    jp_gate,
    mL_gate,
    hL_gate,
    hLp_gate,
    a_gate,
    iF_gate,
    iS_gate,
    ap_gate,
    iFp_gate,
    iSp_gate,
    d_gate,
    ff_gate,
    fs_gate,
    fcaf_gate,
    fcas_gate,
    jca_gate,
    ffp_gate,
    fcafp_gate,
    xs1_gate,
    xs2_gate,
    shared_gate_count
  };
  enum Follower : int { J_relnp_follower, J_relp_follower };
  enum SharedPool : int {
    Ca_i_pool,
    Ca_ss_pool,
    Ca_jsr_pool,
    Ca_nsr_pool,
    nca_pool,
    CaMKt_pool,
    Na_i_pool,
    Na_ss_pool,
    K_i_pool,
    K_ss_pool,
    shared_pool_count
  };

  static constexpr int coupled = 3, emptied = Ca_jsr_pool;
  /// Diffusion out of the subspace, and the share of L-type channels that calcium closes.
  template <class T>
  CARDIOWARP_HD static T decay(int pool, const T* gates) {
    if (pool == nca_pool) return gates[jca_gate];
    return pool == Na_ss_pool || pool == K_ss_pool ? 0.5 : 0;
  }

  static constexpr Real F = 96485, RT_F = 8314 * 310 / F;  // C/mol, mV
  /// Volumes of the cell, cytoplasm, network and junctional reticulum and subspace, µl; capacitive area, cm².
  static constexpr Real v_cell = 1000 * 3.14 * 0.0011 * 0.0011 * 0.01, v_myo = 0.68 * v_cell, v_nsr = 0.0552 * v_cell,
                        v_jsr = 0.0048 * v_cell, v_ss = 0.02 * v_cell,
                        A_cap = 2 * (2 * 3.14 * 0.0011 * 0.0011 + 2 * 3.14 * 0.0011 * 0.01);

  friend bool operator==(const OharaRudyMembrane&, const OharaRudyMembrane&) = default;

  /// The gates hL, hLp; a, iF, iS and those of phosphorylated channels; the target of mL.
  template <class T>
  CARDIOWARP_HD void late_sodium_and_transient_outward_gates(const T& V, T* target, T* speed) const {
    using std::exp;
    target[mL_gate] = falling((V + 42.85) * (-1 / 5.264));
    target[hL_gate] = falling((V + 87.61) * (1 / 7.488));
    speed[hL_gate] = T(1. / 200);
    target[hLp_gate] = falling((V + 93.81) * (1 / 7.488));
    speed[hLp_gate] = T(1. / 600);

    target[a_gate] = falling((V - 14.34) * (-1 / 14.82));
    target[ap_gate] = falling((V - 24.34) * (-1 / 14.82));
    speed[a_gate] = speed[ap_gate] = (1 / 1.0515) * ((1 / 1.2089) * falling((V - 18.4099) * (-1 / 29.3814)) +
                                                     3.5 * falling((V + 100) * (1 / 29.3814)));
    target[iF_gate] = target[iS_gate] = target[iFp_gate] = target[iSp_gate] = falling((V + 43.94) * (1 / 5.711));
    const T faster = 1 - epicardial_to * falling((V + 70) * 0.2);
    const T tau_iF = faster * (4.562 + 1 / (0.3933 * exp((V + 100) * -0.01) + 0.08004 * exp((V + 50) * (1 / 16.59))));
    const T tau_iS =
        faster * (23.62 + 1 / (0.001416 * exp((V + 96.52) * (-1 / 59.05)) + 1.78e-8 * exp((V + 114.1) * (1 / 8.079))));
    const T phosphorylated = (1.354 + 1e-4 * development(V)) * (1 - 0.5 * falling((V + 70) * 0.05));
    speed[iF_gate] = 1 / tau_iF;
    speed[iS_gate] = 1 / tau_iS;
    speed[iFp_gate] = 1 / (phosphorylated * tau_iF);
    speed[iSp_gate] = 1 / (phosphorylated * tau_iS);
  }

  /// The gates f of L-type channels, those that calcium closes (fca), and xs1, xs2 of the slow delayed rectifier.
  template <class T>
  CARDIOWARP_HD static void L_type_and_slow_gates(const T& V, T* target, T* speed) {
    using std::exp;
    const T f = falling((V + 19.58) * (1 / 3.696));
    for (const int gate : {ff_gate, fs_gate, fcaf_gate, fcas_gate, ffp_gate, fcafp_gate}) target[gate] = f;
    const T tau_ff = 7 + (1 / 0.0045) / (exp((V + 20) * -0.1) + exp((V + 20) * 0.1));
    const T tau_fcaf = 7 + (1 / 0.04) / (exp((V - 4) * (-1. / 7)) + exp((V - 4) * (1. / 7)));
    speed[ff_gate] = 1 / tau_ff;
    speed[ffp_gate] = 1 / (2.5 * tau_ff);
    speed[fs_gate] = 1 / (1000 + (1 / 3.5e-5) / (exp((V + 5) * -0.25) + exp((V + 5) * (1. / 6))));
    speed[fcaf_gate] = 1 / tau_fcaf;
    speed[fcafp_gate] = 1 / (2.5 * tau_fcaf);
    speed[fcas_gate] = 1 / (100 + (1 / 0.00012) / (exp(V * (-1. / 3)) + exp(V * (1. / 7))));
    target[xs1_gate] = target[xs2_gate] = falling((V + 11.6) * (-1 / 8.932));
    speed[xs1_gate] =
        1 / (817.3 + 1 / (2.326e-4 * exp((V + 48.28) * (1 / 17.8)) + 0.001292 * exp((V + 210) * (-1. / 230))));
    speed[xs2_gate] = 0.01 * exp((V - 50) * 0.05) + 0.0193 * exp((V + 66.54) * (-1. / 31));
  }

  /// The share of CaMK bound to calmodulin.
  template <class U, class T>
  CARDIOWARP_HD static T bound_CaMK(const T* pools, const U* slow) {
    return 0.05 * (1 - slow[CaMKt_pool]) / (1 + 0.0015 / pools[Ca_ss_pool]);
  }

  /// The share of channels and pumps that CaMK phosphorylated.
  template <class U, class T>
  CARDIOWARP_HD static T phosphorylated_share(const T* pools, const U* slow) {
    const T active = bound_CaMK(pools, slow) + slow[CaMKt_pool];
    return active / (active + 0.15);
  }

  /// How much of the L-type channels is open, d included; `nca` is the share in the mode that calcium closes.
  template <class U, class T>
  CARDIOWARP_HD static T open_L_type(const U& V, const U* gates, const U& nca, const T& phosphorylated) {
    const U fast = 0.3 + 0.6 * falling((V - 10) * 0.1);
    const U slow_f = 0.4 * gates[fs_gate], slow_fca = (1 - fast) * gates[fcas_gate];
    const U by_calcium = gates[jca_gate] * nca;
    const U plain = (0.6 * gates[ff_gate] + slow_f) * (1 - nca) + by_calcium * (fast * gates[fcaf_gate] + slow_fca);
    const U with_p = (0.6 * gates[ffp_gate] + slow_f) * (1 - nca) + by_calcium * (fast * gates[fcafp_gate] + slow_fca);
    return gates[d_gate] * (plain + phosphorylated * (1.1 * with_p - plain));
  }

  /// dn_ca/dt, with the rate k2n per ms.
  template <class U, class T>
  CARDIOWARP_HD static T nca_rate(const U& nca, const U& jca, const T& Ca, Real k2n) {
    return k2n * jca / (k2n + jca * square(square(1 + 0.002 / Ca))) - nca * jca;
  }

  /// Release through channels that CaMK has not and has phosphorylated follows −I_CaL, within 4.75 ms / (1 + 0.0123 mM
  /// / Ca_jsr) and 5/4 of that. The authors' programs keep these times above 0.001 ms, which holds only below 3e-6 mM
  /// and lets the calcium of a store that is empty turn negative; here it stays positive.
  template <class T>
  CARDIOWARP_HD void release(const T& I_CaL, const T& Ca_jsr, T* target, T* speed) const {
    constexpr Real tau = 4.75;
    target[J_relnp_follower] =
        (-0.5 * tau * release_of_kind) * I_CaL / (1 + square(square(square(release_half / Ca_jsr))));
    target[J_relp_follower] = 1.25 * target[J_relnp_follower];
    speed[J_relnp_follower] = (1 / tau) * (1 + 0.0123 / Ca_jsr);
    speed[J_relp_follower] = 0.8 * speed[J_relnp_follower];
  }

  /// A mean over channels of which a share is phosphorylated.
  template <class U, class T>
  CARDIOWARP_HD static T mixed(const T& phosphorylated, const U& plain, const U& with_p) {
    return plain + phosphorylated * (with_p - plain);
  }

  /// Late sodium current, without V − E_Na.
  template <class U, class T>
  CARDIOWARP_HD T late_sodium(const U* gates, const T& phosphorylated) const {
    return g_NaL * gates[mL_gate] * mixed(phosphorylated, gates[hL_gate], gates[hLp_gate]);
  }

  /// Transient outward current, without V − E_K.
  template <class U, class T>
  CARDIOWARP_HD T transient_outward(const U& V, const U* gates, const T& phosphorylated) const {
    const U fast = falling((V - 213.6) * (1 / 151.2));
    const U i = fast * gates[iF_gate] + (1 - fast) * gates[iS_gate];
    const U ip = fast * gates[iFp_gate] + (1 - fast) * gates[iSp_gate];
    return g_to * mixed(phosphorylated, gates[a_gate] * i, gates[ap_gate] * ip);
  }

  /// Slow delayed rectifier, which calcium opens and which lets some sodium through.
  template <class U, class T>
  CARDIOWARP_HD T slow_rectifier(const U& V, const U* gates, const T* pools, const U* slow) const {
    using std::log;
    using std::pow;
    const U E_Ks = RT_F * log((K_o + 0.01833 * Na_o) / (slow[K_i_pool] + 0.01833 * slow[Na_i_pool]));
    return g_Ks * gates[xs1_gate] * gates[xs2_gate] * (V - E_Ks) *
           (1 + 0.6 / (1 + pow(3.8e-5 / pools[Ca_i_pool], 1.4)));
  }

  /// Sets the rates of concentrations and of CaMKt from the currents, and gives the sum of these. Stimuli are charged
  /// to no ion.
  template <class U, class T>
  CARDIOWARP_HD T close(const OharaRudyCurrents<T>& I, const T* followers, const T* pools, const U* slow,
                        const T& phosphorylated, T* rate) const {
    constexpr Real to_myo = A_cap / (F * v_myo), to_ss = A_cap / (F * v_ss);
    const T &Ca_i = pools[Ca_i_pool], &Ca_ss = pools[Ca_ss_pool], &Ca_jsr = pools[Ca_jsr_pool];
    const U& Ca_nsr = slow[Ca_nsr_pool];
    // Diffusion between subspace and cytoplasm, mM/ms.
    const U J_Na = (slow[Na_ss_pool] - slow[Na_i_pool]) * 0.5, J_K = (slow[K_ss_pool] - slow[K_i_pool]) * 0.5;
    const T J_Ca = (Ca_ss - Ca_i) * 5;
    rate[Na_i_pool] = I.Na_i * -to_myo + J_Na * (v_ss / v_myo);
    rate[Na_ss_pool] = I.Na_ss * -to_ss - J_Na;
    rate[K_i_pool] = I.K_i * -to_myo + J_K * (v_ss / v_myo);
    rate[K_ss_pool] = I.K_ss * -to_ss - J_K;
    // Release, uptake less leak, transfer from network to junctional reticulum.
    const T J_rel = J_rel_factor *
                    ((1 - phosphorylated) * followers[J_relnp_follower] + phosphorylated * followers[J_relp_follower]);
    const T J_up = (J_up_factor * uptake) * Ca_i *
                       ((1 - phosphorylated) / (Ca_i + 0.00092) + 2.75 * phosphorylated / (Ca_i + 0.00075)) -
                   Ca_nsr * (leak / 15);
    const T J_tr = (Ca_nsr - Ca_jsr) * (1 / transfer_ms);
    const T buffers_i = 1 + calmodulin * 0.00238 / square(Ca_i + 0.00238) + 0.07 * 0.0005 / square(Ca_i + 0.0005);
    const T buffers_ss = 1 + 0.047 * 0.00087 / square(Ca_ss + 0.00087) + 1.124 * 0.0087 / square(Ca_ss + 0.0087);
    rate[Ca_i_pool] = (I.Ca_i * (-to_myo / 2) - J_up * (v_nsr / v_myo) + J_Ca * (v_ss / v_myo)) / buffers_i;
    rate[Ca_ss_pool] = (I.Ca_ss * (-to_ss / 2) + J_rel * (v_jsr / v_ss) - J_Ca) / buffers_ss;
    rate[Ca_nsr_pool] = J_up - J_tr * (v_jsr / v_nsr);
    rate[Ca_jsr_pool] = (J_tr - J_rel) * free_share(Ca_jsr, 10 * 0.8, 0.8);
    const T bound = bound_CaMK(pools, slow);
    rate[CaMKt_pool] = 0.05 * bound * (bound + slow[CaMKt_pool]) - 0.00068 * slow[CaMKt_pool];
    return I.Na_i + I.Na_ss + I.K_i + I.K_ss + I.Ca_i + I.Ca_ss;
  }

 private:
  /// 1 / (e^((V − 167.4) / 15.89) + e^(−(V − 12.23) / 0.2154)), by exponentials that do not overflow.
  template <class T>
  CARDIOWARP_HD static T development(const T& V) {
    using std::exp;
    const T slow = exp((V - 167.4) * (1 / 15.89)), x = (V - 12.23) * (1 / 0.2154);
    if (x > 0) return 1 / (slow + exp(-x));
    const T fast = exp(x);
    return fast / (1 + slow * fast);
  }
};

/// The states that both models have, in the order of their shared gates, followers and pools.
inline constexpr std::array<CellState, OharaRudyMembrane::shared_gate_count> ohara_rudy_gates{{
    {"m", "activation of the fast sodium current", 0, from_0_to_1},
    {"j", "slow inactivation of the fast sodium current", 0, from_0_to_1},
    {"jp", "j of phosphorylated channels", 0, from_0_to_1},
    {"mL", "activation of the late sodium current", 0, from_0_to_1},
    {"hL", "inactivation of the late sodium current", 0, from_0_to_1},
    {"hLp", "hL of phosphorylated channels", 0, from_0_to_1},
    {"a", "activation of the transient outward current", 0, from_0_to_1},
    {"iF", "fast inactivation of the transient outward current", 0, from_0_to_1},
    {"iS", "slow inactivation of the transient outward current", 0, from_0_to_1},
    {"ap", "a of phosphorylated channels", 0, from_0_to_1},
    {"iFp", "iF of phosphorylated channels", 0, from_0_to_1},
    {"iSp", "iS of phosphorylated channels", 0, from_0_to_1},
    {"d", "activation of the L-type calcium current", 0, from_0_to_1},
    {"ff", "fast inactivation of L-type channels by the potential", 0, from_0_to_1},
    {"fs", "slow inactivation of L-type channels by the potential", 0, from_0_to_1},
    {"fcaf", "fast inactivation of L-type channels with calcium", 0, from_0_to_1},
    {"fcas", "slow inactivation of L-type channels with calcium", 0, from_0_to_1},
    {"jca", "recovery of L-type channels from calcium", 0, from_0_to_1},
    {"ffp", "ff of phosphorylated channels", 0, from_0_to_1},
    {"fcafp", "fcaf of phosphorylated channels", 0, from_0_to_1},
    {"xs1", "activation of the slow delayed rectifier", 0, from_0_to_1},
    {"xs2", "fast deactivation of the slow delayed rectifier", 0, from_0_to_1},
}};
inline constexpr std::array<CellState, 2> ohara_rudy_followers{{
    {"J_relnp", "release of calcium, mM/ms", 0, any_number},
    {"J_relp", "release of calcium through phosphorylated channels, mM/ms", 0, any_number},
}};
inline constexpr std::array<CellState, OharaRudyMembrane::shared_pool_count> ohara_rudy_pools{{
    {"Ca_i", "calcium of the cytoplasm, mM", 0, positive},
    {"Ca_ss", "calcium of the subspace, mM", 0, positive},
    {"Ca_jsr", "calcium of the junctional reticulum, mM", 0, positive},
    {"Ca_nsr", "calcium of the network reticulum, mM", 0, positive},
    {"nca", "share of L-type channels of the subspace that calcium closes", 0, from_0_to_1},
    {"CaMKt", "share of CaMK that is trapped", 0, from_0_to_1},
    {"Na_i", "sodium of the cytoplasm, mM", 0, positive},
    {"Na_ss", "sodium of the subspace, mM", 0, positive},
    {"K_i", "potassium of the cytoplasm, mM", 0, positive},
    {"K_ss", "potassium of the subspace, mM", 0, positive},
}};

}  // namespace cardiowarp
