#pragma once
#include <concepts>
#include <memory>
#include <stdexcept>
#include <utility>

#include "kernels/backend/sizing_backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/given_system.hpp"
#include "solver/jacobi_solvers.hpp"
#include "solver/polynomial_cg.hpp"
#include "solver/preconditioners/block_jacobi.hpp"
#include "solver/preconditioners/ssor.hpp"
#include "solver/preconditioners/ssor_cg.hpp"

namespace cardiowarp {

/// Conjugate gradients with any preconditioner but Jacobi. `Matrix` multiplies as `Cg` asks, which make_cg() makes.
/// `Preconditioner` has
///   follow_matrix(last_solve)   called before each solve, when K may have changed; the state of the solve before, in
///                               backend memory, tells how that ended. Nothing waits
/// and, where it needs them,
///   begin_step()                called before the first solve of a time step
///   spectrum()                  its SpectrumMemory
template <Backend B, class Matrix, class Preconditioner, class Cg>
class PreconditionedSolver final : public LinearSolver<B> {
 public:
  /// make_preconditioner(matrix) and make_cg(matrix, preconditioner) make what lives as long as this.
  template <class MakePreconditioner, class MakeCg>
  PreconditionedSolver(SolverPath path, Matrix A, const CgState* state, const MakePreconditioner& make_preconditioner,
                       const MakeCg& make_cg)
      : path_(path),
        state_(state),
        matrix_(std::move(A)),
        preconditioner_(make_preconditioner(std::as_const(matrix_))),
        cg_(make_cg(std::as_const(matrix_), std::as_const(preconditioner_))) {}
  void begin_step() override {
    if constexpr (requires { preconditioner_.begin_step(); }) preconditioner_.begin_step();
  }
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    preconditioner_.follow_matrix(state_);
    cg_.solve(backend, config, forcing);
  }
  SolverPath path() const override { return path_; }
  SpectrumMemory* spectrum() override {
    if constexpr (requires { preconditioner_.spectrum(); })
      return preconditioner_.spectrum();
    else
      return nullptr;
  }

 private:
  SolverPath path_;
  const CgState* state_;
  Matrix matrix_;
  Preconditioner preconditioner_;
  Cg cg_;
};

template <Backend B, class Matrix, class MakePreconditioner, class MakeCg>
std::unique_ptr<LinearSolver<B>> make_preconditioned_solver(SolverPath path, Matrix A, const CgState* state,
                                                            const MakePreconditioner& make_preconditioner,
                                                            const MakeCg& make_cg) {
  using Preconditioner = decltype(make_preconditioner(std::declval<const Matrix&>()));
  using Cg = decltype(make_cg(std::declval<const Matrix&>(), std::declval<const Preconditioner&>()));
  return std::make_unique<PreconditionedSolver<B, Matrix, Preconditioner, Cg>>(path, std::move(A), state,
                                                                               make_preconditioner, make_cg);
}

/// A preconditioner on the path `plain`: its preconditioner() is what ConjugateGradient takes as M.
template <Backend B, class Value, class MakePreconditioner>
std::unique_ptr<LinearSolver<B>> make_plain_solver(B& backend, const GivenSystem<B, Value>& given,
                                                   const MakePreconditioner& make_preconditioner) {
  using Matrix = MatrixWithValues<SparseMatrix<B>, Value>;
  return make_preconditioned_solver<B>(
      SolverPath::plain, Matrix{&given.A, given.system.value}, given.system.state,
      [&](const Matrix&) { return make_preconditioner(); },
      [&](const Matrix& A, const auto& preconditioner) {
        const auto M = preconditioner.preconditioner();
        return ConjugateGradient<B, Matrix, std::remove_const_t<decltype(M)>>(backend, A, M, given.system.vectors());
      });
}

// The solver of each plan that a preconditioner has. One without a function of its own here makes its preconditioner by
// make() (solver/preconditioners/preconditioners.hpp).

template <Backend B, class Value, class Plan>
std::unique_ptr<LinearSolver<B>> solver_of_plan(B& backend, const GivenSystem<B, Value>& given, const Plan& plan) {
  return make_plain_solver(backend, given, [&] {
    return plan.make(backend,
                     MatrixToPrecondition<Value>{given.system.rows, given.system.value, given.system.inverse_diagonal,
                                                 given.entries.diagonal_slot != nullptr});
  });
}

template <Backend B, class Value>
std::unique_ptr<LinearSolver<B>> solver_of_plan(B&, const GivenSystem<B, Value>&, const JacobiPlan&) {
  throw std::logic_error("Jacobi has solvers of its own");
}

