#pragma once
#include "assembly/operators/operator_kind.hpp"
#include "assembly/options.hpp"
#include "kernels/backend/types.hpp"
#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/preconditioner_choice.hpp"
#include "solver/solver_path.hpp"
#include "solver/solver_precision.hpp"

namespace cardiowarp {

/// The section `linear_solver`.
struct LinearSolverConfig {
  PreconditionerChoice preconditioner = PreconditionerChoice::jacobi;
  PolynomialOptions polynomial = {};  ///< where that is the preconditioner
  Real tolerance = 1e-10;             ///< on |residual| / |right-hand side|
  bool follows_step = false;          ///< `tolerance: auto`: from that of the step instead
  int max_iterations = 2000;
  SolverPath path = SolverPath::automatic;
  OperatorKind matrix_operator = OperatorKind::automatic;  ///< the key `operator`
  SolverPrecision precision = SolverPrecision::double_precision;
  MatrixOptions matrix;  ///< `spmv` sets the format and, of ELL-WARP, variant and renumbering
};

}  // namespace cardiowarp
