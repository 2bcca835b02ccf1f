#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"

// The error in time of a run's activation times and APD90, estimated from a second run of the same problem with steps
// twice as long (Richardson). With a scheme of order p the error of the second run is 2^p times that of the first, so
// that their difference is 2^p − 1 times the error of the first. What the mesh does to the answer is the same in both
// runs, and no part of the estimate.

namespace cardiowarp {

/// Activation time and APD90 of each node, ms; −1 where there is none.
struct BeatTimes {
  std::vector<Real> activation_ms, apd90_ms;
};

/// The beat of a simulation with `nodes` nodes up to now.
BeatTimes beat_times(Simulation& simulation, std::size_t nodes);

/// The steps of the second run.
struct DoubledSteps {
  TimeConfig time;          ///< all that is given or bounds a step is twice as long
  Real output_interval_ms;  ///< twice as long, because steps of backward_euler end at its multiples
  Real tolerance_factor;    ///< by which `time.adaptive.tolerance` grew: 2^(p+1), the error of one step
  Real divisor;             ///< 2^p − 1
};
DoubledSteps double_steps(const TimeConfig& time, Real output_interval_ms);

/// The problem with the solvers' tolerances, where they follow from that of the step, for those steps.
Problem with_tolerance_of(const DoubledSteps& doubled, Problem problem);

/// What a second run says of the first.
struct ErrorEstimate {
  BeatTimes errors;                        ///< absolute, ms; −1 where one of the two runs has no such time
  std::optional<Real> activation_ms;       ///< the largest; absent where there is no node with both times
  std::optional<Real> activation_percent;  ///< the largest, of the time since the first activation of the tissue, of
                                           ///< the nodes that were activated at least `travelled_ms` after it
  std::optional<Real> apd90_ms;            ///< the largest
  Index in_one_run = 0;                    ///< nodes that were activated in one of the two runs alone

  /// What a front has to travel before its error is held against the time it took: near the stimulus the time is next
  /// to nothing, and so the relative error says nothing.
  static constexpr Real travelled_ms = 10;
};
ErrorEstimate estimate_error(const BeatTimes& fine, const BeatTimes& coarse, Real divisor);

/// `activation times 0.05 % (0.031 ms), APD90 0.06 ms`
std::string in_words(const ErrorEstimate& estimate);

}  // namespace cardiowarp
