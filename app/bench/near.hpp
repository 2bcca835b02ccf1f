#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Whether sums are the expected ones up to the rounding of another order of addition: no sum may differ by more than
/// 1e-11 of the largest expected one. A NaN among them makes it false.
inline bool near(const std::vector<Real>& values, const std::vector<Real>& expected) {
  Real largest = 0;
  for (const Real value : expected) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::fabs(values[i] - expected[i]) <= 1e-11 * largest)) return false;
  return true;
}

}  // namespace cardiowarp
