#include "app/simulation/error_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

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

std::optional<Real> largest_of(const std::vector<Real>& errors) {
  const auto largest = std::max_element(errors.begin(), errors.end());
  if (largest == errors.end() || *largest < 0) return std::nullopt;
  return *largest;
}

std::optional<Real> largest_percent(const std::vector<Real>& errors, const std::vector<Real>& activation_ms) {
  Real first_ms = std::numeric_limits<Real>::infinity();
  for (const Real time_ms : activation_ms)
    if (time_ms >= 0) first_ms = std::min(first_ms, time_ms);
  std::optional<Real> largest;
  for (std::size_t node = 0; node < errors.size(); ++node) {
    const Real travelled_ms = activation_ms[node] - first_ms;
    if (errors[node] >= 0 && travelled_ms >= ErrorEstimate::travelled_ms)
      largest = std::max(largest.value_or(0), 100 * errors[node] / travelled_ms);
  }
  return largest;
}

}  // namespace

BeatTimes beat_times(Simulation& simulation, std::size_t nodes) {
  BeatTimes times{std::vector<Real>(nodes), std::vector<Real>(nodes)};
  simulation.activation_time_ms(times.activation_ms);
  simulation.apd90_ms(times.apd90_ms);
  return times;
}

DoubledSteps double_steps(const TimeConfig& time, Real output_interval_ms) {
  const Real growth = time.scheme == TimeScheme::backward_euler ? 2 : 4;
  DoubledSteps doubled{time, 2 * output_interval_ms, 2 * growth, growth - 1};
  doubled.time.step_ms *= 2;
  doubled.time.adaptive.min_step_ms *= 2;
  doubled.time.adaptive.max_step_ms *= 2;
  doubled.time.adaptive.tolerance *= doubled.tolerance_factor;
  return doubled;
}

Problem with_tolerance_of(const DoubledSteps& doubled, Problem problem) {
  if (doubled.time.adaptive.enabled) problem.time.tolerance = doubled.time.adaptive.tolerance;
  return problem;
}

ErrorEstimate estimate_error(const BeatTimes& first, const BeatTimes& second, Real divisor) {
  ErrorEstimate estimate;
  estimate.errors.activation_ms = errors_of(first.activation_ms, second.activation_ms, divisor);
  estimate.errors.apd90_ms = errors_of(first.apd90_ms, second.apd90_ms, divisor);
  estimate.activation_ms = largest_of(estimate.errors.activation_ms);
  estimate.activation_percent = largest_percent(estimate.errors.activation_ms, first.activation_ms);
  estimate.apd90_ms = largest_of(estimate.errors.apd90_ms);
  for (std::size_t node = 0; node < first.activation_ms.size(); ++node)
    if ((first.activation_ms[node] >= 0) != (second.activation_ms[node] >= 0)) ++estimate.in_one_run;
  return estimate;
}

std::string in_words(const ErrorEstimate& estimate) {
  if (!estimate.activation_ms) return "no node was activated in both runs";
  std::string words = "activation times ";
  if (estimate.activation_percent)
    words += fmt::format("{:.2g} % ({:.2g} ms)", *estimate.activation_percent, *estimate.activation_ms);
  else
    words += fmt::format("{:.2g} ms", *estimate.activation_ms);
  if (estimate.apd90_ms) return words + fmt::format(", APD90 {:.2g} ms", *estimate.apd90_ms);
  return words + ", APD90 not known (no node repolarised in both runs)";
}

}  // namespace cardiowarp
