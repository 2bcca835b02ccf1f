#include "app/simulation/error_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"

namespace cardiowarp {
namespace {

std::vector<Real> errors_of(const std::vector<Real>& first_ms, const std::vector<Real>& second_ms, Real divisor) {
  assert(first_ms.size() == second_ms.size());
  std::vector<Real> errors(first_ms.size(), -1);
  for (std::size_t node = 0; node < errors.size(); ++node)
    if (first_ms[node] >= 0 && second_ms[node] >= 0)
      errors[node] = std::fabs(first_ms[node] - second_ms[node]) / divisor;
  return errors;
}

/// [nodes] the time since the first activation of the tissue; negative where there was none.
std::vector<Real> travelled_ms(const std::vector<Real>& activation_ms) {
  Real first_ms = std::numeric_limits<Real>::infinity();
  for (const Real time_ms : activation_ms)
    if (time_ms >= 0) first_ms = std::min(first_ms, time_ms);
  std::vector<Real> travelled(activation_ms.size(), -1);
  for (std::size_t node = 0; node < travelled.size(); ++node)
    if (activation_ms[node] >= 0) travelled[node] = activation_ms[node] - first_ms;
  return travelled;
}

}  // namespace

BeatTimes beat_times(Simulation& simulation, std::size_t nodes) {
  BeatTimes times{std::vector<Real>(nodes), std::vector<Real>(nodes)};
  simulation.activation_time_ms(times.activation_ms);
  simulation.apd90_ms(times.apd90_ms);
  return times;
}

SecondSteps second_steps(const TimeConfig& time, Real output_interval_ms) {
  const int order = time.order();
  const Real factor = order == 2 && !time.adaptive.enabled ? 0.5 : 2;
  const Real of_error = std::pow(factor, order);
  SecondSteps second{time, factor * output_interval_ms, factor, factor * of_error, std::fabs(of_error - 1)};
  second.time.step_ms *= factor;
  second.time.adaptive.min_step_ms *= factor;
  second.time.adaptive.max_step_ms *= factor;
  second.time.adaptive.tolerance *= second.tolerance_factor;
  return second;
}

Problem with_tolerance_of(const SecondSteps& second, Problem problem) {
  problem.time.tolerance *= second.tolerance_factor;
  problem.ecg = {};
  problem.beats = {};
  return problem;
}

ErrorEstimate estimate_error(const BeatTimes& first, const BeatTimes& second, Real divisor) {
  ErrorEstimate estimate;
  const std::vector<Real>& activation = estimate.errors.activation_ms =
      errors_of(first.activation_ms, second.activation_ms, divisor);
  const std::vector<Real>& apd90 = estimate.errors.apd90_ms = errors_of(first.apd90_ms, second.apd90_ms, divisor);
  const std::vector<Real> travelled = travelled_ms(first.activation_ms);
  const auto raise = [](std::optional<Real>& largest, Real error) { largest = std::max(largest.value_or(0), error); };
  std::vector<Real> percents;
  for (std::size_t node = 0; node < travelled.size(); ++node) {
    if ((first.activation_ms[node] >= 0) != (second.activation_ms[node] >= 0)) ++estimate.in_one_run;
    if (travelled[node] < ErrorEstimate::travelled_ms) continue;
    if (activation[node] >= 0) {
      raise(estimate.activation_ms, activation[node]);
      const Real percent = 100 * activation[node] / travelled[node];
      if (percent > estimate.activation_percent.value_or(-1)) estimate.worst_node = node;
      raise(estimate.activation_percent, percent);
      percents.push_back(percent);
    }
    if (apd90[node] >= 0) raise(estimate.apd90_ms, apd90[node]);
  }
  if (!percents.empty()) {
    const auto middle = percents.begin() + static_cast<std::ptrdiff_t>(percents.size() / 2);
    std::nth_element(percents.begin(), middle, percents.end());
    estimate.median_percent = *middle;
  }
  return estimate;
}

std::string in_words(const ErrorEstimate& estimate, const std::vector<Vector3>& nodes) {
  if (!estimate.activation_ms)
    return fmt::format("not known, as no node was activated in both runs at least {:g} ms after the first one",
                       ErrorEstimate::travelled_ms);
  const Vector3& worst = nodes[*estimate.worst_node];
  const std::string words = fmt::format(
      "activation times {:.2g} % ({:.2g} ms) around ({:.3g}, {:.3g}, {:.3g}) mm, median {:.2g} %",
      *estimate.activation_percent, *estimate.activation_ms, worst.x, worst.y, worst.z, *estimate.median_percent);
  if (estimate.apd90_ms) return fmt::format("{}, APD90 {:.2g} ms", words, *estimate.apd90_ms);
  return words + ", APD90 not known (no such node repolarized in both runs)";
}

}  // namespace cardiowarp
