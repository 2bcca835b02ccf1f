#pragma once
#include <memory>

#include "solver/linear_solver.hpp"

namespace cardiowarp {

/// A system and what its solver is made from: the arguments of make_linear_solver(), with values and vectors in the
/// precision in which the system is solved.
template <Backend B, class Value, class Number = Real>
struct GivenSystem {
  const SolverPlan& plan;
  const EllWarpLayout& layout;
  const SparseMatrix<B>& A;
  SystemOf<Value, Number> system;
  const Real* value;  ///< [slots] the values of K in double precision
  const EntriesOfK& entries;
};

// The solvers by family. They are compiled for a GPU in three files, so that these can be compiled at the same time;
// more files would take longer together, as each compiles the headers that all have in common. `Value` and `Number` are
// Real, float and Real in mixed precision, or float in single precision, which Jacobi alone has. A solver that a device
// can be without room for is null then.
//
//   jacobi_solvers.hpp            on_chip_solver()                on_chip_solver_cuda.cu
//                                 persistent_solver()             persistent_solvers_cuda.cu
//                                 loop_solver()                   loop_solvers_cuda.cu
//   preconditioned_solver.hpp     persistent_polynomial_solver()  persistent_solvers_cuda.cu
//                                 preconditioned_loop_solver()    loop_solvers_cuda.cu

/// Jacobi on the path `on_chip`.
template <Backend B, class Value, class Number>
std::unique_ptr<LinearSolver<B>> on_chip_solver(B& backend, const GivenSystem<B, Value, Number>& given);
/// Jacobi on the path `persistent`.
template <Backend B, class Value, class Number>
std::unique_ptr<LinearSolver<B>> persistent_solver(B& backend, const GivenSystem<B, Value, Number>& given);
/// Jacobi on the path `in_parts` where the plan has parts, else on `plain`.
template <Backend B, class Value, class Number>
std::unique_ptr<LinearSolver<B>> loop_solver(B& backend, const GivenSystem<B, Value, Number>& given);
/// The plan's polynomial on the path `persistent`.
template <Backend B, class Value>
std::unique_ptr<LinearSolver<B>> persistent_polynomial_solver(B& backend, const GivenSystem<B, Value>& given);
/// The plan's preconditioner, which is not Jacobi, on the path `in_parts` for a polynomial where the plan has parts,
/// else on `plain`.
template <Backend B, class Value>
std::unique_ptr<LinearSolver<B>> preconditioned_loop_solver(B& backend, const GivenSystem<B, Value>& given);

}  // namespace cardiowarp
