#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "app/config/time_grid.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/step_control.hpp"
#include "fem/stimulus.hpp"

namespace cardiowarp {

class StateArchive;
struct Stimulus;
struct TimeConfig;

// Decides which steps a run takes. `run`, `compare` and cardiowarp_petsc call advance() until finished(). The steps are
// equal, or adaptive, or those of an earlier run, which lets the sides of a comparison do the same work. The attempts
// are kept, 16 bytes each, unless they are to be forgotten.

/// A step that was tried.
struct StepAttempt {
  Real end_ms;
  bool accepted;
};

/// The steps that a run took.
struct StepCounts {
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;         ///< repeated shorter: too large an error or no solution
  std::int64_t above_tolerance = 0;  ///< accepted in spite of their error: at `min_step`
  Real shortest_ms = 0, longest_ms = 0;
};

/// How many steps may be made before somebody looks at the state.
struct Outlook {
  int steps = 1;                                         ///< at most; 0: as many as suit the machine
  Real look_ms = std::numeric_limits<Real>::infinity();  ///< the first step that reaches this is looked at
};

/// Advances a simulation step by step: the equal steps of TimeGrid, cut where a stimulus begins or ends if the scheme
/// is of higher order, those that StepControl finds, or those of an earlier run.
class TimeStepper {
 public:
  TimeStepper(const TimeConfig& time, Real output_interval_ms, const std::vector<Stimulus>& stimuli);
  /// Repeats the attempts of another stepper, those that it rejected too: the same work.
  explicit TimeStepper(std::vector<StepAttempt> attempts);

  bool finished() const;

  /// One step of the problem, which is at the end of the last. The report has the iterations of the attempts that
  /// were rejected before it, too; a failure is that of the last attempt. Adaptive steps that are not looked at may
  /// already be under way when this returns (SteppedProblem::fly).
  StepReport advance(SteppedProblem& problem, const Outlook& outlook = {});

  /// Where the steps are and what they were. Of the attempts only the last is kept. A stepper that loads may have
  /// another end.
  void exchange(StateArchive& archive);

  const StepCounts& counts() const { return counts_; }
  const std::vector<StepAttempt>& attempts() const { return attempts_; }
  /// Forgets all attempts but the last, by which the steps go on. Not for a stepper that repeats another's.
  void forget_earlier_attempts();

 private:
  Real now_ms() const;
  Real next_ms() const;
  void fly(SteppedProblem& problem, const Outlook& outlook);
  StepReport attempt(SteppedProblem& problem, Real end_ms) const;
  void count(Real length_ms, std::optional<Real> error);
  bool can_repeat(const StepReport& report);

  TimeGrid grid_{};
  std::int64_t grid_steps_ = 0;  ///< done
  std::vector<PulseTrain> cuts_;
  std::optional<StepControl> control_;
  std::optional<std::vector<StepAttempt>> replayed_;
  Real tolerance_ = 0;
  std::vector<StepAttempt> attempts_;
  StepCounts counts_;
};

}  // namespace cardiowarp
