#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "app/process/interrupt.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/time_stepper.hpp"

namespace cardiowarp {

/// How the steps in time went.
struct March {
  StepCounts steps;
  std::int64_t newton_iterations = 0, linear_iterations = 0;
  Real last_attempt_ms = 0;            ///< where the last step should have ended
  std::optional<StepFailure> failure;  ///< of the last step
  bool finished = false;               ///< at the end of the configured time
};

/// Step by step to the end, the first failure or a signal; `record` is called at the start and after each step. A
/// progress line is kept where messages are shown.
March march_in_time(TimeStepper stepper, Real end_ms, Simulation& simulation, const std::function<void()>& record,
                    const InterruptGuard& interrupts);

}  // namespace cardiowarp
