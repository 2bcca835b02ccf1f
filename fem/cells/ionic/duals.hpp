#pragma once
#include <cmath>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// A number and its derivatives in N directions, for example by the potential and by some concentrations. A formula
/// that is written for any number type gives its derivatives along with its value when it is evaluated with this one
/// (forward differentiation). Comparisons look at the value alone.
template <int N>
struct Duals {
  Real value;
  Real slope[N];

  Duals() = default;
  /// A constant: all derivatives are 0.
  CARDIOWARP_HD constexpr Duals(Real constant) : value(constant), slope{} {}
  /// The number of a direction, whose derivative is 1 there and 0 in the others.
  CARDIOWARP_HD constexpr Duals(Real its_value, int direction) : value(its_value), slope{} { slope[direction] = 1; }

  /// What becomes of `a` under a function that has `its_value` and the derivative `factor` there.
  CARDIOWARP_HD static Duals of(const Duals& a, Real its_value, Real factor) {
    Duals result;
    result.value = its_value;
    for (int i = 0; i < N; ++i) result.slope[i] = factor * a.slope[i];
    return result;
  }

  CARDIOWARP_HD friend Duals operator-(const Duals& a) { return of(a, -a.value, -1); }
  CARDIOWARP_HD friend Duals operator+(Duals a, const Duals& b) {
    a.value += b.value;
    for (int i = 0; i < N; ++i) a.slope[i] += b.slope[i];
    return a;
  }
  CARDIOWARP_HD friend Duals operator-(Duals a, const Duals& b) {
    a.value -= b.value;
    for (int i = 0; i < N; ++i) a.slope[i] -= b.slope[i];
    return a;
  }
  CARDIOWARP_HD friend Duals operator*(const Duals& a, const Duals& b) {
    Duals result;
    result.value = a.value * b.value;
    for (int i = 0; i < N; ++i) result.slope[i] = a.slope[i] * b.value + a.value * b.slope[i];
    return result;
  }
  CARDIOWARP_HD friend Duals operator/(const Duals& a, const Duals& b) {
    const Real inverse = 1 / b.value;
    Duals result;
    result.value = a.value * inverse;
    for (int i = 0; i < N; ++i) result.slope[i] = (a.slope[i] - result.value * b.slope[i]) * inverse;
    return result;
  }

  // With a constant, whose derivatives need not be multiplied.
  CARDIOWARP_HD friend Duals operator+(Duals a, Real b) {
    a.value += b;
    return a;
  }
  CARDIOWARP_HD friend Duals operator+(Real a, Duals b) {
    b.value += a;
    return b;
  }
  CARDIOWARP_HD friend Duals operator-(Duals a, Real b) {
    a.value -= b;
    return a;
  }
  CARDIOWARP_HD friend Duals operator-(Real a, const Duals& b) { return of(b, a - b.value, -1); }
  CARDIOWARP_HD friend Duals operator*(const Duals& a, Real b) { return of(a, a.value * b, b); }
  CARDIOWARP_HD friend Duals operator*(Real a, const Duals& b) { return of(b, a * b.value, a); }
  CARDIOWARP_HD friend Duals operator/(const Duals& a, Real b) { return a * (1 / b); }
  CARDIOWARP_HD friend Duals operator/(Real a, const Duals& b) {
    const Real inverse = 1 / b.value, quotient = a * inverse;
    return of(b, quotient, -quotient * inverse);
  }

  CARDIOWARP_HD friend bool operator<(const Duals& a, Real b) { return a.value < b; }
  CARDIOWARP_HD friend bool operator>(const Duals& a, Real b) { return a.value > b; }
  CARDIOWARP_HD friend bool operator<=(const Duals& a, Real b) { return a.value <= b; }
  CARDIOWARP_HD friend bool operator>=(const Duals& a, Real b) { return a.value >= b; }

  CARDIOWARP_HD friend Duals exp(const Duals& a) {
    const Real power = std::exp(a.value);
    return of(a, power, power);
  }
  CARDIOWARP_HD friend Duals log(const Duals& a) { return of(a, std::log(a.value), 1 / a.value); }
  CARDIOWARP_HD friend Duals sqrt(const Duals& a) {
    const Real root = std::sqrt(a.value);
    return of(a, root, Real(0.5) / root);
  }
  CARDIOWARP_HD friend Duals tanh(const Duals& a) {
    const Real tangent = std::tanh(a.value);
    return of(a, tangent, 1 - tangent * tangent);
  }
  /// a^b for a constant exponent.
  CARDIOWARP_HD friend Duals pow(const Duals& a, Real b) {
    const Real power = std::pow(a.value, b);
    return of(a, power, a.value == 0 ? (b == 1 ? 1 : 0) : b * power / a.value);
  }
};

template <class T>
CARDIOWARP_HD T square(const T& x) {
  return x * x;
}
template <class T>
CARDIOWARP_HD T cube(const T& x) {
  return x * x * x;
}

/// x / (e^x − 1), which is 1 at x = 0; near there by its series. Rates of gates and the currents of Goldman, Hodgkin
/// and Katz have this quotient.
template <class T>
CARDIOWARP_HD T x_over_exp_minus_1(const T& x) {
  using std::exp;
  if (x < 1e-3 && x > -1e-3) {
    const T square_of_x = x * x;
    return 1 - x * 0.5 + square_of_x * (1. / 12) - square_of_x * square_of_x * (1. / 720);
  }
  return x / (exp(x) - 1);
}

}  // namespace cardiowarp
