#include "app/output/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>

#include "app/process/log.hpp"
#include "app/process/standard_streams.hpp"
#include "app/simulation/simulation.hpp"

namespace cardiowarp {
namespace {

/// `0:07`, `1:50:17`
std::string clock_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// What is left at the rate that there has been.
double seconds_left(Real start_ms, Real now_ms, Real end_ms, double elapsed_seconds) {
  return elapsed_seconds * (end_ms - now_ms) / (now_ms - start_ms);
}

}  // namespace

std::string progress_in_words(Real start_ms, Real now_ms, Real end_ms, double elapsed_seconds) {
  return fmt::format("{:.5g} of {:.6g} ms, 1/{:.0f} of real time, {} left", now_ms, end_ms,
                     1000 * elapsed_seconds / (now_ms - start_ms),
                     clock_time(seconds_left(start_ms, now_ms, end_ms, elapsed_seconds)));
}

ProgressLine::ProgressLine(Real start_ms, Real end_ms, bool enabled, Clock::duration between_messages)
    : start_ms_(start_ms),
      end_ms_(end_ms),
      enabled_(enabled),
      on_terminal_(isatty(STDERR_FILENO) != 0),
      between_(on_terminal_ ? std::chrono::milliseconds(250) : between_messages) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::update(Real time_ms, const StepReport& step) {
  if (!enabled_) return;
  ++steps_;
  newton_iterations_ += step.newton_iterations;
  linear_iterations_ += step.linear_iterations;
  const auto now = Clock::now();
  if (now - last_shown_ < between_) return;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (on_terminal_)
    show_line(time_ms, elapsed);
  else
    log_info("{}", progress_in_words(start_ms_, time_ms, end_ms_, elapsed));
  last_shown_ = now;
  steps_ = newton_iterations_ = linear_iterations_ = 0;
}

void ProgressLine::clear() {
  if (!shown_) return;
  write_message("\r\033[K");
  shown_ = false;
}

void ProgressLine::show_line(Real time_ms, double elapsed) {
  write_message(
      fmt::format("\r\033[K{:8.2f} / {:.6g} ms   1/{:.0f} of real time   Newton {:.1f}, CG {:.1f} a step   {} left",
                  time_ms, end_ms_, 1000 * elapsed / (time_ms - start_ms_),
                  static_cast<double>(newton_iterations_) / steps_, static_cast<double>(linear_iterations_) / steps_,
                  clock_time(seconds_left(start_ms_, time_ms, end_ms_, elapsed))));
  shown_ = true;
}

}  // namespace cardiowarp
