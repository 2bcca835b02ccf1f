#include "app/march.hpp"

#include <spdlog/spdlog.h>

#include "app/output/progress.hpp"

namespace cardiowarp {

March march_in_time(TimeStepper stepper, Real end_ms, Simulation& simulation, const std::function<void()>& record,
                    const InterruptGuard& interrupts) {
  March march;
  record();
  ProgressLine progress(end_ms, spdlog::should_log(spdlog::level::info));
  while (!stepper.finished() && !march.failure && !interrupts.stop_requested()) {
    const StepReport step = stepper.advance(simulation);
    march.newton_iterations += step.newton_iterations;
    march.linear_iterations += step.linear_iterations;
    march.failure = step.failure;
    if (march.failure) continue;
    record();
    progress.update(simulation.time_ms(), step);
  }
  march.steps = stepper.counts();
  march.finished = stepper.finished();
  if (!stepper.attempts().empty()) march.last_attempt_ms = stepper.attempts().back().end_ms;
  return march;
}

}  // namespace cardiowarp
