#pragma once
#include <chrono>
#include <string>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct StepReport;

/// How far a run is and how long the rest takes at the rate that it has had, in words:
/// `120.5 of 600 ms, 1/230 of real time, 1:50:17 left`.
std::string progress_in_words(Real start_ms, Real now_ms, Real end_ms, double elapsed_seconds);

/// Shows how a run gets on, where messages are shown. On a terminal that is one line that is renewed a few times a
/// second: simulated time, speed against real time, Newton and CG iterations a step, time left. Where standard error
/// goes elsewhere, to a file say, it is a message each minute.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  /// From a simulated time of `start_ms` on.
  ProgressLine(Real start_ms, Real end_ms, bool enabled, Clock::duration between_messages = std::chrono::minutes(1));
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(Real time_ms, const StepReport& step);
  /// Removes the line, so that a message can be printed.
  void clear();

 private:
  void show_line(Real time_ms, double elapsed_seconds);

  Real start_ms_, end_ms_;
  bool enabled_, on_terminal_;
  bool shown_ = false;
  Clock::duration between_;
  Clock::time_point start_ = Clock::now(), last_shown_ = start_;
  int steps_ = 0, newton_iterations_ = 0, linear_iterations_ = 0;  // since last shown
};

}  // namespace cardiowarp
