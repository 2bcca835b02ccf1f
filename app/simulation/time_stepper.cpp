#include "app/simulation/time_stepper.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "app/checkpoint/state_archive.hpp"
#include "app/config/time_config.hpp"
#include "app/simulation/flight.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/tissue.hpp"
#include "app/simulation/volleys.hpp"

namespace cardiowarp {
namespace {

std::vector<PulseTrain> pulses_of(const std::vector<Stimulus>& stimuli) {
  std::vector<PulseTrain> pulses;
  for (const Stimulus& stimulus : stimuli)
    for (const Volley& volley : in_volleys(stimulus).volleys) pulses.push_back(volley.pulses);
  return pulses;
}

/// Differences of times without their rounding errors.
Real rounded_ms(Real length_ms) { return std::round(length_ms * 1e9) / 1e9; }

}  // namespace

TimeStepper::TimeStepper(const TimeConfig& time, Real output_interval_ms, const std::vector<Stimulus>& stimuli)
    : grid_{time.end_ms, time.step_ms}, tolerance_(time.adaptive.tolerance) {
  if (time.adaptive.enabled)
    control_.emplace(time, output_interval_ms, pulses_of(stimuli));
  else if (time.meets_edges())
    cuts_ = pulses_of(stimuli);
}

TimeStepper::TimeStepper(std::vector<StepAttempt> attempts) : replayed_(std::move(attempts)) {}

bool TimeStepper::finished() const {
  if (replayed_) return attempts_.size() == replayed_->size();
  return control_ ? control_->finished() : grid_steps_ >= grid_.steps();
}

StepReport TimeStepper::advance(SteppedProblem& problem, const Outlook& outlook) {
  StepReport before;
  for (bool is_repeated = false;; is_repeated = true) {
    // A step that is repeated is made by itself, so that the run can be stopped before the next flight.
    if (control_ && !is_repeated) fly(problem, outlook);
    const Real start_ms = problem.time_ms(), end_ms = next_ms();
    StepReport report = attempt(problem, end_ms);
    report.newton_iterations += before.newton_iterations;
    report.linear_iterations += before.linear_iterations;
    const bool accepted = !report.failure && !report.rejected;
    attempts_.push_back({end_ms, accepted});
    if (accepted) {
      count(rounded_ms(end_ms - start_ms), report.error);
      return report;
    }
    if (!can_repeat(report)) return report;
    ++counts_.rejected;
    before = std::move(report);
  }
}

void TimeStepper::exchange(StateArchive& archive) {
  Real reached_ms = now_ms();
  archive.value("stepper/now_ms", reached_ms);
  archive.value("stepper/grid_steps", grid_steps_);
  archive.value("stepper/accepted", counts_.accepted);
  archive.value("stepper/rejected", counts_.rejected);
  archive.value("stepper/above_tolerance", counts_.above_tolerance);
  archive.value("stepper/shortest_ms", counts_.shortest_ms);
  archive.value("stepper/longest_ms", counts_.longest_ms);
  if (control_) control_->exchange(archive);
  if (!archive.is_loading()) return;
  attempts_.clear();
  if (counts_.accepted > 0) attempts_.push_back({reached_ms, true});
  // An earlier end may have cut the last step short.
  while (grid_steps_ > 0 && grid_.time_ms(grid_steps_) > reached_ms + same_time_ms) --grid_steps_;
}

void TimeStepper::forget_earlier_attempts() {
  assert(!replayed_);
  if (attempts_.size() > 1) attempts_.erase(attempts_.begin(), attempts_.end() - 1);
}

Real TimeStepper::next_ms() const {
  if (replayed_) return (*replayed_)[attempts_.size()].end_ms;
  if (control_) return control_->next_ms();
  const Real end_ms = grid_.time_ms(grid_steps_ + 1);
  const Real edge_ms = next_edge_ms(cuts_, now_ms());
  return end_ms - edge_ms > same_time_ms ? edge_ms : end_ms;
}

void TimeStepper::fly(SteppedProblem& problem, const Outlook& outlook) {
  Flying* const flying = problem.flying();
  if (flying == nullptr) return;
  if (outlook.steps != 1 && !flying->flown_ms())
    flying->fly({control_->law(), control_->now(), control_->next_stop_ms(), outlook.look_ms, outlook.steps});
  if (const std::optional<Real> end_ms = flying->flown_ms()) control_->tried_to(*end_ms);
}

Real TimeStepper::now_ms() const { return attempts_.empty() ? 0 : attempts_.back().end_ms; }

StepReport TimeStepper::attempt(SteppedProblem& problem, Real end_ms) const {
  if (replayed_) {
    constexpr Real accept_any = std::numeric_limits<Real>::infinity(), accept_none = -1;
    return problem.try_step_to(end_ms, (*replayed_)[attempts_.size()].accepted ? accept_any : accept_none);
  }
  return control_ ? problem.try_step_to(end_ms, control_->largest_error()) : problem.step_to(end_ms);
}

void TimeStepper::count(Real length_ms, std::optional<Real> error) {
  counts_.shortest_ms = counts_.accepted > 0 ? std::min(counts_.shortest_ms, length_ms) : length_ms;
  counts_.longest_ms = std::max(counts_.longest_ms, length_ms);
  ++counts_.accepted;
  if (replayed_) return;
  if (!control_) {
    if (attempts_.back().end_ms == grid_.time_ms(grid_steps_ + 1)) ++grid_steps_;
    return;
  }
  if (error > tolerance_) ++counts_.above_tolerance;
  control_->accept(error);
}

bool TimeStepper::can_repeat(const StepReport& report) {
  if (replayed_) return !(*replayed_)[attempts_.size() - 1].accepted;  // else it fails where the other did not
  if (!control_) return false;
  if (report.failure) return control_->shorten();
  control_->reject(*report.error);
  return true;
}

}  // namespace cardiowarp
