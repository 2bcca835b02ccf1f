#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Whether sums of elements are those expected but for the order in which they were added: within 1e-11 of the largest.
/// Where one of them is NaN, they are not.
inline bool near(const std::vector<Real>& values, const std::vector<Real>& expected) {
  Real largest = 0;
  for (const Real value : expected) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::fabs(values[i] - expected[i]) <= 1e-11 * largest)) return false;
  return true;
}

}  // namespace cardiowarp
