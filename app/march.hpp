#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "app/simulation/simulation.hpp"
#include "app/simulation/time_stepper.hpp"

namespace cardiowarp {

/// The steps in time of a run, those that were made and those to come.
struct March {
  explicit March(TimeStepper steps_to_take) : stepper(std::move(steps_to_take)) {}

  TimeStepper stepper;
  std::int64_t newton_iterations = 0, linear_iterations = 0;
  std::optional<StepFailure> failure = {};  ///< of the last step

  const StepCounts& steps() const { return stepper.counts(); }
  bool finished() const { return stepper.finished(); }  ///< at the end of the configured time
  Real last_attempt_ms() const;                         ///< where the last step should have ended; 0 before any

  void exchange(StateArchive& archive);
};

/// Whether a march keeps a progress line where messages are shown. One beside another has none.
enum class Progress { shown, hidden };

/// Step by step to the end, the first failure or until `stop` says so. `after_step` is called after each step, but asks
/// the simulation for a state only where `outlook` said before the step that it would (SteppedProblem::fly). `stop` is
/// asked before each step with which the simulation may end: in the midst of a flight its state is a later one.
void march_in_time(March& march, Real end_ms, Simulation& simulation, const std::function<Outlook()>& outlook,
                   const std::function<void()>& after_step, const std::function<bool()>& stop,
                   Progress shown = Progress::shown);

}  // namespace cardiowarp
