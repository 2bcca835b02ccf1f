#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"

// The errors of a run's activation times and APD90, estimated from a second run of the same problem (Richardson). For
// those of the steps in time the second run has steps twice as long: with a scheme of order p its error is 2^p times
// that of the first, so that their difference is 2^p − 1 times the error of the first. What the mesh does to the answer
// is the same in both runs, and no part of that estimate. For the errors of the mesh the second run has edges half as
// long and the same steps. Linear elements have order 2, so that a quarter of the error is left and the difference is
// three quarters of it.

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

/// What the difference of a run and one on the mesh refined once is divided by to be the error of the first.
inline constexpr Real of_halved_edges = 0.75;

/// The errors of the maps of a run, each kind where it was estimated.
struct MapErrors {
  std::optional<BeatTimes> in_time, of_mesh;
};

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
ErrorEstimate estimate_error(const BeatTimes& first, const BeatTimes& second, Real divisor);

/// `activation times 0.05 % (0.031 ms), APD90 0.06 ms`
std::string in_words(const ErrorEstimate& estimate);

}  // namespace cardiowarp
