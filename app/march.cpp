#include "app/march.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/advice/failure_place.hpp"
#include "app/checkpoint/state_archive.hpp"
#include "app/output/progress.hpp"
#include "app/process/log.hpp"
#include "app/process/memory_reserve.hpp"
#include "app/simulation/problem.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

Real March::last_attempt_ms() const { return stepper.attempts().empty() ? 0 : stepper.attempts().back().end_ms; }

void March::exchange(StateArchive& archive) {
  archive.value("march/newton_iterations", newton_iterations);
  archive.value("march/linear_iterations", linear_iterations);
  stepper.exchange(archive);
}

void march_in_time(March& march, Real end_ms, Simulation& simulation, const BesideSteps& beside) {
  ProgressLine progress(simulation.time_ms(), end_ms, beside.shown == Progress::shown && is_logged(LogLevel::info));
  while (!march.finished() && !march.failure && (simulation.flown_ms() || !beside.stop())) {
    hold_memory_reserve();
    const StepReport step = march.stepper.advance(simulation, beside.outlook());
    march.newton_iterations += step.newton_iterations;
    march.linear_iterations += step.linear_iterations;
    march.failure = step.failure;
    if (march.failure) continue;
    march.stepper.forget_earlier_attempts();
    beside.after_step();
    progress.update(simulation.time_ms(), step);
  }
}

std::string failure_in_words(const March& march, const Config& config, const Problem& problem, Real time_ms) {
  const StepFailure& failure = *march.failure;
  const Vector3 at = problem.mesh->nodes[failure.node];
  std::string words =
      fmt::format("step {} (t = {:.6g} ms): {}; worst at node {} ({:.6g}, {:.6g}, {:.6g}) mm with {}",
                  march.steps().accepted + 1, march.last_attempt_ms(), failure.reason, failure.node, at.x, at.y, at.z,
                  std::isfinite(failure.potential_mv) ? fmt::format("{:.6g} mV", failure.potential_mv)
                                                      : "a potential that is no number");
  if (failure.left_range)
    words += "; " + describe_failure_place(config, problem, failure, march.last_attempt_ms(),
                                           march.last_attempt_ms() - time_ms);
  return words;
}

}  // namespace cardiowarp
