#pragma once
#include "fem/cells/ionic/models/curves.hpp"

namespace cardiowarp {

// Exchanger and pump of O'Hara, Virág, Varró and Rudy (2011, PLoS Comput. Biol. 7:e1002061, supplement): four states in
// a circle, in equilibrium at every instant. The share of a state is a sum of products of the rates that lead to it.

/// The sodium–calcium exchanger between a compartment with Na and Ca, in mM, and the outside: the charge that it moves,
/// per ms, which its conductance turns into a current. h_Na = e^(0.5224 V F / (R T)), h_Ca = e^(0.167 V F / (R T)).
template <class U, class T>
CARDIOWARP_HD T ohara_rudy_exchange(const U& h_Na, const U& h_Ca, const U& Na, const T& Ca, Real Na_o, Real Ca_o) {
  constexpr Real k_Na1 = 15, k_Na2 = 5, k_Na3 = 88.12, asymmetry = 12.5;
  constexpr Real w_Na = 6e4, w_Ca = 6e4, w_NaCa = 5e3, k_Ca_on = 1.5e6, k_Ca_off = 5e3, K_Ca_act = 150e-6;
  const U h1 = 1 + Na * (1 / k_Na3) * (1 + h_Na), h2 = Na * h_Na / (k_Na3 * h1);
  const U h4 = 1 + Na * (1 / k_Na1) * (1 + Na * (1 / k_Na2)), h5 = square(Na) / (k_Na1 * k_Na2 * h4);
  const U h7 = 1 + (Na_o / k_Na3) * (1 + 1 / h_Na), h8 = Na_o / (k_Na3 * h_Na * h7);
  const Real h10 = asymmetry + 1 + Na_o / k_Na1 * (1 + Na_o / k_Na2), h11 = Na_o * Na_o / (h10 * k_Na1 * k_Na2);
  const Real k1 = Ca_o * k_Ca_on / h10, k2 = k_Ca_off, k5 = k_Ca_off;
  const U k3_Na = h8 * w_NaCa, k3 = w_Ca / h7 + k3_Na;
  const U k4_Na = h2 * w_NaCa, k4 = w_Ca / (h1 * h_Ca) + k4_Na;
  const T k6 = (k_Ca_on / h4) * Ca;
  const U k7 = h5 * h2 * w_Na, k8 = h8 * (h11 * w_Na);
  const T x1 = k2 * k4 * (k7 + k6) + k5 * k7 * (k2 + k3), x2 = k1 * k7 * (k4 + k5) + k4 * k6 * (k1 + k8);
  const T x3 = k1 * k3 * (k7 + k6) + k8 * k6 * (k2 + k3);
  const U x4 = k2 * k8 * (k4 + k5) + k3 * k5 * (k1 + k8);
  const T sodium = 3 * (x4 * k7 - x1 * k8) + x3 * k4_Na - x2 * k3_Na, calcium = x2 * k2 - x1 * k1;
  return (sodium + 2 * calcium) / ((x1 + x2 + x3 + x4) * (1 + square(K_Ca_act / Ca)));
}

/// The sodium–potassium pump: the charge that it moves, per ms. `v` is V F / (R T); ATP is 9.8, ADP 0.05 and H 1e-4 mM.
template <class T>
CARDIOWARP_HD T ohara_rudy_pump(const T& v, const T& Na, const T& K, Real Na_o, Real K_o) {
  using std::exp;
  constexpr Real delta = -0.155, K_Ki = 0.5, K_Ko = 0.3582, ATP = 9.8 / 1.698e-7, H = 1e-7;
  const T Na_in = Na * exp(v * (-delta / 3)) * (1 / 9.073), Na_out = exp(v * ((delta - 1) / 3)) * (Na_o / 27.78);
  const T K_in = square(K * (1 / K_Ki));
  const Real K_out = (K_o / K_Ko) * (K_o / K_Ko);
  const T phosphate = 4.2 / (1 + H / 1.698e-7 + Na * (1. / 224) + K * (1. / 292));
  const T inside = cube(1 + Na_in) + square(1 + K * (1 / K_Ki)) - 1;
  const T outside = cube(1 + Na_out) + (1 + K_o / K_Ko) * (1 + K_o / K_Ko) - 1;
  // Rates forward (a) and backward (b).
  const T a1 = 949.5 * cube(Na_in) / inside, b4 = 40 * K_in / inside;
  const T b2 = 39.4 * cube(Na_out) / outside, a3 = 1899 * K_out / outside, b3 = phosphate * (79300 * H / (1 + ATP));
  constexpr Real b1 = 182.4 * 0.05, a2 = 687.2, a4 = 639 * ATP / (1 + ATP);
  const T x1 = a4 * a1 * a2 + b2 * b4 * b3 + a2 * b4 * b3 + b3 * a1 * a2;
  const T x2 = b2 * b1 * b4 + a1 * a2 * a3 + a3 * b1 * b4 + a2 * a3 * b4;
  const T x3 = a2 * a3 * a4 + b3 * b2 * b1 + b2 * b1 * a4 + a3 * a4 * b1;
  const T x4 = b4 * b3 * b2 + a3 * a4 * a1 + b2 * a4 * a1 + b3 * b2 * a1;
  return (3 * (x1 * a3 - x2 * b3) + 2 * (x4 * b1 - x3 * a1)) / (x1 + x2 + x3 + x4);
}

}  // namespace cardiowarp
