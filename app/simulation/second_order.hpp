#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "app/simulation/flight_state.hpp"
#include "app/simulation/integrator.hpp"
#include "app/simulation/second_order_loops.hpp"
#include "app/simulation/step_formula.hpp"

namespace cardiowarp {

// The time schemes of order 2 that solve linear systems: sdirk2, which is the default, trbdf2 and bdf2.
// make_integrator() takes them where `time.scheme` names one. All three are one text, and differ in the coefficients of
// a step (step_formula.hpp). Their loop bodies are in second_order_loops.hpp.

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
///
/// Steps of sdirk2 and trbdf2 after the first fly (flight.hpp): they have one formula, whatever their lengths. The two
/// places of φ, its rates and the states are exchanged after each step that is enqueued, and once more where the steps
/// that were not made are odd in number.
template <Backend B>
class SecondOrder final : public Integrator<B>, private Interpolation, private FlyingScheme {
 public:
  SecondOrder(B& backend, const StagePlan<B>& plan)
      : Integrator<B>(backend, plan),
        method_(plan.problem().time),
        newton_{method_.newton(plan.problem().newton, 1, steepest_reaction(plan.problem().cell_models)),
                method_.newton_follows},
        linear_error_(method_.linear_error(plan.problem().newton)),
        states_stage_(backend.template allocate<Real>(plan.states.size())),
        states_kept_(backend.template allocate<Real>(keeps_states() ? plan.states.size() : 0)),
        flight_(backend.template allocate<FlightState>(1)) {
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
    if (!std::exchange(failed_in_flight_, false)) {
      const NewtonReport report = attempt_at_once();
      if (report.converged()) return report;
    }
    return attempt_stage_by_stage();
  }

  std::optional<Real> error() const override { return with_error_ ? std::optional(error_) : std::nullopt; }

  void accept() override {
    enqueue_acceptance();
    previous_step_ = step_;
    is_smooth_ = true;
  }

  void meet_jump() override { is_smooth_ = false; }

  void record(const BeatMaps& maps, const ActivationSince& since, Real t_old_ms, Real t_new_ms) const override {
    backend_.for_each(this->nodes(), RecordStep<CubicSteps>{maps, since, last_steps(t_old_ms, t_new_ms)});
  }
  void follow(StepFollowers<B>& followers, Real t_old_ms, Real t_new_ms) const override {
    followers.follow(backend_, last_steps(t_old_ms, t_new_ms));
  }

  const Interpolation* interpolation() const override { return this; }
  FlyingScheme* flying() override { return this; }

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
    const BeginStage begin{state(), now(), formula_.length, newton_, at_once_ && number_ > 0, linear_error_};
    const FirstOld old{phi_old_.data(), phi_older_.data(), rate_.data(),      source_.begin,
                       now(),           formula_.by_rate,  formula_.by_change};
    if (weight == 0)
      backend_.for_each(this->nodes(), StartFromOld{stage_.phi(), phi_old_.data(), begin});
    else if (number_ == 0)
      backend_.for_each(this->nodes(), StartFirstStage{stage_.load(), stage_.phi(), old,
                                                       formula_.stages == 1 ? source_.end : source_.first, rate_.data(),
                                                       rate_before_.data(), formula_.first_at, begin});
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

  void interpolate_phi(Real part, Real* phi) const override {
    backend_.for_each(this->nodes(), EvaluateSteps{last_steps(0, 1), part, phi});
  }
  void interpolate_states(Real part, std::size_t first, Index number, Real* values) const override {
    backend_.for_each(number, EvaluateStates{states_.data() + first, states_old_.data() + first,
                                             states_stage_.data() + first, formula_.length, part, values});
  }

  bool can_fly() const override {
    return previous_step_ > 0 && (method_.scheme == TimeScheme::sdirk2 || method_.scheme == TimeScheme::trbdf2);
  }
  void take_off(const Flight& flight, Real ms_per_tau, const Real* source) override {
    source_ = {source, source, source};
    formula_ = formula_of(previous_step_);
    with_error_ = true;
    in_flight_ = flight_.data();
    enqueued_ = 0;
    backend_.for_each(1, BeginFlight{in_flight_, flight, ms_per_tau, previous_step_});
  }
  void fly_step() override {
    enqueue_stages();
    enqueue_acceptance();
    ++enqueued_;
  }
  FlightReport land() override {
    const FlightReport report = backend_.read(static_cast<const FlightReport*>(in_flight_));
    in_flight_ = nullptr;
    if ((enqueued_ - report.accepted()) % 2 != 0) exchange_places();
    if (report.accepted() > 0) {
      previous_step_ = report.last_step;
      is_smooth_ = true;
    }
    failed_in_flight_ = report.last == FlownEnd::no_solution;
    return report;
  }

