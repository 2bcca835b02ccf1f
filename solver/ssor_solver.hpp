#pragma once
#include <memory>

#include "kernels/backend/backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/linear_system.hpp"
#include "solver/preconditioners/ssor.hpp"
#include "solver/preconditioners/ssor_cg.hpp"

namespace cardiowarp {

// The path `plain` with the preconditioner SSOR (solver/preconditioners/ssor.hpp), in its two ways. What it reads of K
// is copied before each solve, in the order of the colours.

/// What a run with SSOR needs to know of its matrix.
struct SsorPlan {
  SsorKind kind = SsorKind::sweeps;
  ColouredHalves halves;
};

/// Products with the matrix in its own format, and sweeps over the coloured halves.
template <Backend B, class Matrix, class Value>
class SsorSolver final : public LinearSolver<B> {
 public:
  /// `A` lives as long as this.
  SsorSolver(B& backend, const ColouredHalves& halves, const Matrix& A, const SystemOf<Value>& system,
             bool only_diagonal_changes)
      : matrix_{&A, system.value},
        ssor_(backend, system.rows, halves, system.value, only_diagonal_changes),
        cg_(backend, system.rows, matrix_, ssor_.preconditioner(), system.b, system.x, system.state) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    ssor_.follow_matrix();
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return SolverPath::plain; }

 private:
  using Ssor = SsorPreconditioner<B, Value>;
  MatrixWithValues<Matrix, Value> matrix_;
  Ssor ssor_;
  ConjugateGradient<B, MatrixWithValues<Matrix, Value>, typename Ssor::Prepared> cg_;
};

/// Eisenstat's trick, which needs no product.
template <Backend B, class Value>
class EisenstatSolver final : public LinearSolver<B> {
 public:
  EisenstatSolver(B& backend, const ColouredHalves& halves, const SystemOf<Value>& system, bool only_diagonal_changes)
      : cg_(backend, halves, system.value, only_diagonal_changes, system.b, system.x, system.state) {}
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return SolverPath::plain; }

 private:
  EisenstatCg<B, Value> cg_;
};

/// The solver that the plan names. With `only_diagonal_changes` nothing else of K changes from solve to solve.
template <Backend B, class Matrix, class Value>
std::unique_ptr<LinearSolver<B>> make_ssor_solver(B& backend, const SsorPlan& plan, const Matrix& A,
                                                  const SystemOf<Value>& system, bool only_diagonal_changes) {
  if (plan.kind == SsorKind::eisenstat)
    return std::make_unique<EisenstatSolver<B, Value>>(backend, plan.halves, system, only_diagonal_changes);
  return std::make_unique<SsorSolver<B, Matrix, Value>>(backend, plan.halves, A, system, only_diagonal_changes);
}

}  // namespace cardiowarp
