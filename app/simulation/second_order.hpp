#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "app/simulation/integrator.hpp"
#include "app/simulation/step_formula.hpp"

namespace cardiowarp {

// The time schemes of order 2 that solve linear systems: sdirk2, which is the default, trbdf2 and bdf2.
// make_integrator() takes them where `time.scheme` names one. All three are one text, and differ in the coefficients of
// a step (step_formula.hpp). The loop bodies stand first, and SecondOrder, which runs them, last.

/// Begins a stage in backend memory. One that is enqueued after another whose outcome the host does not know yet is to
/// `follow` it: it keeps that stage's report and, where that found no solution, has no iteration.
struct BeginStage {
  StepState* state;
  NewtonConfig newton;
  bool follows;
  Real length;        ///< in τ
  Real linear_error;  ///< StepState::linear_error
  CARDIOWARP_HD void operator()() const {
    state->stage_before = follows ? state->newton.report : NewtonReport{};
    state->newton.begin(newton);
    if (follows && !state->stage_before.converged()) state->newton.go_on = 0;
    state->step = length;
    state->linear_error = linear_error;
  }
};

/// φ̂ of the first stage, φ_n + by_rate φ'_n + by_change (φ_n − φ_{n−1}) with φ'_n = q_n + s_n.
struct FirstOld {
  const Real *phi_old, *phi_older, *rate, *source;  ///< the source at t_n
  Real by_rate, by_change;                          ///< the first in τ
  CARDIOWARP_HD Real operator()(Index i) const {
    Real start = phi_old[i];
    if (by_rate > 0) start += by_rate * (rate[i] + source[i]);
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
  Real weight;  ///< first_at h / h_p
  BeginStage begin;
  CARDIOWARP_HD void operator()(Index i) const {
    const Real start = old(i);
    load[i] = start / begin.length + source[i];
    phi[i] = start + begin.length * (rate[i] + source[i] + weight * (rate[i] - rate_before[i]));
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
    const Real now = phi[i], phi_old = old.phi_old[i], start = phi_old + beyond * (now - phi_old);
    const Real of_stage = (now - old(i)) / begin.length - first_source[i];
    load[i] = start / begin.length + source[i];
    phi[i] = start + begin.length * (of_stage + source[i] + rest_over_first * (of_stage - rate[i]));
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

/// ŝ of a first stage that does not begin with s_n: s_n + weight · kept.
struct FirstStates {
  Real* start;
  const Real *old, *kept;
  Real weight;
  CARDIOWARP_HD void operator()(Index i) const { start[i] = old[i] + weight * kept[i]; }
};

/// ŝ = s_n + beyond (s₁ − s_n) of a second stage, in the place of s₁.
struct SecondStates {
  Real* first;
  const Real* old;
  Real beyond;
  CARDIOWARP_HD void operator()(Index i) const { first[i] = old[i] + beyond * (first[i] - old[i]); }
};

/// (s_{n+1} − from) / over: the rate at the end of a step, from ŝ over θ, or its change, from s_n over 1.
struct KeepStates {
  Real* kept;
  const Real *now, *from;
  Real over;
  CARDIOWARP_HD void operator()(Index i) const { kept[i] = (now[i] - from[i]) / over; }
};

/// q = φ' − s at the end of a step, from its last stage: φ' = (φ − φ̂)/θ and load = φ̂/θ + s.
CARDIOWARP_HD inline Real rate_at_end(Real phi, Real load, Real length) { return phi / length - load; }

/// EndFromTrapezoid of a step whose last stage, of `length`, left `load`.
struct DistanceFromTrapezoid {
  const Real *phi, *phi_old, *rate, *load, *source;
  Real step, length, factor;
  CARDIOWARP_HD Real operator()(Index i) const {
    const Real end = rate_at_end(phi[i], load[i], length);
    return factor * distance_from_trapezoid(phi[i], phi_old[i], rate[i], end, source[i], step);
  }
};

/// φ_n and q_n of the next step. A first step knows no q_n and takes the one of the parabola through φ_n and φ_{n+1}
/// with φ'_{n+1}.
struct AcceptStages {
  Real *phi_old, *rate;  ///< out: at the step's end
  Real* rate_before;     ///< at its start
  const Real *phi_before, *phi, *load, *source;
  Real step, length;
  bool is_first;
  CARDIOWARP_HD void operator()(Index i) const {
    const Real now = phi[i], end = rate_at_end(now, load[i], length);
    if (is_first) rate_before[i] = 2 * ((now - phi_before[i]) / step - source[i]) - end;
    phi_old[i] = now;
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

/// The nodal source at the times that a step of order 2 asks for.
struct StepSources {
  const Real *begin, *first, *end;  ///< at its beginning, at the end of the first stage and at that of the step
};

/// The schemes of order 2: sdirk2, trbdf2 and bdf2, whose steps are one text with the coefficients of a StepFormula.
/// Between steps it keeps, beside φ, what φ' is without the source. So a jump of the source is known exactly, and costs
/// neither the estimate of the error nor the interpolation anything, nor trbdf2, which begins with φ'_n. The last step
/// before a jump tells bdf2 nothing: its next one is of sdirk2, as is one that is much longer than the step before and,
/// with trbdf2, too, the first of a run. Beside what all schemes have, it takes 16 bytes a node and 8 for each of the
/// cells' states; with trbdf2 and bdf2 8 more for each of these.
template <Backend B>
class SecondOrder final : public Integrator<B> {
 public:
  SecondOrder(B& backend, const StagePlan<B>& plan)
      : Integrator<B>(backend, plan),
        newton_config_(plan.problem().newton),
        method_(plan.problem().time),
        steepest_reaction_(steepest_reaction(plan.problem().cell_models)),
        states_stage_(backend.template allocate<Real>(plan.states.size())),
        states_kept_(backend.template allocate<Real>(keeps_states() ? plan.states.size() : 0)) {
    for (Buffer<Real>* vector : {&rate_, &rate_before_}) *vector = backend.template allocate<Real>(this->nodes());
  }

  NewtonReport attempt(Real step, const Real* source, bool with_error = false) override {
    return attempt(step, {source, source, source}, with_error);
  }
  /// The estimate of the error and the interpolation take the source for a constant.
  NewtonReport attempt(Real step, const StepSources& source, bool with_error = false) {
    step_ = step;
    source_ = source;
    formula_ = formula_of(step);
    with_error_ = with_error && previous_step_ > 0;
    const NewtonReport report = attempt_at_once();
    return report.converged() ? report : attempt_stage_by_stage();
  }

  std::optional<Real> error() const override { return with_error_ ? std::optional(error_) : std::nullopt; }

  void accept() override {
    if (keeps_states()) {
      const bool rate = method_.scheme == TimeScheme::trbdf2;
      backend_.for_each(states(), KeepStates{states_kept_.data(), states_.data(),
                                             rate ? states_stage_.data() : states_old_.data(), rate ? length() : 1});
    }
    phi_older_.swap(phi_old_);
    rate_before_.swap(rate_);
    backend_.for_each(this->nodes(),
                      AcceptStages{phi_old_.data(), rate_.data(), rate_before_.data(), phi_older_.data(), stage_.phi(),
                                   stage_.load(), source_.end, step_, length(), previous_step_ == 0});
    states_old_.swap(states_);
    turn_ = 1 - turn_;
    previous_step_ = step_;
    is_smooth_ = true;
  }

  void meet_jump() override { is_smooth_ = false; }

  void record(const BeatMaps& maps, const ActivationSince& since, Real t_old_ms, Real t_new_ms) const override {
    backend_.for_each(this->nodes(), RecordStep<CubicSteps>{maps, since, last_steps(t_old_ms, t_new_ms)});
  }

  bool interpolates() const override { return true; }
  void interpolate_phi(Real part, Real* phi) const override {
    backend_.for_each(this->nodes(), EvaluateSteps{last_steps(0, 1), part, phi});
  }
  void interpolate_states(Real part, std::size_t first, Index number, Real* values) const override {
    backend_.for_each(number, EvaluateStates{states_.data() + first, states_old_.data() + first,
                                             states_stage_.data() + first, formula_.length, part, values});
  }

  void exchange(BackendArchive<B>& archive) override {
    this->exchange_state(archive);
    archive.nodes("integrator/rate", rate_);
    archive.nodes("integrator/rate_before", rate_before_);
    archive.points("integrator/states_kept", states_kept_);
    archive.value("integrator/previous_step", previous_step_);
    archive.value("integrator/is_smooth", is_smooth_);
  }

  const StepSeconds& seconds() override {
    for (auto& of_stage : newton_repetitions_)
      for (typename B::Repetition& repetition : of_stage) backend_.settle(repetition);
    return stage_.seconds();
  }

  // The system that newton_from() solves, one of a stage.

  /// From the extrapolated φ or, with weight 0, from φ_n.
  void start(Real weight) {
    const auto watch = backend_.stopwatch(stage_.seconds().update);
    const BeginStage begin{state(), method_.newton(newton_config_, length(), steepest_reaction_),
                           at_once_ && number_ > 0, length(), method_.linear_error(newton_config_)};
    const FirstOld old{phi_old_.data(), phi_older_.data(),        rate_.data(),
                       source_.begin,   formula_.by_rate * step_, formula_.by_change};
    if (weight == 0)
      backend_.for_each(this->nodes(), StartFromOld{stage_.phi(), phi_old_.data(), begin});
    else if (number_ == 0)
      backend_.for_each(
          this->nodes(),
          StartFirstStage{stage_.load(), stage_.phi(), old, formula_.stages == 1 ? source_.end : source_.first,
                          rate_.data(), rate_before_.data(),
                          previous_step_ > 0 ? formula_.first_at * step_ / previous_step_ : 0, begin});
    else
      backend_.for_each(this->nodes(),
                        StartSecondStage{stage_.load(), stage_.phi(), old, source_.first, source_.end, rate_.data(),
                                         formula_.beyond, formula_.rest_over_first(), begin});
  }

  NewtonReport newton() {
    solve_stage();
    return outcome();
  }

 private:
  using Integrator<B>::backend_, Integrator<B>::stage_, Integrator<B>::state, Integrator<B>::turn_;
  using Integrator<B>::phi_old_, Integrator<B>::phi_older_, Integrator<B>::states_old_, Integrator<B>::states_;

  /// All stages of a step with one look at the end, which is not converged where a stage is not. The numbers of
  /// iterations are those of all stages.
  NewtonReport attempt_at_once() {
    at_once_ = true;
    stage_.begin_step();
    for (number_ = 0; number_ < formula_.stages; ++number_) {
      start_states();
      start(1);
      solve_stage();
    }
    at_once_ = false;
    return outcome();
  }

  /// The same where a stage has found no solution from the guess: with a look at each stage, which then begins again
  /// from φ_n. What attempt_at_once() has done is not counted.
  NewtonReport attempt_stage_by_stage() {
    stage_.begin_step();
    NewtonReport report;
    int iterations = 0, linear_iterations = 0;
    for (number_ = 0; number_ < formula_.stages; ++number_) {
      start_states();
      report = newton_from(*this, 1);
      report.iterations = iterations += report.iterations;
      report.linear_iterations = linear_iterations += report.linear_iterations;
      if (!report.converged()) break;
    }
    return report;
  }

  /// Newton's method for a stage that has begun, and after the last the estimate of the error. Nothing waits.
  void solve_stage() {
    const bool last = number_ + 1 == formula_.stages;
    if (last)
      stage_.newton(newton_repetitions_[1][turn_], states_stage_.data(), states_.data());
    else if (formula_.by_rate > 0)
      stage_.newton(newton_repetitions_[0][1 - turn_], states_.data(), states_stage_.data());
    else
      stage_.newton(newton_repetitions_[0][turn_], states_old_.data(), states_stage_.data());
    if (with_error_ && last) {
      const auto watch = backend_.stopwatch(stage_.seconds().update);
      backend_.maximum(this->nodes(), &state()->error,
                       DistanceFromTrapezoid{stage_.phi(), phi_old_.data(), rate_.data(), stage_.load(), source_.end,
                                             step_, length(), formula_.error});
    }
  }

  /// Waits for the stages that are under way.
  NewtonReport outcome() {
    const StepOutcome outcome = backend_.read(static_cast<const StepOutcome*>(state()));
    error_ = outcome.error;
    NewtonReport report = outcome.newton.report;
    report.iterations += outcome.stage_before.iterations;
    report.linear_iterations += outcome.stage_before.linear_iterations;
    return report;
  }

  /// Whether a step of the scheme begins with more of the cells' states than s_n.
  bool keeps_states() const { return method_.scheme != TimeScheme::sdirk2; }
  Index states() const { return static_cast<Index>(states_stage_.size()); }
  Real length() const { return formula_.length * step_; }  ///< of a stage, in τ

  StepFormula formula_of(Real step) const {
    if (previous_step_ == 0) return step_formula::sdirk2;
    if (method_.scheme == TimeScheme::trbdf2) return step_formula::trbdf2;
    const bool is_multistep = method_.scheme == TimeScheme::bdf2 && is_smooth_ &&
                              step <= step_formula::largest_growth_of_bdf2 * previous_step_;
    return is_multistep ? step_formula::bdf2(step / previous_step_) : step_formula::sdirk2;
  }

  /// ŝ of the stage, but where that is s_n: that of the last stage into states_stage_, that of the first of two into
  /// states_, which is free until the last.
  void start_states() {
    if (number_ == 0 && formula_.by_rate == 0 && formula_.by_change == 0) return;
    const auto watch = backend_.stopwatch(stage_.seconds().update);
    if (number_ == 1)
      backend_.for_each(states(), SecondStates{states_stage_.data(), states_old_.data(), formula_.beyond});
    else if (formula_.by_rate > 0)
      backend_.for_each(states(),
                        FirstStates{states_.data(), states_old_.data(), states_kept_.data(), formula_.by_rate * step_});
    else
      backend_.for_each(states(),
                        FirstStates{states_stage_.data(), states_old_.data(), states_kept_.data(), formula_.by_change});
  }

  /// The step that was accepted.
  CubicSteps last_steps(Real t_old_ms, Real t_new_ms) const {
    return {t_old_ms,     t_new_ms,   previous_step_, phi_older_.data(), phi_old_.data(), rate_before_.data(),
            rate_.data(), source_.end};
  }

  NewtonConfig newton_config_;
  TimeMethod method_;
  Real steepest_reaction_;
  Real step_ = 0, previous_step_ = 0, error_ = 0;
  StepSources source_{};
  StepFormula formula_ = step_formula::sdirk2;  ///< of the last attempt
  int number_ = 0;                              ///< of the stage
  bool at_once_ = false;                        ///< no look between the stages
  bool with_error_ = false;
  bool is_smooth_ = true;            ///< the source has had no jump since the last step began
  Buffer<Real> rate_, rate_before_;  ///< q_n, q_{n−1}: φ' without the source at the ends of the last two steps
  Buffer<Real> states_stage_;        ///< of the first stage of two, then the old ones of the last
  Buffer<Real> states_kept_;         ///< with trbdf2 their rate at t_n, with bdf2 their change in the last step
  /// The repetitions of Newton's iteration: [0] in the first stage of two, for each of the two places of the states
  /// that it may start from; [1] in the last stage, for each of the two that it may write to.
  std::array<std::array<typename B::Repetition, 2>, 2> newton_repetitions_;
};

}  // namespace cardiowarp
