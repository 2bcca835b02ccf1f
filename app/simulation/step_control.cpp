#include "app/simulation/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cardiowarp {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr Real same_time_ms = 1e-8;  ///< stops that are nearer to each other are one
constexpr Real rounding = 1e-6;      ///< of a step, relative
constexpr Real safety = 0.9;
constexpr Real largest_growth = 2, smallest_growth = 0.2;

}  // namespace

Real next_edge_ms(const std::vector<PulseTrain>& pulses, Real time_ms) {
  Real next = infinity;
  for (const PulseTrain& train : pulses) next = std::min(next, train.next_edge_ms(time_ms + same_time_ms));
  return next;
}

StepControl::StepControl(const TimeConfig& time, Real output_interval_ms, std::vector<PulseTrain> pulses)
    : config_(time.adaptive),
      error_order_(time.scheme == TimeScheme::backward_euler ? 2 : 3),
      end_ms_(time.end_ms),
      first_step_ms_(time.step_ms),
      output_interval_ms_(time.interpolates() ? infinity : output_interval_ms),
      pulses_(std::move(pulses)),
      proposed_ms_(time.step_ms) {
  plan();
}

Real StepControl::largest_error() const { return is_shortest() ? infinity : config_.tolerance; }

void StepControl::accept(std::optional<Real> error) {
  const Real step = step_ms();
  if (error) {
    const Real ratio = std::max<Real>(*error / config_.tolerance, 1e-10);
    // h ← 0.9 h ratio^(−0.6/k) ratio_before^(0.2/k), at first 0.9 h ratio^(−1/k), for an error that grows by h^k
    const Real factor = previous_ratio_
                            ? std::pow(ratio, -0.6 / error_order_) * std::pow(*previous_ratio_, 0.2 / error_order_)
                            : 1 / root(ratio);
    // A step that a stop cut short says nothing against the one proposed before it.
    const Real longest = std::max(largest_growth * step, proposed_ms_);
    proposed_ms_ = std::clamp(std::max(safety * factor, smallest_growth) * step, config_.min_step_ms,
                              std::min(longest, config_.max_step_ms));
    previous_ratio_ = ratio;
  }
  const bool edge = next_edge_ms(pulses_, time_ms_) <= next_ms_ + same_time_ms;
  time_ms_ = next_ms_;
  if (edge) {
    proposed_ms_ = std::min(proposed_ms_, first_step_ms_);
    previous_ratio_.reset();
  }
  plan();
}

void StepControl::reject(Real error) {
  const Real factor = std::clamp(safety * root(config_.tolerance / error), smallest_growth, safety);
  proposed_ms_ = std::max(factor * step_ms(), config_.min_step_ms);
  previous_ratio_.reset();
  plan();
}

bool StepControl::shorten() {
  if (is_shortest()) return false;
  proposed_ms_ = std::max(step_ms() / 2, config_.min_step_ms);
  previous_ratio_.reset();
  plan();
  return true;
}

void StepControl::exchange(StateArchive& archive) {
  archive.value("control/time_ms", time_ms_);
  archive.value("control/proposed_ms", proposed_ms_);
  archive.value("control/previous_ratio", previous_ratio_);
  plan();  // the same, unless the end is another
}

Real StepControl::root(Real ratio) const { return error_order_ == 2 ? std::sqrt(ratio) : std::cbrt(ratio); }

bool StepControl::is_shortest() const { return step_ms() <= config_.min_step_ms * (1 + rounding); }

Real StepControl::next_stop_ms() const {
  const Real output = (std::floor((time_ms_ + same_time_ms) / output_interval_ms_) + 1) * output_interval_ms_;
  Real stop = std::min({next_edge_ms(pulses_, time_ms_), output, end_ms_});
  for (const Real exact : {output, end_ms_})
    if (exact - stop <= same_time_ms) stop = exact;
  return stop;
}

void StepControl::plan() {
  const Real stop = next_stop_ms(), left = stop - time_ms_;
  const Real step = proposed_ms_ * (1 + rounding);
  if (left <= step)
    next_ms_ = stop;
  else
    next_ms_ = time_ms_ + (left <= 2 * step ? left / 2 : proposed_ms_);
}

}  // namespace cardiowarp
