#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// How `cardiowarp compare` holds the answers of two runs against each other. FieldDifference has the largest difference
// and the root of the mean square over all values that it is given, in their unit, mV or ms. FrameStore keeps the
// frames of the first run, 8 bytes a value, in a temporary file, as all of them together may be more than memory holds.

/// By how much fields differ, over all values that were added.
class FieldDifference {
 public:
  /// Two fields of equal length.
  void add(std::span<const Real> a, std::span<const Real> b);
  /// Two maps of times, where −1 is never: never in one of them alone is a difference of infinity.
  void add_times(std::span<const Real> a, std::span<const Real> b);
  void add(const FieldDifference& other);

  Real largest() const { return largest_; }  ///< infinite where a value is not a number
  Real rms() const;

 private:
  void add(Real difference);

  Real largest_ = 0, sum_of_squares_ = 0;
  std::int64_t count_ = 0;
};

/// Frames of one run, kept in a temporary file without a name, to hold those of other runs against them.
class FrameStore {
 public:
  /// Throws InputError where there is no room for temporary files.
  FrameStore();

  void append(std::span<const Real> frame);
  /// Frame k of equally long ones.
  std::vector<Real> read(std::int64_t k, std::size_t size) const;
  std::int64_t frames() const { return frames_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::int64_t frames_ = 0;
};

}  // namespace cardiowarp
