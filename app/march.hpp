#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/simulation/simulation.hpp"
#include "app/simulation/time_stepper.hpp"

namespace cardiowarp {

struct Config;
struct Problem;

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

/// The calls that a march makes beside its steps.
struct BesideSteps {
  std::function<Outlook()> outlook;  ///< is asked before each step
  /// Is called after each step. It asks the simulation for a state only where `outlook` said before the step that it
  /// would (Flying::fly).
  std::function<void()> after_step;
  /// Ends the march where it returns true. It is asked before each step with which the simulation may end: in the midst
  /// of a flight its state is a later one.
  std::function<bool()> stop;
  Progress shown = Progress::shown;
};

/// Step by step to the end, to the first failure or until it is stopped.
void march_in_time(March& march, Real end_ms, Simulation& simulation, const BesideSteps& beside);

/// Why the march, which has a failure, could not go on from `time_ms`, the time of its last good step: step, time,
/// worst node and its potential, and for a potential outside the range of the cell model where that came from.
std::string failure_in_words(const March& march, const Config& config, const Problem& problem, Real time_ms);

}  // namespace cardiowarp
