#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "app/simulation/laplace.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/prescribed_nodes.hpp"
#include "assembly/vector_loops.hpp"
#include "kernels/backend/backend.hpp"
#include "solver/linear_solver.hpp"

namespace cardiowarp {

/// to += what
struct AddNodes {
  Real* to;
  const Real* what;
  CARDIOWARP_HD void operator()(Index i) const { to[i] += what[i]; }
};

/// |r_i|²
struct SquareOf {
  const Real* r;
  CARDIOWARP_HD Terms<1> operator()(Index i) const { return {{r[i] * r[i]}}; }
};

/// One solve of Laplace's equation on a backend. K is the matrix of diffusion without its prescribed rows and columns;
/// the residual is computed with all of it. Conjugate gradients find a correction of u to 1e-8 at most, which every
/// path can, and again for the residual that is left, until that is as small as asked for.
template <Backend B>
class LaplaceSolver {
 public:
  LaplaceSolver(B& backend, const LaplacePlan& plan)
      : backend_(backend),
        plan_(plan),
        rows_(plan.sparsity.rows()),
        matrix_(make_global_matrix(backend, plan.sparsity, plan.matrix)),
        diffusion_(uploaded(backend, plan.diffusion)),
        u_(uploaded(backend, plan.renumbered.problem.phi)),
        residual_(backend.template allocate<Real>(rows_)),
        inverse_diagonal_(backend.template allocate<Real>(rows_)),
        update_(backend.template allocate<Real>(rows_)),
        norm_(backend.template allocate<Real>(1)),
        state_(backend.template allocate<CgState>(1)),
        prescribed_(backend, plan.prescribed) {
    const Buffer<Index> diagonal_slot = uploaded(backend, plan.diagonal_slot);
    backend.for_each(static_cast<Index>(diffusion_.size()), CopyValues{matrix_->value(), diffusion_.data()});
    backend.for_each(rows_, InvertDiagonal{diagonal_slot.data(), diffusion_.data(), inverse_diagonal_.data()});
    prescribed_.eliminate(backend, true, matrix_->value(), residual_.data(), inverse_diagonal_.data());
    backend.synchronize();  // diagonal_slot may go
    solver_ = make_linear_solver(backend, plan.solver, plan.matrix.ell_warp(), *matrix_,
                                 SystemInMemory{rows_, plan.matrix.slots, matrix_->value(), inverse_diagonal_.data(),
                                                residual_.data(), update_.data(), state_.data()});
  }

  LaplaceField solve(const LaplaceOptions& options) {
    constexpr Real a_round = 1e-8;
    constexpr int most_rounds = 8;
    LaplaceField field;
    const Real first = residual_norm();
    Real now = first;
    for (int round = 0; round < most_rounds && now > options.tolerance * first; ++round) {
      solver_->begin_step();
      solver_->solve(backend_,
                     {std::max(options.tolerance * first / now, a_round), options.max_iterations - field.iterations},
                     nullptr);
      const CgReport report = backend_.read(static_cast<const CgReport*>(&state_.data()->report));
      field.iterations += report.iterations;
      field.status = report.status;
      if (!report.has_solution()) break;
      backend_.for_each(rows_, AddNodes{u_.data(), update_.data()});
      const Real before = now;
      now = residual_norm();
      if (report.status != CgStatus::converged || now > before / 2) break;  // no better than rounding allows
    }
    field.residual = first > 0 ? now / first : 0;
    std::vector<Real> in_order(rows_);
    backend_.download(static_cast<const Real*>(u_.data()), std::span<Real>(in_order));
    field.value.resize(rows_);
    for (Index i = 0; i < rows_; ++i) field.value[plan_.renumbered.node_in_input[i]] = in_order[i];
    field.format = format_name(plan_.matrix.options);
    field.solver = name_of(solver_->path());
    return field;
  }

 private:
  /// |r| of r = −K u, 0 at the prescribed nodes.
  Real residual_norm() {
    matrix_->multiply(backend_, diffusion_.data(), u_.data(), residual_.data());
    backend_.for_each(rows_, Negate{residual_.data()});
    prescribed_.set_zero(backend_, residual_.data());
    backend_.template sum<1>(rows_, norm_.data(), SquareOf{residual_.data()});
    return std::sqrt(backend_.read(static_cast<const Real*>(norm_.data())));
  }

  B& backend_;
  const LaplacePlan& plan_;
  Index rows_;
  std::unique_ptr<GlobalMatrix<B>> matrix_;
  Buffer<Real> diffusion_, u_, residual_, inverse_diagonal_, update_, norm_;
  Buffer<CgState> state_;
  PrescribedNodes<B> prescribed_;
  std::unique_ptr<LinearSolver<B>> solver_;  ///< last: it uses the others
};

}  // namespace cardiowarp
