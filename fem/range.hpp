#pragma once
#include <limits>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The numbers from `low` to `high` that a value may have.
struct Range {
  Real low = -std::numeric_limits<Real>::infinity(), high = std::numeric_limits<Real>::infinity();
  bool low_included = true, high_included = true;

  bool contains(Real value) const {
    return (low_included ? value >= low : value > low) && (high_included ? value <= high : value < high);
  }
};

inline constexpr Range any_number{};
inline constexpr Range positive{0, std::numeric_limits<Real>::infinity(), false, true};
inline constexpr Range non_negative{0, std::numeric_limits<Real>::infinity(), true, true};
inline constexpr Range from_0_to_1{0, 1, true, true};

}  // namespace cardiowarp
