#pragma once
#include <cmath>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Powers of two that vectors are multiplied or divided by, which rounds nothing.
//
// One is for a vector that comes to single precision, so that no entry overflows, and none vanishes that is larger than
// 1e-38 of the largest: the maximum of Magnitude over the rows, and the exponent for it. Systems in single precision
// (solver/single_system.hpp) and polynomials in it (solver/preconditioners/polynomial_preconditioner.hpp) have it.
//
// The other, scale_for_squares(), is for a vector in double precision whose squares would vanish or overflow.

/// |x_i|
struct Magnitude {
  const Real* x;
  CARDIOWARP_HD Real operator()(Index i) const { return std::fabs(x[i]); }
};

/// The e for which largest / 2^e is in [½, 1); 0 where the largest entry is 0 or not finite. It is cut off where 2^e or
/// its inverse would overflow.
CARDIOWARP_HD inline int exponent_near(Real largest) {
  constexpr int most = 1000;
  int exponent = 0;
  if (std::isfinite(largest)) std::frexp(largest, &exponent);
  return exponent > most ? most : exponent < -most ? -most : exponent;
}

/// The factor for a vector with this sum of squares with which sums of products of its entries have all their digits; 1
/// where they have them anyway, with fifty decades to spare, and where the sum is no number. One factor is
/// enough, of up to 2^31 entries: where the squares vanish, entries are below 2^-537 and come below 2^293; where they
/// overflow, the largest is above 2^496 and comes between 2^-104 and 2^424.
CARDIOWARP_HD inline Real scale_for_squares(Real squares) {
  if (std::isnan(squares) || (squares >= 1e-100 && squares <= 1e100)) return 1;
  if (squares == 0) return 0x1p830;
  if (std::isinf(squares)) return 0x1p-600;
  return std::ldexp(Real{1}, -exponent_near(std::sqrt(squares)));
}

}  // namespace cardiowarp
