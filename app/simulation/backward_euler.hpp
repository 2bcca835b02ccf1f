#pragma once
#include <array>
#include <cmath>
#include <concepts>
#include <memory>
#include <optional>

#include "app/simulation/simulation_plan.hpp"
#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/linear_solver.hpp"
#include "solver/newton.hpp"

namespace cardiowarp {

/// Seconds spent in the phases of a step, summed over steps.
struct StepSeconds {
  double element = 0, assembly = 0, linear_solve = 0, update = 0;
};

/// guess = now + weight (now − before)
struct Extrapolate {
  Real* guess;
  const Real *now, *before;
  Real weight;
  CARDIOWARP_HD void operator()(Index i) const { guess[i] = now[i] + weight * (now[i] - before[i]); }
};

/// load = φ_old / h + s
struct StepLoad {
  Real* load;
  const Real *phi_old, *source;
  Real inverse_step;
  CARDIOWARP_HD void operator()(Index i) const { load[i] = inverse_step * phi_old[i] + source[i]; }
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

/// φ += Δφ where there is a Δφ; |Δφ|, or NaN at `lowest` and below.
struct AddUpdate {
  Real* phi;
  const Real* update;
  const Real* lowest;
  const CgReport* solve;
  CARDIOWARP_HD Real operator()(Index i) const {
    if (!solve->has_solution()) return 0;
    const Real change = update[i], now = phi[i] + change, end = lowest[i];
    phi[i] = now;
    return now > end ? std::fabs(change) : NAN;
  }
};

/// to = from
struct CopyNodes {
  Real* to;
  const Real* from;
  CARDIOWARP_HD void operator()(Index i) const { to[i] = from[i]; }
};

/// What an attempt at a step tells the host, in one piece so that it is read at once.
struct StepOutcome {
  NewtonState newton;
  Real error;  ///< the largest LocalError, where it was asked for
};

/// What it decides, in backend memory beside the vectors.
struct StepState : StepOutcome {
  CgState cg;
  Real max_update;  ///< max |Δφ|; NaN when a node leaves the range of a cell model around it
  Real step;        ///< h, in τ
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

struct EndNewtonIteration {
  StepState* state;
  CARDIOWARP_HD void operator()() const { state->newton.end_iteration(state->cg.report, state->max_update); }
};

/// One backward Euler step of the monodomain problem at a time, by two nested Newton iterations (paper 000 Table I;
/// that of the recovery in closed form, fem/cells/aliev_panfilov.hpp):
///   for each step            load = φ_old/h + s, φ ← extrapolated                      start()
///     until max|Δφ| small    elements: recovery r(φ), tangent and residual numbers     linearize()
///                            rows: K and −R                                            linearize()
///                            K Δφ = −R by conjugate gradients,  φ += Δφ                correct()
/// The state is in backend memory and internal units. The host waits once an attempt: for Newton's report.
template <Backend B>
class BackwardEuler {
 public:
  BackwardEuler(B& backend, const SimulationPlan& plan, std::unique_ptr<GlobalMatrix<B>> matrix)
      : backend_(backend),
        newton_config_(plan.problem().newton),
        cg_config_(plan.problem().linear_solver),
        nodes_(plan.sparsity.rows()),
        elements_(static_cast<Index>(plan.problem().mesh->tetrahedra.size())),
        matrix_(std::move(matrix)),
        assembly_(make_assembly(backend, plan)),
        phi_old_(uploaded(backend, plan.problem().phi)),
        phi_older_(uploaded(backend, plan.problem().phi)),
        lowest_phi_(uploaded(backend, lowest_admissible_phi(plan.problem()))),
        recovery_old_(uploaded(backend, plan.problem().recovery)),
        recovery_(backend.template allocate<Real>(elements_)),
        state_(backend.template allocate<StepState>(1)) {
    for (Buffer<Real>* vector : {&phi_, &load_, &negative_residual_, &inverse_diagonal_, &update_})
      *vector = backend.template allocate<Real>(nodes_);
    const SystemInMemory system{nodes_,         matrix_->value(), inverse_diagonal_.data(), negative_residual_.data(),
                                update_.data(), &state()->cg};
    if constexpr (std::same_as<B, CpuBackend>)
      if (plan.solver.block_jacobi)
        linear_solver_ = std::make_unique<BlockJacobiSolver<GlobalMatrix<B>>>(
            backend, *matrix_, CsrView{nodes_, plan.sparsity.row_begin.data(), plan.sparsity.column.data(), nullptr},
            plan.matrix.slot_of_entry, system);
    if (!linear_solver_)
      linear_solver_ = make_linear_solver(backend, plan.solver, plan.matrix.ell_warp, *matrix_, system);
  }

  /// Solves for the state after a step of `step` (in τ) under the nodal source `source` (φ per τ, backend memory, as it
  /// is at the step's end). The state stays as it was until accept(); where Newton did not converge, `iterate` and
  /// `last_update` show where it stood.
  NewtonReport attempt(Real step, const Real* source, bool with_error = false) {
    step_ = step;
    source_ = source;
    with_error_ = with_error && previous_step_ > 0;
    linear_solver_->begin_step();
    return newton_from(*this, previous_step_ > 0 ? step / previous_step_ : 0);
  }

