#include "app/simulation/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/checkpoint/state_archive.hpp"
#include "app/config/time_config.hpp"

namespace cardiowarp {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();

}  // namespace

Real next_edge_ms(const std::vector<PulseTrain>& pulses, Real time_ms) {
  Real next = infinity;
  for (const PulseTrain& train : pulses) next = std::min(next, train.next_edge_ms(time_ms + same_time_ms));
  return next;
}

StepControl::StepControl(const TimeConfig& time, Real output_interval_ms, std::vector<PulseTrain> pulses)
    : law_{time.adaptive.tolerance, time.adaptive.min_step_ms, time.adaptive.max_step_ms, time.order() + 1},
      end_ms_(time.end_ms),
      first_step_ms_(time.step_ms),
      output_interval_ms_(time.interpolates() ? infinity : output_interval_ms),
      pulses_(std::move(pulses)),
      plan_{.proposed_ms = time.step_ms} {
  plan();
}

void StepControl::accept(std::optional<Real> error) {
  if (error) law_.accept(plan_, *error);
  const bool edge = next_edge_ms(pulses_, plan_.time_ms) <= plan_.next_ms + same_time_ms;
  plan_.time_ms = plan_.next_ms;
  if (edge) {
    plan_.proposed_ms = std::min(plan_.proposed_ms, first_step_ms_);
    plan_.previous_ratio = 0;
  }
  plan();
}

void StepControl::reject(Real error) {
  law_.reject(plan_, error);
  plan();
}

bool StepControl::shorten() {
  if (law_.is_shortest(plan_)) return false;
  plan_.proposed_ms = std::max(plan_.step_ms() / 2, law_.min_step_ms);
  plan_.previous_ratio = 0;
  plan();
  return true;
}

void StepControl::exchange(StateArchive& archive) {
  std::optional<Real> previous_ratio;
  if (plan_.previous_ratio > 0) previous_ratio = plan_.previous_ratio;
  archive.value("control/time_ms", plan_.time_ms);
  archive.value("control/proposed_ms", plan_.proposed_ms);
  archive.value("control/previous_ratio", previous_ratio);
  plan_.previous_ratio = previous_ratio.value_or(0);
  plan();  // the same, unless the end is another
}

Real StepControl::next_stop_ms() const {
  const Real output = (std::floor((plan_.time_ms + same_time_ms) / output_interval_ms_) + 1) * output_interval_ms_;
  Real stop = std::min({next_edge_ms(pulses_, plan_.time_ms), output, end_ms_});
  for (const Real exact : {output, end_ms_})
    if (exact - stop <= same_time_ms) stop = exact;
  return stop;
}

}  // namespace cardiowarp
