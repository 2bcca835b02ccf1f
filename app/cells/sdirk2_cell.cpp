#include "app/cells/sdirk2_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/simulation/step_formula.hpp"
#include "app/simulation/step_law.hpp"

namespace cardiowarp {
namespace {

constexpr StepFormula formula = step_formula::sdirk2;
/// Of the potential, in mV, for errors and for Newton's method.
constexpr Real mv_per_phi = 100, newton_tolerance_mv = 1e-6;
constexpr Real first_step_ms = 1e-3, shortest_step_ms = 1e-7, longest_step_ms = 1;

}  // namespace

Sdirk2Cell::Sdirk2Cell(IonicCell cell, Real tolerance)
    : cell_(std::move(cell)),
      tolerance_(tolerance),
      potential_mv_(cell_.start().potential_mv),
      states_(cell_.start().states),
      start_(states_.size()),
      rates_(states_.size()),
      first_{0, std::vector<Real>(states_.size())},
      second_{0, std::vector<Real>(states_.size())} {}

void Sdirk2Cell::set_state(const SingleCellState& state) {
  time_ms_ = state.time_ms;
  potential_mv_ = state.potential_mv;
  states_ = state.states;
}

Real Sdirk2Cell::rate_now() { return -cell_.model->rates(cell_, potential_mv_, states_.data(), rates_.data()); }

BeatReport Sdirk2Cell::beat(double period_ms, const CellPulse& pulse, const OnPoint& on_point) {
  const Real begin = time_ms_, pulse_ms = std::min(pulse.duration_ms, period_ms);
  BeatCurve curve(begin);
  if (on_point) on_point(begin, potential_mv_, states_);
  rate_ = rate_now();
  if (pulse_ms > 0) advance(begin + pulse_ms, pulse.amplitude_mv_per_ms, curve, on_point);
  if (pulse_ms < period_ms) advance(begin + period_ms, 0, curve, on_point);
  return curve.report();
}

void Sdirk2Cell::advance(Real end_ms, Real source, BeatCurve& curve, const OnPoint& on_point) {
  const StepLaw law{tolerance_, shortest_step_ms, longest_step_ms, 3};
  StepPlan plan{.time_ms = time_ms_, .proposed_ms = first_step_ms};
  while (plan.time_ms < end_ms) {
    law.plan_to(plan, end_ms);
    const Real h = plan.step_ms();
    if (!try_step(h, source)) {
      if (law.is_shortest(plan))
        throw NumericalFailure(fmt::format("at {:.9g} ms and {:.6g} mV no step is short enough for a solution",
                                           plan.time_ms, potential_mv_));
      plan.proposed_ms = std::max(h / 2, shortest_step_ms);
      plan.previous_ratio = 0;
      continue;
    }
    const Real end_mv = second_.potential_mv,
               error = std::abs(potential_mv_ + h * (source + (rate_ + rate_at_end_) / 2) - end_mv) / mv_per_phi;
    if (!(error <= law.largest_error(plan))) {
      law.reject(plan, error);
      continue;
    }
    curve.add(hermite_piece(plan.time_ms, h, {potential_mv_, end_mv}, {rate_ + source, rate_at_end_ + source}));
    law.accept(plan, error);
    plan.time_ms = time_ms_ = plan.next_ms;
    potential_mv_ = end_mv;
    states_.swap(second_.states);
    rate_ = rate_at_end_;
    if (on_point) on_point(time_ms_, potential_mv_, states_);
  }
}

// Guesses by the rate at the step's beginning, and by the line through that and the first stage's
bool Sdirk2Cell::try_step(Real h, Real source) {
  const Real length = formula.length * h;
  if (!solve(first_, potential_mv_ + length * (rate_ + source), potential_mv_, states_, length, source)) return false;
  const Real of_first = (first_.potential_mv - potential_mv_) / length - source;
  const Real start_mv = potential_mv_ + formula.beyond * (first_.potential_mv - potential_mv_);
  for (std::size_t i = 0; i < states_.size(); ++i)
    start_[i] = states_[i] + formula.beyond * (first_.states[i] - states_[i]);
  const Real guess = start_mv + length * (of_first + source + formula.rest_over_first() * (of_first - rate_));
  if (!solve(second_, guess, start_mv, start_, length, source)) return false;
  rate_at_end_ = (second_.potential_mv - start_mv) / length - source;
  return true;
}

// V − V̂ − θ (source − I(V)) = 0 by Newton's method, and once more from V̂ where a guess leads nowhere
bool Sdirk2Cell::solve(Stage& stage, Real guess_mv, Real start_mv, const std::vector<Real>& start, Real length,
                       Real source) {
  constexpr int most_iterations = 20;
  for (const Real begin_mv : {guess_mv, potential_mv_}) {
    Real V = begin_mv;
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      const IonicCurrent ionic = cell_.model->stage(cell_, V, start.data(), length, stage.states.data());
      const Real slope = 1 + length * ionic.slope;
      if (!std::isfinite(ionic.current) || !(slope > 0)) break;
      const Real change = (start_mv + length * (source - ionic.current) - V) / slope;
      V += change;
      if (std::abs(change) > newton_tolerance_mv) continue;
      stage.potential_mv = V;
      return true;
    }
  }
  return false;
}

}  // namespace cardiowarp
