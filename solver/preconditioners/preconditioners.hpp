#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "kernels/sparse/matrix_format.hpp"
#include "solver/preconditioners/coloured_halves.hpp"
#include "solver/preconditioners/polynomial.hpp"

namespace cardiowarp {

// The list of the preconditioners. To add one, write
//   1. solver/preconditioners/NAME.hpp: a plan with its options and what it needs of the matrix, light enough to be
//      seen by all who see this list, and, there or in a header beside it, the preconditioner as PreconditionedSolver
//      (solver/preconditioned_solver.hpp) wants it;
//   2. here: its value, its line in `preconditioners`, its plan in PreconditionerPlan and in plan_preconditioner();
//   3. solver/preconditioned_solver.hpp: make_preconditioner() for its plan.
// YAML, reports and refusals take its name from here. It is then there on the path `plain` (solver/solver_path.hpp), on
// each machine unless `needs_cpu`, and in double and mixed precision.

enum class PreconditionerChoice {
  jacobi,
  block_jacobi,   ///< incomplete Cholesky factors of blocks of rows (solver/preconditioners/block_jacobi.hpp)
  polynomial,     ///< a polynomial of the matrix (solver/preconditioners/polynomial.hpp), which has options of its own
  ssor,           ///< coloured sweeps over both halves of the matrix (solver/preconditioners/ssor.hpp)
  ssor_eisenstat  ///< that, by Eisenstat's trick (solver/preconditioners/ssor_cg.hpp)
};

/// What is known of a preconditioner before there is a matrix.
struct PreconditionerTraits {
  std::string_view name;  ///< in YAML and in reports; that of a polynomial is its kind instead
  PreconditionerChoice choice;
  bool needs_cpu = false;  ///< only a CPU has it
};

inline constexpr std::array<PreconditionerTraits, 5> preconditioners{
    {{"jacobi", PreconditionerChoice::jacobi},
     {"block_jacobi", PreconditionerChoice::block_jacobi, true},
     {"ssor", PreconditionerChoice::ssor},
     {"ssor_eisenstat", PreconditionerChoice::ssor_eisenstat},
     {"polynomial", PreconditionerChoice::polynomial}}};

/// Whether only a CPU has this preconditioner.
constexpr bool needs_cpu(PreconditionerChoice choice) {
  for (const PreconditionerTraits& traits : preconditioners)
    if (traits.choice == choice) return traits.needs_cpu;
  return false;
}

/// Jacobi and block Jacobi need nothing that the system does not have.
struct JacobiPlan {};
struct BlockJacobiPlan {};

/// What a run works out for its preconditioner before the first step, in host memory.
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