  /// All stages of a step with one look at the end, which is not converged where a stage is not. The numbers of
  /// iterations are those of all stages.
  NewtonReport attempt_at_once() {
    enqueue_stages();
    return outcome();
  }

  /// The stages of a step, of which none waits for the host, and the estimate of the error.
  void enqueue_stages() {
    at_once_ = true;
    stage_.begin_step();
    for (number_ = 0; number_ < formula_.stages; ++number_) {
      start_states();
      start(1);
      solve_stage();
    }
    at_once_ = false;
  }

  /// Makes what the stages found the state, in a flight where their step was accepted.
  void enqueue_acceptance() {
    if (keeps_states()) {
      const bool rate = method_.scheme == TimeScheme::trbdf2;
      backend_.for_each(
          states(), KeepStates{states_kept_.data(), states_.data(), rate ? states_stage_.data() : states_old_.data(),
                               now(), rate ? formula_.length : 0});
    }
    exchange_places();
    backend_.for_each(this->nodes(),
                      AcceptStages{phi_old_.data(), rate_.data(), rate_before_.data(), phi_older_.data(), stage_.phi(),
                                   stage_.load(), source_.end, now(), formula_.length, previous_step_ == 0});
  }

  /// The values at the end of a step change places with those at its beginning; the repetitions follow the states.
  void exchange_places() {
    phi_older_.swap(phi_old_);
    rate_before_.swap(rate_);
    states_old_.swap(states_);
    turn_ = 1 - turn_;
  }

  /// The step where a stage has found no solution from the guess: with a look at each stage, which then begins again
  /// from φ_n. What was done by all stages at once is not counted.
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
                                             now(), formula_.length, formula_.error},
                       EndFlownStep{in_flight_, state()});
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
  StepNow now() const { return {{step_, previous_step_}, in_flight_}; }

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
      backend_.for_each(states(), SecondStates{states_stage_.data(), states_old_.data(), now(), formula_.beyond});
    else
      backend_.for_each(states(),
                        FirstStates{formula_.by_rate > 0 ? states_.data() : states_stage_.data(), states_old_.data(),
                                    states_kept_.data(), now(), formula_.by_rate, formula_.by_change});
  }

  /// The step that was accepted.
  CubicSteps last_steps(Real t_old_ms, Real t_new_ms) const {
    return {{t_old_ms, t_new_ms, previous_step_},
            phi_older_.data(),
            phi_old_.data(),
            rate_before_.data(),
            rate_.data(),
            source_.end,
            in_flight_};
  }

  TimeMethod method_;
  StageNewton newton_;
  Real linear_error_;
  Real step_ = 0, previous_step_ = 0, error_ = 0;
  StepSources source_{};
  StepFormula formula_ = step_formula::sdirk2;  ///< of the last attempt
  int number_ = 0;                              ///< of the stage
  bool at_once_ = false;                        ///< no look between the stages
  bool with_error_ = false;
  FlightState* in_flight_ = nullptr;  ///< flight_, as long as there is a flight
  int enqueued_ = 0;                  ///< steps of it
  bool failed_in_flight_ = false;     ///< its last step, all stages at once
  bool is_smooth_ = true;             ///< the source has had no jump since the last step began
  Buffer<Real> rate_, rate_before_;   ///< q_n, q_{n−1}: φ' without the source at the ends of the last two steps
  Buffer<Real> states_stage_;         ///< of the first stage of two, then the old ones of the last
  Buffer<Real> states_kept_;          ///< with trbdf2 their rate at t_n, with bdf2 their change in the last step
  Buffer<FlightState> flight_;
  /// The repetitions of Newton's iteration: [0] in the first stage of two, for each of the two places of the states
  /// that it may start from; [1] in the last stage, for each of the two that it may write to.
  std::array<std::array<typename B::Repetition, 2>, 2> newton_repetitions_;
};

}  // namespace cardiowarp
