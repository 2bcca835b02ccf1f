#pragma once
#include "fem/cells/ionic/duals.hpp"

namespace cardiowarp {

// Curves that the equations of many ionic models are made of, for any number type.

/// 1 / (1 + e^x): 1 far below x = 0 and 0 far above.
template <class T>
CARDIOWARP_HD T falling(const T& x) {
  using std::exp;
  return 1 / (1 + exp(x));
}

/// e^(−(V − center)² / width), width in mV².
template <class T>
CARDIOWARP_HD T bell(const T& V, Real center, Real width) {
  using std::exp;
  return exp(square(V - center) * (-1 / width));
}

/// The driving force of ions of charge z through channels of constant field (Goldman, Hodgkin and Katz),
///   x (c_i e^x − c_o) / (e^x − 1),  x = z V F / (R T),
/// in mM; times z F and the permeability it is a current. One exponential serves all ions of one charge.
template <class U>
struct ConstantField {
  U inward, outward;  ///< x / (e^x − 1), and that times e^x

  CARDIOWARP_HD explicit ConstantField(const U& x) : inward(x_over_exp_minus_1(x)), outward(inward + x) {}

  template <class T>
  CARDIOWARP_HD T force(const T& inside, Real outside) const {
    return inside * outward - outside * inward;
  }
};

/// dCa/dt of free calcium in a compartment with a buffer in equilibrium is this share of what flows in:
/// 1 / (1 + B K / (Ca + K)²), with `capacity` B K in mM² and K in mM.
template <class T>
CARDIOWARP_HD T free_share(const T& calcium, Real capacity, Real half) {
  return 1 / (1 + capacity / square(calcium + half));
}

/// A gate that opens with the rate α and closes with β, both per ms.
template <class T>
struct OpeningAndClosing {
  T alpha, beta;

  CARDIOWARP_HD T target() const { return alpha / (alpha + beta); }
  CARDIOWARP_HD T speed() const { return alpha + beta; }
};

}  // namespace cardiowarp