template <Backend B, class Value>
std::unique_ptr<LinearSolver<B>> solver_of_plan(B& backend, const GivenSystem<B, Value>& given,
                                                const BlockJacobiPlan&) {
  if constexpr (std::same_as<B, CpuBackend>)
    return make_plain_solver(backend, given, [&] {
      return BlockJacobiOfSteps(backend, given.entries.pattern, given.entries.slot_of_entry, given.value);
    });
  else if constexpr (std::same_as<B, SizingBackend>)  // which counts the memory of a run on the CPU, too
    return loop_solver(backend, given);
  else
    throw std::logic_error("block Jacobi is a preconditioner of the CPU");
}

template <Backend B, class Value>
std::unique_ptr<LinearSolver<B>> solver_of_plan(B& backend, const GivenSystem<B, Value>& given, const SsorPlan& plan) {
  const SystemOf<Value>& system = given.system;
  const bool only_diagonal_changes = given.entries.diagonal_slot != nullptr;
  if (plan.kind == SsorKind::eisenstat)
    return make_cg_solver(backend, SolverPath::plain, NoMatrix{}, [&](const NoMatrix&) {
      return EisenstatCg<B, Value>(backend, plan.halves, system.value, only_diagonal_changes, system.vectors());
    });
  return make_plain_solver(backend, given, [&] {
    return SsorPreconditioner<B, Value>(backend, system.rows, plan.halves, system.value, only_diagonal_changes);
  });
}

/// A polynomial with vectors of `Number`; `make_cg` is PolynomialCgByLoops or PolynomialCgInOneLaunch.
template <class Number, Backend B, class Matrix, class Value, class MakeCg>
std::unique_ptr<LinearSolver<B>> make_polynomial_solver(B& backend, Matrix A, const GivenSystem<B, Value>& given,
                                                        const MakeCg& make_cg) {
  using Polynomial = PolynomialOfSystem<B, Matrix, Value, Number>;
  return make_preconditioned_solver<B>(
      make_cg.path, std::move(A), given.system.state,
      [&](const Matrix& matrix) {
        return Polynomial(backend, matrix, std::get<PolynomialOptions>(given.plan.preconditioner), given.system,
                          given.entries.diagonal_slot);
      },
      [&](const Matrix& matrix, const Polynomial& polynomial) {
        return make_cg(backend, matrix, polynomial.polynomial(), given.system.vectors());
      });
}

/// The solver with a polynomial, in the precision that its options name.
template <Backend B, class Matrix, class Value, class MakeCg>
std::unique_ptr<LinearSolver<B>> make_polynomial_solver_as_named(B& backend, Matrix A,
                                                                 const GivenSystem<B, Value>& given,
                                                                 const MakeCg& make_cg) {
  if (std::get<PolynomialOptions>(given.plan.preconditioner).precision == PolynomialPrecision::single)
    return make_polynomial_solver<float>(backend, std::move(A), given, make_cg);
  return make_polynomial_solver<Real>(backend, std::move(A), given, make_cg);
}

template <Backend B, class Value>
std::unique_ptr<LinearSolver<B>> solver_of_plan(B& backend, const GivenSystem<B, Value>& given,
                                                const PolynomialOptions&) {
  if (given.plan.parts && fits_any_block(*given.plan.parts))
    return make_polynomial_solver_as_named(
        backend, PartsMatrix<B, Value>(backend, given.layout, *given.plan.parts, given.system.value), given,
        PolynomialCgByLoops{SolverPath::in_parts});
  return make_polynomial_solver_as_named(backend,
                                         MatrixWithValues<SparseMatrix<B>, Value>{&given.A, given.system.value}, given,
                                         PolynomialCgByLoops{SolverPath::plain});
}

template <Backend B, class Value>
std::unique_ptr<LinearSolver<B>> preconditioned_loop_solver(B& backend, const GivenSystem<B, Value>& given) {
  return std::visit([&](const auto& plan) { return solver_of_plan(backend, given, plan); }, given.plan.preconditioner);
}

template <Backend B, class Value>
std::unique_ptr<LinearSolver<B>> persistent_polynomial_solver(B& backend, const GivenSystem<B, Value>& given) {
  if constexpr (has_one_launch<B>) {
    const auto* polynomial = std::get_if<PolynomialOptions>(&given.plan.preconditioner);
    if (polynomial != nullptr && given.plan.persistent &&
        has_room_for_polynomial<Value>(backend, *given.plan.persistent, polynomial->precision))
      return make_polynomial_solver_as_named(
          backend, PartsMatrix<B, Value>(backend, given.layout, *given.plan.parts, given.system.value), given,
          PolynomialCgInOneLaunch{*given.plan.persistent});
  }
  return nullptr;
}

}  // namespace cardiowarp
