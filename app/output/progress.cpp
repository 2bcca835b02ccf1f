#include "app/output/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "app/process/standard_streams.hpp"
#include "app/simulation/simulation.hpp"

namespace cardiowarp {

ProgressLine::ProgressLine(Real start_ms, Real end_ms, bool enabled)
    : start_ms_(start_ms), end_ms_(end_ms), enabled_(enabled && isatty(STDERR_FILENO)) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::update(Real time_ms, const StepReport& step) {
  if (!enabled_) return;
  ++steps_;
  newton_iterations_ += step.newton_iterations;
  linear_iterations_ += step.linear_iterations;
  const auto now = Clock::now();
  if (now - last_shown_ < std::chrono::milliseconds(250)) return;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double simulated_ms = time_ms - start_ms_, seconds_left = elapsed * (end_ms_ - time_ms) / simulated_ms;
  write_message(fmt::format(
      "\r\033[K{:8.2f} / {:.6g} ms   1/{:.0f} of real time   Newton {:.1f}, CG {:.1f} a step   {:d}:{:02d} left",
      time_ms, end_ms_, 1000 * elapsed / simulated_ms, static_cast<double>(newton_iterations_) / steps_,
      static_cast<double>(linear_iterations_) / steps_, static_cast<int>(seconds_left) / 60,
      static_cast<int>(seconds_left) % 60));
  shown_ = true;
  last_shown_ = now;
  steps_ = newton_iterations_ = linear_iterations_ = 0;
}

void ProgressLine::clear() {
  if (!shown_) return;
  write_message("\r\033[K");
  shown_ = false;
}

}  // namespace cardiowarp
