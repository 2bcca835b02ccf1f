#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/config/time_config.hpp"
#include "app/simulation/beat_times.hpp"
#include "fem/vector3.hpp"

// The errors of a run's activation times and APD90, estimated from a second run of the same problem (Richardson). For
// those of the steps in time the second run has steps that are f times as long, f = 2 or 1/2: with a scheme of order p
// its error is f^p times that of the first, so that their difference is |f^p − 1| times the error of the first. What
// the mesh does to the answer is the same in both runs, and no part of that estimate. For the errors of the mesh the
// second run has edges half as long and the same steps. Linear elements have order 2, so that a quarter of the error is
// left and the difference is three quarters of it.

namespace cardiowarp {

class Simulation;
struct Problem;

/// The beat of a simulation with `nodes` nodes up to now.
BeatTimes beat_times(Simulation& simulation, std::size_t nodes);

/// The steps of the second run: twice as long, which costs half as much again as the first run, or half as long where
/// steps are equal and the scheme is of order 2. Such steps are as long while a stimulus acts as later, and twice as
/// long ones would be too long there for their errors to follow the order.
struct SecondSteps {
  TimeConfig time;          ///< all that is given or bounds a step is `length_factor` times as long
  Real output_interval_ms;  ///< as well, because steps of backward_euler end at its multiples
  Real length_factor;       ///< f
  Real tolerance_factor;    ///< f^(p+1), that of the error of one step, and so of `time.adaptive.tolerance`
  Real divisor;             ///< |f^p − 1|
};
SecondSteps second_steps(const TimeConfig& time, Real output_interval_ms);

/// The problem with the solvers' tolerances, where they follow from that of the step, for those steps.
Problem with_tolerance_of(const SecondSteps& second, Problem problem);

/// The difference of a run and one on the mesh refined once, divided by this, is the error of the first.
inline constexpr Real of_halved_edges = 0.75;

/// The errors of a run, as a second one shows them.
struct ErrorEstimate {
  BeatTimes errors;  ///< absolute, ms; −1 where one of the two runs has no such time
  /// The largest of the nodes that were activated at least `travelled_ms` after the first activation of the tissue;
  /// absent where there are none. The relative error is of the time since that activation.
  std::optional<Real> activation_ms, activation_percent, apd90_ms;
  std::optional<Real> median_percent = {};     ///< the median of the relative errors of activation times of these nodes
  std::optional<std::size_t> worst_node = {};  ///< with the largest relative error of the activation time
  Index in_one_run = 0;                        ///< nodes that were activated in one of the two runs alone

  /// How long a front has to travel before its errors are looked at. Near the stimulus its time is next to nothing, so
  /// that a relative error says nothing, and there are nodes whose potential the stimulus takes to just about 0 mV: the
  /// least change lets such a node be activated now or, by the front, some ms later, which is no error of any order.
  static constexpr Real travelled_ms = 10;
};
/// `second` is the run with other steps or a finer mesh.
ErrorEstimate estimate_error(const BeatTimes& first, const BeatTimes& second, Real divisor);

/// `activation times 0.05 % (0.031 ms) around (3, 4, 5) mm, median 0.01 %, APD90 0.06 ms`, with the place of the node
/// of `nodes`, those of the mesh, whose relative error is largest.
std::string in_words(const ErrorEstimate& estimate, const std::vector<Vector3>& nodes);

}  // namespace cardiowarp
