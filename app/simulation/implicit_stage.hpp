#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <memory>
#include <vector>

#include "app/simulation/simulation_plan.hpp"
#include "app/simulation/step_seconds.hpp"
#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/linear_solver.hpp"
#include "solver/newton.hpp"

namespace cardiowarp {

// One stage of a time scheme: the nonlinear system of a step of backward Euler, and how Newton's method solves it. The
// assembly, the linear solver and Newton's method do not know each other; here they meet. A time scheme owns an
// ImplicitStage, fills in its load and first iterate, and calls newton(). Beside the matrix, the assembly and the
// linear solver it takes 48 bytes a node in backend memory, and 16 more where linear systems are solved only as well as
// the error of the step needs.

/// load = φ_old / h + s
struct StepLoad {
  Real* load;
  const Real *phi_old, *source;
  Real inverse_step;
  CARDIOWARP_HD void operator()(Index i) const { load[i] = inverse_step * phi_old[i] + source[i]; }
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

/// The report of an attempt at a step to the host, in one piece so that it is read at once.
struct StepOutcome {
  NewtonState newton;
  NewtonReport stage_before;  ///< of a stage after which the host did not look; else no iterations
  Real error;                 ///< the largest in φ, estimated, where it was asked for
};

/// The decisions of an attempt, in backend memory beside the vectors.
struct StepState : StepOutcome {
  CgState cg;
  Real max_update;           ///< max |Δφ|; NaN when a node leaves the range of a cell model around it
  Real step;                 ///< of backward Euler, in τ
  Real linear_error;         ///< that a linear system may leave in φ, where TimeMethod::linear_follows
  Real max_right_hand_side;  ///< max of ErrorFromResidual of a system's right-hand side, there
};

struct EndNewtonIteration {
  StepState* state;
  CARDIOWARP_HD void operator()() const { state->newton.end_iteration(state->cg.report, state->max_update); }
};

/// The error in φ that a residual of the linear system stands for, an upper bound at all ends of its spectrum:
///   |r_i| max(h / m_i, 2 / A_ii, min(1 / K_ii, 1000 h / m_i))
/// with the matrix A, K its part of diffusion. Smooth errors have r = m e / h or more; by 1 / A_ii alone, which is
/// smaller by 1 + h K_ii / m_i, they would pass and come back in the estimate of the step's error. Those that change
/// sign from node to node have r of the size of A_ii e, but those that are 0 on average over each element, where the
/// mass of one integration point does not see them, of 2 K_ii e alone: very little in short steps. Where there is next
/// to no diffusion, nothing bounds those.
struct ErrorFromResidual {
  const Real *residual, *inverse_volume, *inverse_diffusion, *inverse_diagonal;
  const StepState* state;
  CARDIOWARP_HD Real operator()(Index i) const {
    const Real smooth = state->step * inverse_volume[i];
    const Real rough = std::fmax(2 * inverse_diagonal[i], std::fmin(inverse_diffusion[i], 1000 * smooth));
    return std::fabs(residual[i]) * std::fmax(smooth, rough);
  }
};

/// |r| is to fall by what the error, of which the right-hand side tells the first, has to.
struct SetLinearTarget {
  StepState* state;
  CARDIOWARP_HD void operator()() const {
    state->newton.forcing = {.largest = std::fmin(1, state->linear_error / state->max_right_hand_side)};
  }
};

/// A step of backward Euler, which time schemes are made of, by two nested Newton iterations (paper 000 Table I; that
/// of the cells' states in closed form where the model has one, fem/cells/state_step.hpp):
///   until max|Δφ| small    elements: states s(φ), tangent and residual numbers     linearize()
///                          rows: K and −R                                            linearize()
///                          K Δφ = −R by conjugate gradients,  φ += Δφ                correct()
/// From the first iterate phi() and load() = φ_old/h + s, both in backend memory and internal units.
template <Backend B>
class ImplicitStage {
 public:
  using Plan = SimulationPlan;

  ImplicitStage(B& backend, const SimulationPlan& plan)
      : backend_(backend),
        cg_config_(plan.problem().linear_solver),
        aims_at_error_(plan.problem().time.linear_follows),
        nodes_(plan.sparsity.rows()),
        points_(plan.points()),
        matrix_(make_matrix(backend, plan)),
        assembly_(make_assembly(backend, plan)),
        lowest_phi_(uploaded(backend, plan.lowest_phi)),
        state_(backend.template allocate<StepState>(1)) {
    if (aims_at_error_) {
      inverse_volume_ = uploaded(backend, plan.residual_scales.inverse_volume);
      inverse_diffusion_ = uploaded(backend, plan.residual_scales.inverse_diffusion);
    }
    for (Buffer<Real>* vector : {&phi_, &load_, &negative_residual_, &inverse_diagonal_, &update_})
      *vector = backend.template allocate<Real>(nodes_);
    assembly_->begin(backend, *matrix_);
    const SystemInMemory system{
        nodes_,         plan.values(), matrix_->value(), inverse_diagonal_.data(), negative_residual_.data(),
        update_.data(), &state()->cg};
    const CsrView pattern{nodes_, plan.sparsity.row_begin.data(), plan.sparsity.column.data(), nullptr};
    linear_solver_ = make_linear_solver(backend, plan.solver, plan.matrix.ell_warp(), *matrix_, system,
                                        {pattern, plan.matrix.slot_of_entry, assembly_->diagonal_slot()});
  }

