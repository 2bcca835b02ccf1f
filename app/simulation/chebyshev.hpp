#pragma once
#include <array>
#include <cmath>
#include <optional>

#include "app/simulation/chebyshev_formula.hpp"
#include "app/simulation/integrator.hpp"
#include "assembly/vector_loops.hpp"
#include "kernels/backend/stop_request.hpp"

namespace cardiowarp {

// The explicit time scheme rkc2, which make_integrator() takes where `time.scheme` asks for it. It solves no linear
// systems; instead it evaluates the rates of φ and of the cells' states as often as the length of the step and the
// stiffness of the equations ask for (chebyshev_formula.hpp). It needs `quadrature: vertices`, and is not for PETSc.
// The loop bodies stand first, and Chebyshev, which runs them, last.

/// A stage of RKC2 of anything that has a rate, with the source where there is one: φ, or the states of the cells.
struct ChebyshevStage {
  Real* next;
  const Real *start, *now, *before;  ///< Y_0, Y_{j−1}, Y_{j−2}; `before` may be where the next one goes
  const Real *first_rate, *rate;     ///< of Y_0 and Y_{j−1}, without the source
  const Real* source;                ///< null: none
  ChebyshevFormula::Stage by;
  Real step;
  CARDIOWARP_HD void operator()(Index i) const {
    const Real added = source ? source[i] : 0;
    next[i] = (1 - by.now - by.before) * start[i] + by.now * now[i] + by.before * before[i] +
              step * (by.by_rate * (rate[i] + added) + by.by_first_rate * (first_rate[i] + added));
  }
};

/// Hermite's cubic through the states at both ends of a step, with their rates there.
struct EvaluateCubicStates {
  const Real *old, *now, *rate_old, *rate_now;  ///< from the first that is asked for
  Real step, part;
  Real* state;
  CARDIOWARP_HD void operator()(Index i) const {
    state[i] = CubicPath{0, 1, old[i], now[i], step * rate_old[i], step * rate_now[i]}.at(part);
  }
};

/// The explicit scheme rkc2. A step has as many stages as keep it stable, each a product with the matrix of diffusion
/// in which the cells of a row's node are evaluated, too, and solves nothing; so it needs a mass that couples no nodes,
/// that of quadrature: vertices. How stiff the equations are is bounded anew in each step by the sums of the rows of
/// their derivative (Gershgorin). Between steps it keeps the rates of φ without the source, and of the states. Beside
/// what all schemes have, it takes 40 bytes a node and 40 for each of the cells' states.
template <Backend B>
class Chebyshev final : public Integrator<B>, private Interpolation {
 public:
  Chebyshev(B& backend, const SimulationPlan& plan)
      : Integrator<B>(backend, plan),
        diffusion_stiffness_(plan.vertices->stiffness),
        stiffness_(backend.template allocate<Real>(1)) {
    for (Buffer<Real>* vector : {&phi_stage_[0], &phi_stage_[1], &rate_, &rate_before_, &rate_stage_})
      *vector = backend.template allocate<Real>(this->nodes());
    for (Buffer<Real>* vector :
         {&states_stage_[0], &states_stage_[1], &states_rate_, &states_rate_before_, &states_rate_stage_})
      *vector = backend.template allocate<Real>(plan.states.size());
  }

  /// The source as it is in the step.
  NewtonReport attempt(Real step, const Real* source, bool /*with_error*/ = false) override {
    step_ = step;
    source_ = source;
    if (stiffness_now_ == 0) {
      evaluate(phi_old_.data(), states_old_.data(), rate_.data(), states_rate_.data());
      measure_stiffness();
    }
    NewtonReport report;
    report.status = NewtonStatus::not_finite;
    const std::optional<int> stages = ChebyshevFormula::stages_for(step * stiffness_now_);
    if (!stages) {
      if (std::isfinite(stiffness_now_)) report.status = NewtonStatus::too_stiff;
      show_start();
      return report;
    }
    const ChebyshevFormula formula(*stages);
    advance_by({0, 0, formula.first, 0}, {phi_old_, phi_old_, rate_, phi_stage_[0]},
               {states_old_, states_old_, states_rate_, states_stage_[0]});
    last_ = 0;
    for (std::size_t k = 0; k < formula.stages.size(); ++k) {
      heed_stop_request();
      evaluate(phi_stage_[last_].data(), states_stage_[last_].data(), rate_stage_.data(), states_rate_stage_.data());
      const int next = 1 - last_;
      advance_by(
          formula.stages[k], {phi_stage_[last_], k == 0 ? phi_old_ : phi_stage_[next], rate_stage_, phi_stage_[next]},
          {states_stage_[last_], k == 0 ? states_old_ : states_stage_[next], states_rate_stage_, states_stage_[next]});
      last_ = next;
    }
    evaluate(phi_stage_[last_].data(), states_stage_[last_].data(), rate_stage_.data(), states_rate_stage_.data());
    if (has_finite_error()) report.status = NewtonStatus::converged;
    return report;
  }

  std::optional<Real> error() const override { return error_; }

  void accept() override {
    phi_older_.swap(phi_old_);
    phi_old_.swap(phi_stage_[last_]);
    states_.swap(states_old_);
    states_old_.swap(states_stage_[last_]);
    rate_before_.swap(rate_);
    rate_.swap(rate_stage_);
    states_rate_before_.swap(states_rate_);
    states_rate_.swap(states_rate_stage_);
    measure_stiffness();
  }

