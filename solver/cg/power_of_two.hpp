#pragma once
#include <cmath>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The power of two by which a vector is divided before it comes to single precision, so that no entry overflows, and
// none vanishes that is larger than 1e-38 of the largest: the maximum of Magnitude over the rows, and the exponent for
// it. Systems in single precision (solver/single_system.hpp) and polynomials in it
// (solver/preconditioners/polynomial_preconditioner.hpp) have it. To divide by it rounds nothing.

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

}  // namespace cardiowarp
