#pragma once
#include <cmath>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// A number and its derivative by φ. Formulas written with it give their derivative along with their value.
struct Dual {
  Real value, slope = 0;

  CARDIOWARP_HD constexpr Dual(Real constant) : value(constant) {}
  CARDIOWARP_HD constexpr Dual(Real its_value, Real its_slope) : value(its_value), slope(its_slope) {}

  CARDIOWARP_HD friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  CARDIOWARP_HD friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  CARDIOWARP_HD friend Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  CARDIOWARP_HD friend Dual operator/(Dual a, Dual b) {
    const Real inverse = 1 / b.value, quotient = a.value * inverse;
    return {quotient, (a.slope - quotient * b.slope) * inverse};
  }
};

/// A number between a and b: a where `share` is 0, b where it is 1.
CARDIOWARP_HD inline Dual between(Dual a, Dual b, Dual share) { return a + (b - a) * share; }

/// ½ [1 + tanh(k x)]
CARDIOWARP_HD inline Dual sigmoid(Real k, Dual x) {
  const Real value = 1 / (1 + std::exp(-2 * k * x.value));
  return {value, 2 * k * value * (1 - value) * x.slope};
}

/// A step from 0 to 1 at x = 0 that takes from −half_width to half_width: 3 t² − 2 t³ with t = (x + w) / 2w. Where a
/// model has a sharp step, Newton's residual would jump and its iteration could go to and fro for ever; this one has a
/// continuous derivative and is exactly 0 and 1 outside.
CARDIOWARP_HD inline Dual smooth_step(Dual x, Real half_width) {
  if (x.value <= -half_width) return 0;
  if (x.value >= half_width) return 1;
  const Real width = 2 * half_width, t = (x.value + half_width) / width;
  return {t * t * (3 - 2 * t), 6 * t * (1 - t) / width * x.slope};
}

/// A step from 0 at x = 0 to 1 at x = width along a straight line, whose derivative jumps at both ends.
CARDIOWARP_HD inline Dual ramp(Dual x, Real width) {
  if (x.value <= 0) return 0;
  if (x.value >= width) return 1;
  return {x.value / width, x.slope / width};
}

}  // namespace cardiowarp
