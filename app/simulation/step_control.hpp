#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "app/simulation/step_law.hpp"
#include "fem/stimulus.hpp"

namespace cardiowarp {

class StateArchive;
struct TimeConfig;

// Finds the lengths of adaptive steps. TimeStepper tries the step that ends at next_ms(), says how large its error was
// or that it had no solution, and gets the next one to try. The control keeps the error of a step below
// `time.adaptive.tolerance` where it can, between the shortest and the longest step that are allowed. It knows times in
// ms and errors in φ, and nothing of the simulation. Its law is StepLaw (step_law.hpp), which machines apply, too.

/// The first edge of a pulse after `time_ms`; edges as near as rounding are one with it.
Real next_edge_ms(const std::vector<PulseTrain>& pulses, Real time_ms);

/// Finds the steps of `time.adaptive` from their estimated errors: a step of error e and order p may grow by
/// (tolerance / e)^(1/(p+1)), which a proportional-integral controller (Söderlind 2003, ACM TOMS 29, PI.4.2) makes
/// smooth. Steps end exactly on the stops: where a stimulus begins or ends, at the multiples of the output interval,
/// where the scheme does not interpolate, and at the end. The time to a stop is taken in equal halves where it is less
/// than two steps, so that none gets tiny. From the edge of a stimulus on, the first step is at most `time.step`.
class StepControl {
 public:
  StepControl(const TimeConfig& time, Real output_interval_ms, std::vector<PulseTrain> pulses);

  bool finished() const { return plan_.time_ms >= end_ms_; }
  Real next_ms() const { return plan_.next_ms; }  ///< end of the step to try
  /// The largest error with which that step is to be accepted; infinite if it is the shortest possible step.
  Real largest_error() const { return law_.largest_error(plan_); }

  void accept(std::optional<Real> error);
  void reject(Real error);

  // The numbers for a flight that is to make the next steps in the same way.
  const StepLaw& law() const { return law_; }
  const StepPlan& now() const { return plan_; }
  Real next_stop_ms() const;  ///< where a step has to end
  /// The step that was tried ended at `end_ms`, where the machine had it end.
  void tried_to(Real end_ms) { plan_.next_ms = end_ms; }

  /// Saves or loads the numbers of the steps so far by which the next one is chosen.
  void exchange(StateArchive& archive);

  /// To be called after a step that had no solution. Returns false if there is no shorter step to try.
  bool shorten();

 private:
  void plan() { law_.plan_to(plan_, next_stop_ms()); }

  StepLaw law_;
  Real end_ms_, first_step_ms_, output_interval_ms_;
  std::vector<PulseTrain> pulses_;
  StepPlan plan_;
};

}  // namespace cardiowarp
