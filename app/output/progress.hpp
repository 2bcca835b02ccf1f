#pragma once
#include <chrono>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct StepReport;

/// One line on the terminal that is renewed a few times a second: simulated time, speed against real time, Newton and
/// CG iterations a step, time left. Silent when standard error is no terminal or `enabled` is false.
class ProgressLine {
 public:
  /// From a simulated time of `start_ms` on.
  ProgressLine(Real start_ms, Real end_ms, bool enabled);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(Real time_ms, const StepReport& step);
  /// Removes the line, so that a message can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  Real start_ms_, end_ms_;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now(), last_shown_ = start_;
  int steps_ = 0, newton_iterations_ = 0, linear_iterations_ = 0;  // since last shown
};

}  // namespace cardiowarp
