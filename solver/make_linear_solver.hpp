#pragma once
#include <memory>
#include <stdexcept>

#include "solver/given_system.hpp"
#include "solver/linear_solver.hpp"
#include "solver/reduced_precision.hpp"

namespace cardiowarp {

// How make_linear_solver() picks among the solvers that given_system.hpp names, for any backend. Included where that is
// compiled for one.

/// The solver with Jacobi: the fastest path that the plan has and the device has room for.
template <Backend B, class Value, class Number>
std::unique_ptr<LinearSolver<B>> jacobi_solver(B& backend, const GivenSystem<B, Value, Number>& given) {
  if (auto solver = on_chip_solver(backend, given)) return solver;
  if (auto solver = persistent_solver(backend, given)) return solver;
  return loop_solver(backend, given);
}

/// The solver with the preconditioner of the plan, in double or mixed precision.
template <Backend B, class Value>
std::unique_ptr<LinearSolver<B>> solver_of_given(B& backend, const GivenSystem<B, Value>& given) {
  if (given.plan.has_jacobi()) return jacobi_solver(backend, given);
  if (auto solver = persistent_polynomial_solver(backend, given)) return solver;
  return preconditioned_loop_solver(backend, given);
}

template <Backend B>
std::unique_ptr<LinearSolver<B>> make_linear_solver(B& backend, const SolverPlan& plan, const EllWarpLayout& layout,
                                                    const SparseMatrix<B>& A, const SystemInMemory& system,
                                                    const EntriesOfK& entries) {
  if constexpr (std::same_as<B, CpuBackend>)
    if (plan.elsewhere) return plan.elsewhere(plan, system);
  switch (plan.precision) {
    case SolverPrecision::single:
      if (!plan.has_jacobi()) throw std::logic_error("single precision is there with Jacobi alone");
      return std::make_unique<
          SingleSolver<B>>(backend, system, entries.diagonal_slot, [&](const SystemOf<float, float>& in_single) {
        return jacobi_solver(backend, GivenSystem<B, float, float>{plan, layout, A, in_single, system.value, entries});
      });
    case SolverPrecision::mixed:
      return std::make_unique<RoundingSolver<B>>(
          backend, system, entries.diagonal_slot, [&](const SystemOf<float>& rounded) {
            return solver_of_given(backend, GivenSystem<B, float>{plan, layout, A, rounded, system.value, entries});
          });
    default:
      return solver_of_given(backend, GivenSystem<B, Real>{plan, layout, A, system, system.value, entries});
  }
}

}  // namespace cardiowarp