  /// Of the attempt that converged, with_error: the largest LocalError; nothing without a step before.
  std::optional<Real> error() const { return with_error_ ? std::optional(error_) : std::nullopt; }

  /// Makes what the last attempt found the state. The loops name φ, which stays where it is, and both places of the
  /// recovery, which take turns.
  void accept() {
    phi_older_.swap(phi_old_);
    backend_.for_each(nodes_, CopyNodes{phi_old_.data(), phi_.data()});
    recovery_old_.swap(recovery_);
    turn_ = 1 - turn_;
    previous_step_ = step_;
  }

  /// The states so far predict nothing: the source has a jump here.
  void forget_history() { previous_step_ = 0; }

  /// attempt() and, where it converged, accept().
  NewtonReport advance(Real step, const Real* source) {
    NewtonReport report = attempt(step, source);
    if (report.converged()) accept();
    return report;
  }

  const Real* phi() const { return phi_old_.data(); }             ///< [nodes] at the end of the last step
  const Real* previous_phi() const { return phi_older_.data(); }  ///< [nodes] one step before
  const Real* recovery() const { return recovery_old_.data(); }   ///< [elements]
  const Real* iterate() const { return phi_.data(); }             ///< [nodes] of a step that failed
  const Real* last_update() const { return update_.data(); }      ///< [nodes] of a step that failed
  const Real* lowest_phi() const { return lowest_phi_.data(); }   ///< [nodes] end of the admissible range
  Index nodes() const { return nodes_; }
  Index elements() const { return elements_; }
  SolverPath solver_path() const { return linear_solver_->path(); }

  /// Waits for what is not done yet.
  const StepSeconds& seconds() {
    for (typename B::Loop& loop : newton_loops_) backend_.settle(loop);
    return seconds_;
  }

  /// That of Newton's iterations from one or the other place of the recovery.
  const std::array<typename B::Loop, 2>& newton_loops() const { return newton_loops_; }

  // The system that newton_from() solves.

  /// φ = φ_n + weight (φ_n − φ_{n−1})
  void start(Real weight) {
    const auto watch = backend_.stopwatch(seconds_.update);
    backend_.for_each(nodes_, StartAttempt{{load_.data(), phi_old_.data(), source_, 1 / step_},
                                           {phi_.data(), phi_old_.data(), phi_older_.data(), weight},
                                           state(),
                                           newton_config_,
                                           step_});
  }

  NewtonReport newton() {
    cardiowarp::newton(backend_, newton_loops_[turn_], &state()->newton, *this);
    if (with_error_) {
      const auto watch = backend_.stopwatch(seconds_.update);
      backend_.maximum(nodes_, &state()->error,
                       LocalError{phi_.data(), phi_old_.data(), phi_older_.data(), step_, previous_step_});
    }
    const StepOutcome outcome = backend_.read(static_cast<const StepOutcome*>(state()));
    error_ = outcome.error;
    return outcome.newton.report;
  }

  void linearize() {
    {
      const auto watch = backend_.stopwatch(seconds_.element);
      assembly_->evaluate_elements(backend_,
                                   {phi_.data(), load_.data(), recovery_old_.data(), recovery_.data(), &state()->step});
    }
    const auto watch = backend_.stopwatch(seconds_.assembly);
    assembly_->assemble(backend_, *matrix_, phi_.data(), negative_residual_.data(), inverse_diagonal_.data());
  }

  void correct() {
    {
      const auto watch = backend_.stopwatch(seconds_.linear_solve);
      linear_solver_->solve(backend_, cg_config_, &state()->newton.forcing);
    }
    const auto watch = backend_.stopwatch(seconds_.update);
    backend_.maximum(nodes_, &state()->max_update,
                     AddUpdate{phi_.data(), update_.data(), lowest_phi_.data(), &state()->cg.report},
                     EndNewtonIteration{state()});
  }

 private:
  StepState* state() const { return state_.data(); }

  B& backend_;
  NewtonConfig newton_config_;
  CgConfig cg_config_;
  Index nodes_, elements_;
  Real step_ = 0, previous_step_ = 0, error_ = 0;
  const Real* source_ = nullptr;
  bool with_error_ = false;
  StepSeconds seconds_;

  std::unique_ptr<GlobalMatrix<B>> matrix_;
  std::unique_ptr<Assembly<B>> assembly_;
  Buffer<Real> phi_, phi_old_, phi_older_, lowest_phi_, load_;
  Buffer<Real> recovery_old_, recovery_;
  Buffer<Real> negative_residual_, inverse_diagonal_, update_;
  Buffer<StepState> state_;
  std::array<typename B::Loop, 2> newton_loops_;  ///< from each place of the recovery to the other
  int turn_ = 0;
  std::unique_ptr<LinearSolver<B>> linear_solver_;  ///< last: it uses the others
};

}  // namespace cardiowarp
