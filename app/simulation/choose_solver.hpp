#pragma once
#include <span>
#include <string>

#include "assembly/global_matrix.hpp"
#include "assembly/operators/operator_kind.hpp"
#include "assembly/options.hpp"
#include "kernels/backend/device.hpp"
#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/preconditioner_choice.hpp"
#include "solver/solver_path.hpp"
#include "solver/solver_plan.hpp"
#include "solver/solver_precision.hpp"

namespace cardiowarp {

// The path of conjugate gradients, and the format in which they read the matrix. A run's solver is chosen here and
// nowhere else, when the run is planned (simulation_plan.cpp): choose_solver() decides before the nodes are numbered,
// as the format decides their order; plan_solver() decides again once the matrix is laid out. A path that the user asks
// for is taken or refused with an InputError, and never replaced. Each decision comes with a sentence that says why,
// which `check` prints and `summary.json` keeps.

/// The choices of a user for the linear solver. Path and format may be automatic.
struct SolverWish {
  SolverPath path = SolverPath::automatic;
  PreconditionerChoice preconditioner = PreconditionerChoice::jacobi;
  MatrixOptions matrix;
  PolynomialOptions polynomial = {};  ///< where that is the preconditioner
  SolverPrecision precision = SolverPrecision::double_precision;
  Real tolerance = 1;  ///< least_linear_tolerance() of the run
  OperatorKind matrix_operator = OperatorKind::automatic;
};

/// How the systems of a run are to be solved, as far as the lengths of the matrix rows tell.
struct SolverChoice {
  SolverWish wish;
  SolverPath path = SolverPath::plain;  ///< never automatic
  MatrixOptions matrix;                 ///< never automatic: the format in which that path reads the matrix
  std::string reason;                   ///< one sentence for the user: why this path and not a faster one
  SolverPrecision precision = SolverPrecision::double_precision;  ///< never automatic
  std::string precision_reason;  ///< where that is not what was asked for by name: one sentence on why
  OperatorKind matrix_operator = OperatorKind::assembled;  ///< never automatic
};

/// A precision, and one sentence on why it is not the one that was asked for by name, empty where it is.
struct PrecisionChoice {
  SolverPrecision precision;
  std::string reason;
};

/// The precision of a run whose path is known. `single` becomes `mixed` where the run asks more of a solve than single
/// precision holds, and `automatic` becomes what has been measured to be the fastest for that path and so many rows
/// (docs/benchmarks). Throws InputError where `single` is asked for with a preconditioner other than Jacobi.
PrecisionChoice choose_precision(const Device& device, SolverPath path, Index rows, const SolverWish& wish);

/// Decides for a machine, from the lengths of the matrix rows (nodes in the order of locality) and what the user
/// wishes. The precision is decided for the path that double precision would take, and the path then for that
/// precision. The paths are tried from the fastest to the plain one; a path that was asked for is taken or refused.
/// Throws InputError `linear_solver.KEY: ...` that says what the wish needs.
SolverChoice choose_solver(const Device& device, std::span<const Index> row_length, const SolverWish& wish);

/// Holds the choice against the matrix as it is laid out, whose parts and their halos are known now, and works out what
/// the preconditioner needs of it; `pattern` is that of the matrix. Where the parts do not fit, the next best path is
/// taken and the reason says so; a path that was asked for is refused as above, and so is a preconditioner that the
/// matrix does not suit.
SolverPlan plan_solver(const Device& device, const SolverChoice& choice, const MatrixLayout& layout,
                       const CsrPattern& pattern);

/// One sentence for the user: why the solver that was made of a plan has the path `used`. Only a running device can
/// tell that it cannot hold the blocks of a launch; the solver then has another path than the plan. Throws InputError
/// where the path of the plan had been asked for.
std::string reason_for_path(const SolverPlan& plan, SolverPath used);

}  // namespace cardiowarp
