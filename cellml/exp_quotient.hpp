#pragma once
#include <cmath>

namespace cardiowarp {

// x / (exp x − 1), by which most models write the rate of a gate or a flux through a channel. As a quotient it is 0 / 0
// at 0 and loses digits beside it.

/// x / (exp x − 1): accurate to the last digits everywhere.
inline double exp_quotient(double x) {
  if (std::abs(x) < 1e-8) return 1 - x / 2;
  return x / std::expm1(x);
}

/// Its derivative. Near 0 by Bernoulli's numbers: −1/2 + x/6 − x³/180 + x⁵/5040 − x⁷/151200 + x⁹/4790016, elsewhere
/// (q (1 − x) − q²) / x with q = x / (exp x − 1): accurate to 1e-13.
inline double exp_quotient_slope(double x) {
  if (std::abs(x) < 0.25) {
    const double y = x * x;
    return -0.5 + x * (1.0 / 6 + y * (-1.0 / 180 + y * (1.0 / 5040 + y * (-1.0 / 151200 + y / 4790016))));
  }
  const double q = exp_quotient(x);
  return (q * (1 - x) - q * q) / x;
}

}  // namespace cardiowarp
