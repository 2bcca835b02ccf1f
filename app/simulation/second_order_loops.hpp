#pragma once
#include <cmath>

#include "app/simulation/flight_state.hpp"
#include "app/simulation/implicit_stage.hpp"
#include "app/simulation/integrator.hpp"
#include "kernels/backend/types.hpp"
#include "solver/newton.hpp"

namespace cardiowarp {

// The loop bodies of SecondOrder (second_order.hpp), over nodes and over the cells' states. The step that they are for
// is a StepNow: the host's, or one of a flight, of which the host knows no length when it enqueues them. Bodies of a
// flight's step that is not made, or was not accepted, change nothing that is looked at afterwards.

/// How Newton's method ends in a stage of length θ (τ). With a tolerance that follows the step it is
/// TimeMethod::newton() of a stage of length 1, whose tolerance falls with the root of the length.
struct StageNewton {
  NewtonConfig of_length_one;
  bool follows;
  CARDIOWARP_HD NewtonConfig operator()(Real length) const {
    NewtonConfig config = of_length_one;
    if (follows) config.tolerance /= std::sqrt(length);
    return config;
  }
};

/// Begins a stage in backend memory. One that is enqueued after another whose outcome the host does not know yet is to
/// `follow` it: it keeps that stage's report and, where that found no solution, has no iteration.
struct BeginStage {
  StepState* state;
  StepNow now;
  Real share;  ///< of the step that the stage is long
  StageNewton newton;
  bool follows;
  Real linear_error;  ///< StepState::linear_error
  /// In τ.
  CARDIOWARP_HD Real length() const { return share * now().step; }
  CARDIOWARP_HD void operator()() const {
    if (now.is_idle()) {
      state->newton.go_on = 0;
      return;
    }
    state->stage_before = follows ? state->newton.report : NewtonReport{};
    state->newton.begin(newton(length()));
    if (follows && !state->stage_before.converged()) state->newton.go_on = 0;
    state->step = length();
    state->linear_error = linear_error;
  }
};

/// φ̂ of the first stage, φ_n + by_rate φ'_n + by_change (φ_n − φ_{n−1}) with φ'_n = q_n + s_n.
struct FirstOld {
  const Real *phi_old, *phi_older, *rate, *source;  ///< the source at t_n
  StepNow now;
  Real by_rate, by_change;  ///< of the StepFormula
  CARDIOWARP_HD Real operator()(Index i) const {
    Real start = phi_old[i];
    if (by_rate > 0) start += by_rate * now().step * (rate[i] + source[i]);
    if (by_change > 0) start += by_change * (phi_old[i] - phi_older[i]);
    return start;
  }
};

/// load = φ̂/θ + s, and a guess: the rates φ' = q + s at the stage's end are those that the last two steps' ends, h_p
/// apart, predict, q_n + first_at h/h_p (q_n − q_{n−1}).
struct StartFirstStage {
  Real *load, *phi;
  FirstOld old;
  const Real *source, *rate, *rate_before;
  Real first_at;  ///< of the StepFormula
  BeginStage begin;
  CARDIOWARP_HD void operator()(Index i) const {
    if (begin.now.is_idle() && i > 0) return;
    const auto [step, previous] = begin.now();
    const Real start = old(i), length = begin.length(), weight = previous > 0 ? first_at * step / previous : 0;
    load[i] = start / length + source[i];
    phi[i] = start + length * (rate[i] + source[i] + weight * (rate[i] - rate_before[i]));
    if (i == 0) begin();
  }
};

/// load = φ̂/θ + s, and a guess by φ' on the line through that at t_n and that of the first stage.
struct StartSecondStage {
  Real *load, *phi;  ///< phi: that of the first stage, then the guess
  FirstOld old;
  const Real *first_source, *source, *rate;
  Real beyond, rest_over_first;  ///< of the StepFormula
  BeginStage begin;
  CARDIOWARP_HD void operator()(Index i) const {
    if (begin.now.is_idle() && i > 0) return;
    const Real now = phi[i], phi_old = old.phi_old[i], start = phi_old + beyond * (now - phi_old);
    const Real length = begin.length(), of_stage = (now - old(i)) / length - first_source[i];
    load[i] = start / length + source[i];
    phi[i] = start + length * (of_stage + source[i] + rest_over_first * (of_stage - rate[i]));
    if (i == 0) begin();
  }
};

/// φ = φ_n, of any stage.
struct StartFromOld {
  Real* phi;
  const Real* phi_old;
  BeginStage begin;
  CARDIOWARP_HD void operator()(Index i) const {
    phi[i] = phi_old[i];
    if (i == 0) begin();
  }
};

/// ŝ of a first stage that does not begin with s_n: s_n + weight · kept, where kept is the rate in units of 1/τ or,
/// with by_rate 0, the change in the last step.
struct FirstStates {
  Real* start;
  const Real *old, *kept;
  StepNow now;
  Real by_rate, by_change;  ///< of the StepFormula
  CARDIOWARP_HD void operator()(Index i) const {
    if (now.is_idle()) return;
    const Real weight = by_rate > 0 ? by_rate * now().step : by_change;
    start[i] = old[i] + weight * kept[i];
  }
};

/// ŝ = s_n + beyond (s₁ − s_n) of a second stage, in the place of s₁.
struct SecondStates {
  Real* first;
  const Real* old;
  StepNow now;
  Real beyond;
  CARDIOWARP_HD void operator()(Index i) const {
    if (!now.is_idle()) first[i] = old[i] + beyond * (first[i] - old[i]);
  }
};

/// The numbers that an accepted step leaves for the next one: the rate of the states at its end, (s_{n+1} − ŝ)/θ, or,
/// with `share` 0, their change s_{n+1} − s_n.
struct KeepStates {
  Real* kept;
  const Real *now, *from;
  StepNow step;
  Real share;  ///< θ / h
  CARDIOWARP_HD void operator()(Index i) const {
    if (step.is_refused()) return;
    const Real over = share > 0 ? share * step.length_done() : 1;
    kept[i] = (now[i] - from[i]) / over;
  }
};

/// q = φ' − s at the end of a step, from its last stage: φ' = (φ − φ̂)/θ and load = φ̂/θ + s.
CARDIOWARP_HD inline Real rate_at_end(Real phi, Real load, Real length) { return phi / length - load; }

/// EndFromTrapezoid of a step whose last stage, of length `share` times the step, left `load`.
struct DistanceFromTrapezoid {
  const Real *phi, *phi_old, *rate, *load, *source;
  StepNow now;
  Real share, factor;
  CARDIOWARP_HD Real operator()(Index i) const {
    if (now.is_idle()) return 0;
    const Real step = now().step, end = rate_at_end(phi[i], load[i], share * step);
    return factor * distance_from_trapezoid(phi[i], phi_old[i], rate[i], end, source[i], step);
  }
};

/// φ_n and q_n of the next step. A first step knows no q_n and takes the one of the parabola through φ_n and φ_{n+1}
/// with φ'_{n+1}.
struct AcceptStages {
  Real *phi_old, *rate;  ///< out: at the step's end
  Real* rate_before;     ///< at its start
  const Real *phi_before, *phi, *load, *source;
  StepNow now;
  Real share;  ///< θ / h
  bool is_first;
  CARDIOWARP_HD void operator()(Index i) const {
    if (now.is_refused()) return;
    const Real step = now.length_done(), at_end = phi[i], end = rate_at_end(at_end, load[i], share * step);
    if (is_first) rate_before[i] = 2 * ((at_end - phi_before[i]) / step - source[i]) - end;
    phi_old[i] = at_end;
    rate[i] = end;
  }
};

/// The parabola with s_n, s_{n+1} and the rate at the end of the last stage, (s_{n+1} − ŝ)/θ.
struct EvaluateStates {
  const Real *old, *now, *last;  ///< from the first that is asked for; last: ŝ
  Real length;                   ///< θ / h
  Real part;
  Real* state;
  CARDIOWARP_HD void operator()(Index i) const {
    const Real change = now[i] - old[i], slope = (now[i] - last[i]) / length;
    state[i] = old[i] + part * (2 * change - slope + part * (slope - change));
  }
};

}  // namespace cardiowarp
