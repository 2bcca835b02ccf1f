#pragma once
#include <cmath>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// 1 / x. A GPU has a fast one for float, which is off by at most two units in the last place.
CARDIOWARP_HD inline double reciprocal(double x) { return 1 / x; }
CARDIOWARP_HD inline float reciprocal(float x) {
#ifdef __CUDA_ARCH__
  return __fdividef(1.0f, x);
#else
  return 1 / x;
#endif
}

/// e^x. In float it ends at e^80, as no quantity of a cell comes near that and a derivative beyond the largest float
/// would make 0 · ∞ of a factor that has vanished.
CARDIOWARP_HD inline double exponential(double x) { return std::exp(x); }
CARDIOWARP_HD inline float exponential(float x) { return std::exp(x < 80 ? x : 80.0f); }

/// A number and its derivatives in N directions, for example by the potential and by some concentrations. A formula
/// that is written for any number type gives its derivatives along with its value when it is evaluated with this one
/// (forward differentiation). Comparisons look at the value alone. Value and derivatives are of the type Number, double
/// or float; constants are rounded to it.
template <int N, class Number = Real>
struct Duals {
  Number value;
  Number slope[N];

  Duals() = default;
  /// A constant: all derivatives are 0.
  CARDIOWARP_HD constexpr Duals(Real constant) : value(static_cast<Number>(constant)), slope{} {}
  /// The number of a direction, whose derivative is 1 there and 0 in the others.
  CARDIOWARP_HD constexpr Duals(Real its_value, int direction) : Duals(its_value) { slope[direction] = 1; }

  /// A number that depends on the first direction alone.
  template <int One>
  requires(One == 1 && N > 1) CARDIOWARP_HD explicit constexpr Duals(const Duals<One, Number>& a)
      : value(a.value), slope{} {
    slope[0] = a.slope[0];
  }

  /// The duals of `a` under a function that has `its_value` and the derivative `factor` there.
  CARDIOWARP_HD static Duals of(const Duals& a, Number its_value, Number factor) {
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
    const Number inverse = reciprocal(b.value);
    Duals result;
    result.value = a.value * inverse;
    for (int i = 0; i < N; ++i) result.slope[i] = (a.slope[i] - result.value * b.slope[i]) * inverse;
    return result;
  }

  // With a constant, whose derivatives need not be multiplied.
  CARDIOWARP_HD friend Duals operator+(Duals a, Real b) {
    a.value += static_cast<Number>(b);
    return a;
  }
  CARDIOWARP_HD friend Duals operator+(Real a, const Duals& b) { return b + a; }
  CARDIOWARP_HD friend Duals operator-(Duals a, Real b) {
    a.value -= static_cast<Number>(b);
    return a;
  }
  CARDIOWARP_HD friend Duals operator-(Real a, const Duals& b) { return of(b, static_cast<Number>(a) - b.value, -1); }
  CARDIOWARP_HD friend Duals operator*(const Duals& a, Real b) {
    const auto factor = static_cast<Number>(b);
    return of(a, a.value * factor, factor);
  }
  CARDIOWARP_HD friend Duals operator*(Real a, const Duals& b) { return b * a; }
  CARDIOWARP_HD friend Duals operator/(const Duals& a, Real b) { return a * (1 / b); }
  CARDIOWARP_HD friend Duals operator/(Real a, const Duals& b) {
    const Number inverse = reciprocal(b.value), quotient = static_cast<Number>(a) * inverse;
    return of(b, quotient, -quotient * inverse);
  }

  CARDIOWARP_HD friend bool operator<(const Duals& a, Real b) { return a.value < static_cast<Number>(b); }
  CARDIOWARP_HD friend bool operator>(const Duals& a, Real b) { return a.value > static_cast<Number>(b); }
  CARDIOWARP_HD friend bool operator<=(const Duals& a, Real b) { return a.value <= static_cast<Number>(b); }
  CARDIOWARP_HD friend bool operator>=(const Duals& a, Real b) { return a.value >= static_cast<Number>(b); }

