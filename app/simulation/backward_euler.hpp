#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "app/simulation/integrator.hpp"
#include "assembly/vector_loops.hpp"

namespace cardiowarp {

// The time scheme `backward_euler`, of order 1: a step is one stage, which Newton's method solves. make_integrator()
// takes it where `time.scheme` asks for it. It knows nothing between the ends of steps, so that frames are written at
// these. It keeps nothing in backend memory beside what all schemes keep (integrator.hpp).

/// guess = now + weight (now − before)
struct Extrapolate {
  Real* guess;
  const Real *now, *before;
  Real weight;
  CARDIOWARP_HD void operator()(Index i) const { guess[i] = now[i] + weight * (now[i] - before[i]); }
};

/// |h²/2 φ''|, the local error of backward Euler, from its distance to what the last two states, h_p apart, predict.
/// The step before was one of backward Euler, too: (φ_n − φ_{n−1})/h_p is φ' at its end, and
/// φ − φ_pred = h (φ'_{n+1} − φ'_n).
struct LocalError {
  const Real *phi, *now, *before;
  Real step, previous_step;
  CARDIOWARP_HD Real operator()(Index i) const {
    const Real predicted = now[i] + step / previous_step * (now[i] - before[i]);
    return std::fabs(phi[i] - predicted) / 2;
  }
};

/// All that comes before the first Newton iteration, in one pass.
struct StartAttempt {
  StepLoad load;
  Extrapolate guess;
  StepState* state;
  NewtonConfig config;
  Real step;
  CARDIOWARP_HD void operator()(Index i) const {
    load(i);
    guess(i);
    if (i > 0) return;
    state->newton.begin(config);
    state->step = step;
  }
};

/// The scheme. The stage begins with φ extrapolated from the last two states.
template <Backend B>
class BackwardEuler final : public Integrator<B> {
 public:
  BackwardEuler(B& backend, const StagePlan<B>& plan)
      : Integrator<B>(backend, plan), newton_config_(plan.problem().newton) {}

  /// The source as it is at the step's end.
  NewtonReport attempt(Real step, const Real* source, bool with_error = false) override {
    step_ = step;
    source_ = source;
    with_error_ = with_error && previous_step_ > 0;
    stage_.begin_step();
    return newton_from(*this, previous_step_ > 0 ? step / previous_step_ : 0);
  }

  /// The largest LocalError of the last attempt, which converged and was asked for it; nothing without a step before.
  std::optional<Real> error() const override { return with_error_ ? std::optional(error_) : std::nullopt; }

  /// The repetitions name φ, which stays where it is, and both places of the cells' states, which take turns.
  void accept() override {
    phi_older_.swap(phi_old_);
    backend_.for_each(this->nodes(), CopyValues{phi_old_.data(), stage_.phi()});
    states_old_.swap(states_);
    turn_ = 1 - turn_;
    previous_step_ = step_;
  }

  /// The states so far predict nothing.
  void meet_jump() override { previous_step_ = 0; }

  void record(const BeatMaps& maps, const ActivationSince& since, Real t_old_ms, Real t_new_ms) const override {
    backend_.for_each(this->nodes(), RecordStep<LinearSteps>{maps, since, last_steps(t_old_ms, t_new_ms)});
  }
  void follow(StepFollowers<B>& followers, Real t_old_ms, Real t_new_ms) const override {
    followers.follow(backend_, last_steps(t_old_ms, t_new_ms));
  }

  void exchange(BackendArchive<B>& archive) override {
    this->exchange_state(archive);
    archive.value("integrator/previous_step", previous_step_);
  }

  const StepSeconds& seconds() override {
    for (typename B::Repetition& repetition : newton_repetitions_) backend_.settle(repetition);
    return stage_.seconds();
  }

  /// The repetitions of Newton's iteration, one for each of the two places of the states.
  const std::array<typename B::Repetition, 2>& newton_repetitions() const { return newton_repetitions_; }

  // The system that newton_from() solves.

  /// φ = φ_n + weight (φ_n − φ_{n−1})
  void start(Real weight) {
    const auto watch = backend_.stopwatch(stage_.seconds().update);
    backend_.for_each(this->nodes(), StartAttempt{{stage_.load(), phi_old_.data(), source_, 1 / step_},
                                                  {stage_.phi(), phi_old_.data(), phi_older_.data(), weight},
                                                  state(),
                                                  newton_config_,
                                                  step_});
  }

  NewtonReport newton() {
    stage_.newton(newton_repetitions_[turn_], states_old_.data(), states_.data());
    if (with_error_) {
      const auto watch = backend_.stopwatch(stage_.seconds().update);
      backend_.maximum(this->nodes(), &state()->error,
                       LocalError{stage_.phi(), phi_old_.data(), phi_older_.data(), step_, previous_step_});
    }
    const StepOutcome outcome = backend_.read(static_cast<const StepOutcome*>(state()));
    error_ = outcome.error;
    return outcome.newton.report;
  }

 private:
  /// The step that was accepted.
  LinearSteps last_steps(Real t_old_ms, Real t_new_ms) const {
    return {t_old_ms, t_new_ms, phi_older_.data(), phi_old_.data()};
  }

  using Integrator<B>::backend_, Integrator<B>::stage_, Integrator<B>::state, Integrator<B>::turn_;
  using Integrator<B>::phi_old_, Integrator<B>::phi_older_, Integrator<B>::states_old_, Integrator<B>::states_;

  NewtonConfig newton_config_;
  Real step_ = 0, previous_step_ = 0, error_ = 0;
  const Real* source_ = nullptr;
  bool with_error_ = false;
  std::array<typename B::Repetition, 2> newton_repetitions_;  ///< from each place of the cells' states to the other
};

}  // namespace cardiowarp
