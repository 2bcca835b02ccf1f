#pragma once
#include <limits>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The numbers that a value of the YAML file may have: an interval whose ends may belong to it or not, or be infinite.
// Cell models state the ranges of their parameters and states by it, and YamlReader::number() (app/config) refuses a
// number outside with a message that is made from it. The ranges that many values have are named below. A Range is a
// value of 24 bytes and is used while a configuration is read, never inside a loop over a mesh.

/// The numbers between `low` and `high`; the ends belong to the range unless it says otherwise.
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
