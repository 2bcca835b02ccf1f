#pragma once
#include <cmath>
#include <cstdint>
#include <optional>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The ends of the equal steps of a run, and the times at which frames are due. TimeGrid is for runs without
// `time.adaptive`: TimeStepper takes its steps from it, and `check` their number. FrameClock tells the Recorder after
// each step whether to write a frame. Both take times for equal that differ by rounding alone, a billionth.

/// Steps of equal length from 0 to `end_ms`; the last is shorter where `end_ms` is no multiple of the step.
struct TimeGrid {
  Real end_ms, step_ms;

  std::int64_t steps() const { return static_cast<std::int64_t>(std::ceil(end_ms / step_ms * (1 - rounding))); }
  /// Multiplied, not added up: step 1000 of 0.1 ms ends at 100 ms.
  Real time_ms(std::int64_t step) const { return step >= steps() ? end_ms : static_cast<Real>(step) * step_ms; }

  static constexpr Real rounding = 1e-9;
};

/// Frames at the multiples of an interval: each at the first step that reaches it, or in it, where states between the
/// ends of steps are known.
class FrameClock {
 public:
  explicit FrameClock(Real interval_ms) : interval_ms_(interval_ms) {}

  /// True once for each multiple reached at `time_ms`; several reached by one long step count as one.
  bool due(Real time_ms) {
    const Real reached = std::floor(time_ms / interval_ms_ * (1 + TimeGrid::rounding) + TimeGrid::rounding);
    if (reached < next_) return false;
    next_ = reached + 1;
    return true;
  }
  /// The next multiple, if it is before `time_ms` by more than rounding; it is then no longer due.
  std::optional<Real> due_before(Real time_ms) {
    if (next_ + TimeGrid::rounding * (1 + next_) >= time_ms / interval_ms_) return std::nullopt;
    return next_++ * interval_ms_;
  }

  /// A time before which nothing is due, a little before the next multiple.
  Real not_before_ms() const { return (next_ - 4 * TimeGrid::rounding * (1 + next_)) * interval_ms_; }

  Real next() const { return next_; }  ///< the number of the next multiple
  void go_on_from(Real next) { next_ = next; }

 private:
  Real interval_ms_;
  Real next_ = 0;
};

}  // namespace cardiowarp
