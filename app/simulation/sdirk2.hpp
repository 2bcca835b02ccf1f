#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "app/simulation/integrator.hpp"

namespace cardiowarp {

/// The coefficients of SDIRK2 (Alexander 1977, SIAM J. Numer. Anal. 14, of order 2 and L-stable): with h the step and
/// γ = 1 − 1/√2, two stages of backward Euler of length γh,
///   φ₁      from φ_n,                              at t_n + γh
///   φ_{n+1} from φ̂ = φ_n + (1−γ)/γ (φ₁ − φ_n),      at t_n + h
/// and the same for the cells' states.
namespace sdirk2 {
inline constexpr Real gamma = 1 - 0.70710678118654752440;
inline constexpr Real beyond = (1 - gamma) / gamma;
}  // namespace sdirk2

/// Begins a stage in backend memory.
struct BeginStage {
  StepState* state;
  NewtonConfig newton;
  Real length;        ///< γh
  Real linear_error;  ///< StepState::linear_error
  CARDIOWARP_HD void operator()() const {
    state->newton.begin(newton);
    state->step = length;
    state->linear_error = linear_error;
  }
};

/// load = φ_n / γh + s, and a guess: the rates φ' = q + s at the stage are those that the last two steps' ends, h_p
/// apart, predict, q_n + γh/h_p (q_n − q_{n−1}).
struct StartFirstStage {
  Real *load, *phi;
  const Real *phi_old, *source, *rate, *rate_before;
  Real weight;  ///< γh / h_p
  BeginStage begin;
  CARDIOWARP_HD void operator()(Index i) const {
    load[i] = phi_old[i] / begin.length + source[i];
    phi[i] = phi_old[i] + begin.length * (rate[i] + source[i] + weight * (rate[i] - rate_before[i]));
    if (i == 0) begin();
  }
};

/// load = φ̂ / γh + s, and a guess by φ' on the line through that at t_n and that of the first stage.
struct StartSecondStage {
  Real *load, *phi;  ///< phi: that of the first stage, then the guess
  const Real *phi_old, *first_source, *source, *rate;
  BeginStage begin;
  CARDIOWARP_HD void operator()(Index i) const {
    const Real change = phi[i] - phi_old[i], start = phi_old[i] + sdirk2::beyond * change;
    const Real of_stage = change / begin.length - first_source[i];
    load[i] = start / begin.length + source[i];
    phi[i] = start + begin.length * (of_stage + source[i] + sdirk2::beyond * (of_stage - rate[i]));
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

/// ŝ = s_n + (1−γ)/γ (s₁ − s_n), in the place of s₁.
struct SecondStates {
  Real* first;
  const Real* old;
  CARDIOWARP_HD void operator()(Index i) const { first[i] = old[i] + sdirk2::beyond * (first[i] - old[i]); }
};

/// q = φ' − s at the end of a step, from its second stage: φ' = (φ − φ̂)/γh and load = φ̂/γh + s.
CARDIOWARP_HD inline Real rate_at_end(Real phi, Real load, Real length) { return phi / length - load; }

/// |φ_n + h/2 (φ'_n + φ'_{n+1}) − φ_{n+1}|, the distance to the trapezoidal rule.
struct DistanceFromTrapezoid {
  const Real *phi, *phi_old, *rate, *load, *source;
  Real step;
  CARDIOWARP_HD Real operator()(Index i) const {
    const Real end = rate_at_end(phi[i], load[i], sdirk2::gamma * step);
    return std::fabs(phi_old[i] + step * (source[i] + (rate[i] + end) / 2) - phi[i]);
  }
};

/// φ_n and q_n of the next step. Of a first step, which knows no q_n, that of the parabola with φ'_{n+1}.
struct AcceptStages {
  Real *phi_old, *rate;  ///< out: at the step's end
  Real* rate_before;     ///< at its start
  const Real *phi_before, *phi, *load, *source;
  Real step;
  bool is_first;
  CARDIOWARP_HD void operator()(Index i) const {
    const Real now = phi[i], end = rate_at_end(now, load[i], sdirk2::gamma * step);
    if (is_first) rate_before[i] = 2 * ((now - phi_before[i]) / step - source[i]) - end;
    phi_old[i] = now;
    rate[i] = end;
  }
};

/// φ of each node in a step by Hermite's cubic.
struct CubicSteps {
  Real t_old_ms, t_new_ms, step;  ///< the last in τ
  const Real *phi_old, *phi_new, *rate_old, *rate_new, *source;
  CARDIOWARP_HD CubicPath operator()(Index node) const {
    return {t_old_ms,
            t_new_ms,
            phi_old[node],
            phi_new[node],
            step * (rate_old[node] + source[node]),
            step * (rate_new[node] + source[node])};
  }
};

struct EvaluateSteps {
  CubicSteps steps;
  Real part;
  Real* phi;
  CARDIOWARP_HD void operator()(Index node) const { phi[node] = steps(node).at(part); }
};

/// The parabola with s_n, s_{n+1} and the rate of the second stage, (s_{n+1} − ŝ)/γh; it has that of the first at
/// t_n + γh, too.
struct EvaluateStates {
  const Real *old, *now, *second;  ///< from the first that is asked for
  Real part;
  Real* state;
  CARDIOWARP_HD void operator()(Index i) const {
    const Real change = now[i] - old[i], slope = (now[i] - second[i]) / sdirk2::gamma;
    state[i] = old[i] + part * (2 * change - slope + part * (slope - change));
  }
};

/// Two stages a step, of order 2. Between steps it keeps, beside φ, what φ' is without the source: so a jump of the
/// source is known exactly, and costs neither the estimate of the error nor the interpolation anything.
template <Backend B>
class Sdirk2 final : public Integrator<B> {
 public:
  Sdirk2(B& backend, const StagePlan<B>& plan)
      : Integrator<B>(backend, plan),
        newton_config_(plan.problem().newton),
        accuracy_(plan.problem().time),
        steepest_reaction_(steepest_reaction(plan.problem().cell_models)),
        states_stage_(backend.template allocate<Real>(plan.states.size())) {
    for (Buffer<Real>* vector : {&rate_, &rate_before_}) *vector = backend.template allocate<Real>(this->nodes());
  }

  NewtonReport attempt(Real step, const Real* source, bool with_error = false) override {
    return attempt(step, {source, source}, with_error);
  }
  /// The source as it is at each stage. The estimate of the error and the interpolation take it for a constant.
  NewtonReport attempt(Real step, const std::array<const Real*, 2>& source, bool with_error = false) {
    step_ = step;
    source_ = source;
    with_error_ = with_error && previous_step_ > 0;
    stage_.begin_step();
    number_ = 0;
    const NewtonReport first = newton_from(*this, 1);
    if (!first.converged()) return first;
    {
      const auto watch = backend_.stopwatch(stage_.seconds().update);
      backend_.for_each(static_cast<Index>(states_stage_.size()),
                        SecondStates{states_stage_.data(), states_old_.data()});
    }
    number_ = 1;
    NewtonReport report = newton_from(*this, 1);
    report.iterations += first.iterations;
    report.linear_iterations += first.linear_iterations;
    return report;
  }

  std::optional<Real> error() const override { return with_error_ ? std::optional(error_) : std::nullopt; }

  void accept() override {
    phi_older_.swap(phi_old_);
    rate_before_.swap(rate_);
    backend_.for_each(this->nodes(), AcceptStages{phi_old_.data(), rate_.data(), rate_before_.data(), phi_older_.data(),
                                                  stage_.phi(), stage_.load(), source_[1], step_, previous_step_ == 0});
    states_old_.swap(states_);
    turn_ = 1 - turn_;
    previous_step_ = step_;
  }

  void meet_jump() override {}

  void record(const BeatMaps& maps, const ActivationSince& since, Real t_old_ms, Real t_new_ms) const override {
    backend_.for_each(this->nodes(), RecordStep<CubicSteps>{maps, since, last_steps(t_old_ms, t_new_ms)});
  }

  bool interpolates() const override { return true; }
  void interpolate_phi(Real part, Real* phi) const override {
    backend_.for_each(this->nodes(), EvaluateSteps{last_steps(0, 1), part, phi});
  }
  void interpolate_states(Real part, std::size_t first, Index number, Real* values) const override {
    backend_.for_each(number, EvaluateStates{states_.data() + first, states_old_.data() + first,
                                             states_stage_.data() + first, part, values});
  }

  const StepSeconds& seconds() override {
    for (auto& of_stage : newton_repetitions_)
      for (typename B::Repetition& repetition : of_stage) backend_.settle(repetition);
    return stage_.seconds();
  }

  /// Those of Newton's iterations of each stage, from one or the other place of the states.
  const std::array<std::array<typename B::Repetition, 2>, 2>& newton_repetitions() const { return newton_repetitions_; }

  // The system that newton_from() solves, one of a stage.

  /// From the extrapolated φ or, with weight 0, from φ_n.
  void start(Real weight) {
    const auto watch = backend_.stopwatch(stage_.seconds().update);
    const Real length = sdirk2::gamma * step_;
    const BeginStage begin{state(), accuracy_.newton(newton_config_, length, steepest_reaction_), length,
                           accuracy_.linear_error(newton_config_)};
    if (weight == 0)
      backend_.for_each(this->nodes(), StartFromOld{stage_.phi(), phi_old_.data(), begin});
    else if (number_ == 0)
      backend_.for_each(this->nodes(),
                        StartFirstStage{stage_.load(), stage_.phi(), phi_old_.data(), source_[0], rate_.data(),
                                        rate_before_.data(), previous_step_ > 0 ? length / previous_step_ : 0, begin});
    else
      backend_.for_each(this->nodes(), StartSecondStage{stage_.load(), stage_.phi(), phi_old_.data(), source_[0],
                                                        source_[1], rate_.data(), begin});
  }

  NewtonReport newton() {
    if (number_ == 0)
      stage_.newton(newton_repetitions_[0][turn_], states_old_.data(), states_stage_.data());
    else
      stage_.newton(newton_repetitions_[1][turn_], states_stage_.data(), states_.data());
    if (with_error_ && number_ == 1) {
      const auto watch = backend_.stopwatch(stage_.seconds().update);
      backend_.maximum(
          this->nodes(), &state()->error,
          DistanceFromTrapezoid{stage_.phi(), phi_old_.data(), rate_.data(), stage_.load(), source_[1], step_});
    }
    const StepOutcome outcome = backend_.read(static_cast<const StepOutcome*>(state()));
    error_ = outcome.error;
    return outcome.newton.report;
  }

 private:
  using Integrator<B>::backend_, Integrator<B>::stage_, Integrator<B>::state, Integrator<B>::turn_;
  using Integrator<B>::phi_old_, Integrator<B>::phi_older_, Integrator<B>::states_old_, Integrator<B>::states_;

  /// The step that was accepted.
  CubicSteps last_steps(Real t_old_ms, Real t_new_ms) const {
    return {t_old_ms,     t_new_ms,  previous_step_, phi_older_.data(), phi_old_.data(), rate_before_.data(),
            rate_.data(), source_[1]};
  }

  NewtonConfig newton_config_;
  TimeMethod accuracy_;
  Real steepest_reaction_;
  Real step_ = 0, previous_step_ = 0, error_ = 0;
  std::array<const Real*, 2> source_{};
  int number_ = 0;  ///< of the stage
  bool with_error_ = false;
  Buffer<Real> rate_, rate_before_;  ///< q_n, q_{n−1}: φ' without the source at the ends of the last two steps
  Buffer<Real> states_stage_;        ///< of the first stage, then the old one of the second
  std::array<std::array<typename B::Repetition, 2>, 2> newton_repetitions_;
};

}  // namespace cardiowarp