  CARDIOWARP_HD friend Duals exp(const Duals& a) {
    const Number power = exponential(a.value);
    return of(a, power, power);
  }
  CARDIOWARP_HD friend Duals log(const Duals& a) { return of(a, std::log(a.value), reciprocal(a.value)); }
  CARDIOWARP_HD friend Duals sqrt(const Duals& a) {
    const Number root = std::sqrt(a.value);
    return of(a, root, Number(0.5) * reciprocal(root));
  }
  CARDIOWARP_HD friend Duals tanh(const Duals& a) {
    const Number tangent = std::tanh(a.value);
    return of(a, tangent, 1 - tangent * tangent);
  }
  /// a^b for a constant exponent.
  CARDIOWARP_HD friend Duals pow(const Duals& a, Real b) {
    const auto exponent = static_cast<Number>(b);
    const Number power = std::pow(a.value, exponent);
    return of(a, power, a.value == 0 ? Number(b == 1 ? 1 : 0) : exponent * power / a.value);
  }
};

// With a number that depends on the first direction alone, whose other derivatives need not be multiplied.
template <int N, class Number>
requires(N > 1) CARDIOWARP_HD Duals<N, Number>
operator+(Duals<N, Number> a, const Duals<1, Number>& b) {
  a.value += b.value;
  a.slope[0] += b.slope[0];
  return a;
}
template <int N, class Number>
requires(N > 1) CARDIOWARP_HD Duals<N, Number>
operator+(const Duals<1, Number>& a, const Duals<N, Number>& b) { return b + a; }
template <int N, class Number>
requires(N > 1) CARDIOWARP_HD Duals<N, Number>
operator-(Duals<N, Number> a, const Duals<1, Number>& b) {
  a.value -= b.value;
  a.slope[0] -= b.slope[0];
  return a;
}
template <int N, class Number>
requires(N > 1) CARDIOWARP_HD Duals<N, Number>
operator-(const Duals<1, Number>& a, const Duals<N, Number>& b) { return -b + a; }
template <int N, class Number>
requires(N > 1) CARDIOWARP_HD Duals<N, Number>
operator*(const Duals<N, Number>& a, const Duals<1, Number>& b) {
  auto result = Duals<N, Number>::of(a, a.value * b.value, b.value);
  result.slope[0] += a.value * b.slope[0];
  return result;
}
template <int N, class Number>
requires(N > 1) CARDIOWARP_HD Duals<N, Number>
operator*(const Duals<1, Number>& a, const Duals<N, Number>& b) { return b * a; }
template <int N, class Number>
requires(N > 1) CARDIOWARP_HD Duals<N, Number>
operator/(const Duals<N, Number>& a, const Duals<1, Number>& b) { return a * (1 / b); }
template <int N, class Number>
requires(N > 1) CARDIOWARP_HD Duals<N, Number>
operator/(const Duals<1, Number>& a, const Duals<N, Number>& b) { return (1 / b) * a; }

template <class T>
CARDIOWARP_HD T square(const T& x) {
  return x * x;
}
template <class T>
CARDIOWARP_HD T cube(const T& x) {
  return x * x * x;
}

/// How near 0 x_over_exp_minus_1() takes its series: where the series is as right as the number type.
template <class T>
inline constexpr Real series_within = 1e-3;
template <int N>
inline constexpr Real series_within<Duals<N, float>> = 0.25;

/// x / (e^x − 1), which is 1 at x = 0; near there by its series. Rates of gates and the currents of Goldman, Hodgkin
/// and Katz have this quotient.
template <class T>
CARDIOWARP_HD T x_over_exp_minus_1(const T& x) {
  using std::exp;
  if (x < series_within<T> && x > -series_within<T>) {
    const T square_of_x = x * x;
    return 1 - x * 0.5 + square_of_x * (1. / 12) - square_of_x * square_of_x * (1. / 720);
  }
  return x / (exp(x) - 1);
}

}  // namespace cardiowarp