  Real* phi() const { return phi_.data(); }                      ///< [nodes] the iterate
  Real* load() const { return load_.data(); }                    ///< [nodes]
  Real* last_update() const { return update_.data(); }           ///< [nodes] free between steps
  const Real* lowest_phi() const { return lowest_phi_.data(); }  ///< [nodes] end of the admissible range
  StepState* state() const { return state_.data(); }
  Index nodes() const { return nodes_; }
  Index points() const { return points_; }  ///< where the cells have states
  SolverPath solver_path() const { return linear_solver_->path(); }
  StepSeconds& seconds() { return seconds_; }
  SpectrumMemory* spectrum() { return linear_solver_->spectrum(); }

  /// The next system is the first of a step in time.
  void begin_step() { linear_solver_->begin_step(); }

  /// From the states `old` to `now`, [states × points] each; state()->newton has begun. A repetition is for these two
  /// places.
  void newton(typename B::Repetition& repetition, const Real* old, Real* now) {
    states_old_ = old;
    states_ = now;
    cardiowarp::newton(backend_, repetition, &state()->newton, *this);
  }

  /// The rates that an explicit scheme needs instead, where the assembly has it.
  void evaluate_rates(const RateState& state) { assembly_->evaluate_rates(backend_, *matrix_, state); }
  void largest_stiffness(const RateState& state, Real* result) {
    assembly_->largest_stiffness(backend_, state, result);
  }

  /// to_i = from_i at the nodes whose potential is prescribed; both are [nodes].
  void hold_prescribed(const Real* from, Real* to) const { assembly_->hold_prescribed(backend_, from, to); }

  // The system that newton() solves.

  void linearize() {
    const auto evaluate_elements = [this] {
      assembly_->evaluate_elements(backend_,
                                   {phi_.data(), load_.data(), states_old_, states_, &state()->step, points_});
    };
    if (assembly_->evaluates_ahead()) {
      const auto watch = backend_.stopwatch(seconds_.element);
      evaluate_elements();
    } else {
      evaluate_elements();
    }
    const auto watch = backend_.stopwatch(seconds_.assembly);
    assembly_->assemble(backend_, *matrix_, phi_.data(), negative_residual_.data(), inverse_diagonal_.data());
  }

  void correct() {
    {
      const auto watch = backend_.stopwatch(seconds_.linear_solve);
      if (aims_at_error_)
        backend_.maximum(nodes_, &state()->max_right_hand_side,
                         ErrorFromResidual{negative_residual_.data(), inverse_volume_.data(), inverse_diffusion_.data(),
                                           inverse_diagonal_.data(), state()},
                         SetLinearTarget{state()});
      linear_solver_->solve(backend_, cg_config_, &state()->newton.forcing);
    }
    const auto watch = backend_.stopwatch(seconds_.update);
    backend_.maximum(nodes_, &state()->max_update,
                     AddUpdate{phi_.data(), update_.data(), lowest_phi_.data(), &state()->cg.report},
                     EndNewtonIteration{state()});
  }

 private:
  B& backend_;
  CgConfig cg_config_;
  bool aims_at_error_;
  Index nodes_, points_;
  StepSeconds seconds_;
  const Real* states_old_ = nullptr;
  Real* states_ = nullptr;

  std::unique_ptr<GlobalMatrix<B>> matrix_;
  std::unique_ptr<Assembly<B>> assembly_;
  Buffer<Real> phi_, lowest_phi_, load_;
  Buffer<Real> inverse_volume_, inverse_diffusion_;  ///< where aims_at_error_
  Buffer<Real> negative_residual_, inverse_diagonal_, update_;
  Buffer<StepState> state_;
  std::unique_ptr<LinearSolver<B>> linear_solver_;  ///< last: it uses the others
};

/// The plan of a stage on the backend. A specialization of ImplicitStage may have a plan of its own, whose problem()
/// and `states` are as those of SimulationPlan.
template <Backend B>
using StagePlan = typename ImplicitStage<B>::Plan;

}  // namespace cardiowarp
