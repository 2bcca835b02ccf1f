#pragma once
#include "fem/cells/ionic/models/curves.hpp"

namespace cardiowarp {

// The inactivation gates h and j of the fast sodium current, which several models have in common. Their rates change
// their form at −40 mV, where the speed of h of Luo and Rudy jumps by 25 %, the others by 2 % or less.

/// h of Luo and Rudy 1991 (after Beeler and Reuter 1977, Ebihara and Johnson 1980).
template <class T>
CARDIOWARP_HD OpeningAndClosing<T> luo_rudy_h(const T& V) {
  using std::exp;
  if (V >= -40) return {T(0), (1 / 0.13) * falling((V + 10.66) * (-1 / 11.1))};
  return {0.135 * exp((V + 80) * (-1 / 6.8)), 3.56 * exp(0.079 * V) + 3.1e5 * exp(0.35 * V)};
}

/// j of Luo and Rudy 1991.
template <class T>
CARDIOWARP_HD OpeningAndClosing<T> luo_rudy_j(const T& V) {
  using std::exp;
  if (V >= -40) return {T(0), 0.3 * exp(-2.535e-7 * V) * falling(-0.1 * (V + 32))};
  return {(V + 37.78) * (-1.2714e5 * exp(0.2444 * V) - 3.474e-5 * exp(-0.04391 * V)) * falling(0.311 * (V + 79.23)),
          0.1212 * exp(-0.01052 * V) * falling(-0.1378 * (V + 40.14))};
}

/// (1 + e^((V + half) / 7.43))⁻², the target of h and j of ten Tusscher and others 2004.
template <class T>
CARDIOWARP_HD T ten_tusscher_h_target(const T& V, Real half) {
  return square(falling((V + half) * (1 / 7.43)));
}

/// The speed α + β of h of ten Tusscher and others (2004, Am. J. Physiol. Heart Circ. Physiol. 286:H1573).
template <class T>
CARDIOWARP_HD T ten_tusscher_h_speed(const T& V) {
  using std::exp;
  if (V >= -40) return (0.77 / 0.13) * falling((V + 10.66) * (-1 / 11.1));
  return 0.057 * exp((V + 80) * (-1 / 6.8)) + 2.7 * exp(0.079 * V) + 3.1e5 * exp(0.3485 * V);
}

/// The speed α + β of j of the same paper.
template <class T>
CARDIOWARP_HD T ten_tusscher_j_speed(const T& V) {
  using std::exp;
  if (V >= -40) return 0.6 * exp(0.057 * V) * falling(-0.1 * (V + 32));
  return (V + 37.78) * (-2.5428e4 * exp(0.2444 * V) - 6.948e-6 * exp(-0.04391 * V)) * falling(0.311 * (V + 79.23)) +
         0.02424 * exp(-0.01052 * V) * falling(-0.1378 * (V + 40.14));
}

}  // namespace cardiowarp
