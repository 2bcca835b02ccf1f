#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "app/checkpoint/state_archive.hpp"
#include "app/config/config.hpp"
#include "fem/stimulus.hpp"

namespace cardiowarp {

// Finds the lengths of adaptive steps. TimeStepper tries the step that ends at next_ms(), says how large its error was
// or that it had no solution, and gets the next one to try. The control keeps the error of a step below
// `time.adaptive.tolerance` where it can, between the shortest and the longest step that are allowed. It knows times in
// ms and errors in φ, and nothing of the simulation.

/// The first edge of a pulse after `time_ms`; edges as near as rounding are one with it.
Real next_edge_ms(const std::vector<PulseTrain>& pulses, Real time_ms);

/// Finds the steps of `time.adaptive` from their estimated errors: a step of error e and order p may grow by
/// (tolerance / e)^(1/(p+1)), which a proportional-integral controller (Söderlind 2003, ACM TOMS 29, PI.4.2) makes
/// smooth. Steps end exactly on the stops: where a stimulus begins or ends, at the multiples of the output interval,
/// where the scheme does not interpolate, and at the end. What remains to a stop is taken in equal halves where it is
/// less than two steps, so that none gets tiny. From the edge of a stimulus on, the first step is at most `time.step`.
class StepControl {
 public:
  StepControl(const TimeConfig& time, Real output_interval_ms, std::vector<PulseTrain> pulses);

  bool finished() const { return time_ms_ >= end_ms_; }
  Real next_ms() const { return next_ms_; }  ///< end of the step to try
  /// The largest error with which that step is to be accepted; infinite if it is the shortest possible step.
  Real largest_error() const;

  void accept(std::optional<Real> error);
  void reject(Real error);
  /// What the steps so far say of the next.
  void exchange(StateArchive& archive);

  /// To be called after a step that had no solution. Returns false if there is no shorter step to try.
  bool shorten();

 private:
  Real step_ms() const { return next_ms_ - time_ms_; }
  bool is_shortest() const;
  Real next_stop_ms() const;
  Real root(Real ratio) const;
  void plan();

  AdaptiveConfig config_;
  int error_order_;  ///< of the error of a step, one above that of the scheme
  Real end_ms_, first_step_ms_, output_interval_ms_;
  std::vector<PulseTrain> pulses_;
  Real time_ms_ = 0, next_ms_ = 0;
  Real proposed_ms_;                    ///< the next step, if no stop is near
  std::optional<Real> previous_ratio_;  ///< error / tolerance of the step before
};

}  // namespace cardiowarp