  /// The rates are kept without it.
  void meet_jump() override {}

  void record(const BeatMaps& maps, const ActivationSince& since, Real t_old_ms, Real t_new_ms) const override {
    backend_.for_each(this->nodes(), RecordStep<CubicSteps>{maps, since, last_steps(t_old_ms, t_new_ms)});
  }
  void follow(StepFollowers<B>& followers, Real t_old_ms, Real t_new_ms) const override {
    followers.follow(backend_, last_steps(t_old_ms, t_new_ms));
  }

  const Interpolation* interpolation() const override { return this; }

  void exchange(BackendArchive<B>& archive) override {
    this->exchange_state(archive);
    archive.nodes("integrator/rate", rate_);
    archive.points("integrator/states_rate", states_rate_);
    archive.value("integrator/stiffness", stiffness_now_);
  }

  const StepSeconds& seconds() override {
    backend_.synchronize();
    return stage_.seconds();
  }

 private:
  using Integrator<B>::backend_, Integrator<B>::stage_, Integrator<B>::state;
  using Integrator<B>::phi_old_, Integrator<B>::phi_older_, Integrator<B>::states_old_, Integrator<B>::states_;

  Index states() const { return static_cast<Index>(states_rate_.size()); }

  void interpolate_phi(Real part, Real* phi) const override {
    backend_.for_each(this->nodes(), EvaluateSteps{last_steps(0, 1), part, phi});
  }
  void interpolate_states(Real part, std::size_t first, Index number, Real* values) const override {
    backend_.for_each(number, EvaluateCubicStates{states_.data() + first, states_old_.data() + first,
                                                  states_rate_before_.data() + first, states_rate_.data() + first,
                                                  step_, part, values});
  }

  void evaluate(const Real* phi, const Real* states, Real* rate, Real* states_rate) {
    const auto watch = backend_.stopwatch(stage_.seconds().assembly);
    stage_.evaluate_rates({phi, states, rate, states_rate, this->points()});
  }

  /// φ or the cells' states at two stages, the rate at the later one, and where those of the next stage go.
  struct Stages {
    const Buffer<Real>&now, &before, &rate;
    Buffer<Real>& next;
  };

  void advance_by(const ChebyshevFormula::Stage& by, const Stages& phi, const Stages& of_states) {
    const auto watch = backend_.stopwatch(stage_.seconds().update);
    backend_.for_each(this->nodes(), ChebyshevStage{phi.next.data(), phi_old_.data(), phi.now.data(), phi.before.data(),
                                                    rate_.data(), phi.rate.data(), source_, by, step_});
    stage_.hold_prescribed(phi_old_.data(), phi.next.data());  // to the last bit, which the weights of a stage miss
    backend_.for_each(states(), ChebyshevStage{of_states.next.data(), states_old_.data(), of_states.now.data(),
                                               of_states.before.data(), states_rate_.data(), of_states.rate.data(),
                                               nullptr, by, step_});
  }

  /// Bounds the stiffness at t_n, where rate_ is known. The stiffness of the cells may grow by a fifth within the step.
  void measure_stiffness() {
    const auto watch = backend_.stopwatch(stage_.seconds().element);
    constexpr Real growth = 1.2;
    stage_.largest_stiffness({phi_old_.data(), states_old_.data(), nullptr, nullptr, this->points()},
                             stiffness_.data());
    stiffness_now_ = diffusion_stiffness_ + growth * backend_.read(static_cast<const Real*>(stiffness_.data()));
  }

  /// Finds the error of the step. It is not finite where the step went where a cell model is not defined.
  bool has_finite_error() {
    {
      const auto watch = backend_.stopwatch(stage_.seconds().update);
      backend_.maximum(this->nodes(), &state()->error,
                       EndFromTrapezoid{phi_stage_[last_].data(), phi_old_.data(), rate_.data(), rate_stage_.data(),
                                        source_, step_, ChebyshevFormula::error});
    }
    error_ = backend_.read(static_cast<const StepOutcome*>(state())).error;
    if (!std::isfinite(error_)) backend_.for_each(this->nodes(), CopyValues{stage_.phi(), phi_stage_[last_].data()});
    return std::isfinite(error_);
  }

  /// Lets `iterate` and `last_update` show the state at the step's beginning: the worst node is where |φ| is largest.
  void show_start() {
    for (Real* const shown : {stage_.phi(), stage_.last_update()})
      backend_.for_each(this->nodes(), CopyValues{shown, phi_old_.data()});
  }

  /// The step that was accepted.
  CubicSteps last_steps(Real t_old_ms, Real t_new_ms) const {
    return {{t_old_ms, t_new_ms, step_}, phi_older_.data(), phi_old_.data(),
            rate_before_.data(),         rate_.data(),      source_};
  }

  Real diffusion_stiffness_;
  Real step_ = 0, error_ = 0, stiffness_now_ = 0;  ///< the last: 0 until the first attempt
  const Real* source_ = nullptr;
  int last_ = 0;  ///< where the last stage is
  std::array<Buffer<Real>, 2> phi_stage_, states_stage_;
  Buffer<Real> rate_, rate_before_, rate_stage_;  ///< φ' without the source at t_n, t_{n−1} and of the last stage
  Buffer<Real> states_rate_, states_rate_before_, states_rate_stage_;
  Buffer<Real> stiffness_;
};

}  // namespace cardiowarp
