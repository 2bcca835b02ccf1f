#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/backend/backend.hpp"

namespace cardiowarp {

/// Loop body over slots of a matrix: its values in single precision. One beyond 3.4e38 becomes infinite, and a
/// solve with it ends as not finite. Reads 8 bytes and writes 4.
struct RoundValues {
  const Real* value;
  float* rounded;
  CARDIOWARP_HD void operator()(Index slot) const { rounded[slot] = static_cast<float>(value[slot]); }
};

/// Loop body over the rows of a matrix: its diagonal in single precision. Reads 12 bytes and writes 4.
struct RoundDiagonal {
  const Index* diagonal_slot;  ///< [rows]
  const Real* value;
  float* rounded;
  CARDIOWARP_HD void operator()(Index row) const {
    const Index slot = diagonal_slot[row];
    rounded[slot] = static_cast<float>(value[slot]);
  }
};

/// The values of a matrix, [slots], rounded to single precision (SolverPrecision::mixed): 4 bytes a slot in backend
/// memory. What this costs before a solve is one pass over the slots or, where nothing but the diagonal changes from
/// solve to solve, over the rows.
template <Backend B>
class RoundedValues {
 public:
  /// `value` [slots] is in backend memory. Where `diagonal_slot` [rows] is given, nothing else of the matrix changes
  /// after this.
  RoundedValues(B& backend, Index rows, std::int64_t slots, const Real* value, const Index* diagonal_slot)
      : rows_(rows),
        value_(value),
        diagonal_slot_(diagonal_slot),
        rounded_(backend.template allocate<float>(static_cast<std::size_t>(slots))) {
    if (diagonal_slot_ != nullptr) round_all(backend);
  }

  /// Rounds what may have changed. Nothing waits.
  void renew(B& backend) const {
    if (diagonal_slot_ != nullptr)
      backend.for_each(rows_, RoundDiagonal{diagonal_slot_, value_, rounded_.data()});
    else
      round_all(backend);
  }
  const float* data() const { return rounded_.data(); }

 private:
  void round_all(B& backend) const {
    constexpr std::size_t loop = std::size_t{1} << 30;  // an Index counts it; operators have more values than that
    for (std::size_t first = 0; first < rounded_.size(); first += loop)
      backend.for_each(static_cast<Index>(std::min(loop, rounded_.size() - first)),
                       RoundValues{value_ + first, rounded_.data() + first});
  }

  Index rows_;
  const Real* value_;
  const Index* diagonal_slot_;
  Buffer<float> rounded_;
};

}  // namespace cardiowarp
