#pragma once
#include <cstdint>
#include <span>
#include <variant>

#include "kernels/sparse/matrix_format.hpp"
#include "solver/preconditioners/colored_halves.hpp"
#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/preconditioner_choice.hpp"

namespace cardiowarp {

// The plans of the preconditioners. To add one, write
//   1. solver/preconditioners/NAME.hpp: NamePlan, which holds its options and what it needs of the matrix, and has
//        template <Backend B, class Value>
//        auto make(B& backend, const MatrixToPrecondition<Value>& matrix) const
//      for the preconditioner itself, as PreconditionedSolver (solver/preconditioned_solver.hpp) wants it;
//   2. preconditioner_choice.hpp: its value, and its line with its name;
//   3. here: its plan in PreconditionerPlan and in plan_preconditioner().
// YAML, reports and refusals take its name from 2. It is then there on the path `plain` (solver/solver_path.hpp), on
// each machine unless it needs a CPU, and in double and mixed precision.

/// The matrix that a preconditioner is made for, in the memory of a backend. Its numbers may change in their place.
template <class Value>
struct MatrixToPrecondition {
  Index rows;
  const Value* value;            ///< [slots]
  const Real* inverse_diagonal;  ///< [rows]
  bool only_diagonal_changes;    ///< from solve to solve
};

/// Jacobi and block Jacobi need nothing that the system does not have.
struct JacobiPlan {};
struct BlockJacobiPlan {};

/// The plan that a run works out for its preconditioner before the first step, in host memory.
using PreconditionerPlan = std::variant<JacobiPlan, BlockJacobiPlan, PolynomialOptions, SsorPlan>;

/// The plan for a matrix with this pattern, whose entry e is stored at slot_of_entry[e]. `polynomial` are the options
/// where that is the choice. Throws std::invalid_argument, which says what is expected, for a matrix that does not
/// suit.
inline PreconditionerPlan plan_preconditioner(PreconditionerChoice choice, const PolynomialOptions& polynomial,
                                              const CsrPattern& pattern, std::span<const std::int64_t> slot_of_entry) {
  switch (choice) {
    case PreconditionerChoice::block_jacobi:
      return BlockJacobiPlan{};
    case PreconditionerChoice::polynomial:
      return polynomial;
    case PreconditionerChoice::ssor:
      return ssor_plan(SsorKind::sweeps, pattern, slot_of_entry);
    case PreconditionerChoice::ssor_eisenstat:
      return ssor_plan(SsorKind::eisenstat, pattern, slot_of_entry);
    default:
      return JacobiPlan{};
  }
}

}  // namespace cardiowarp
