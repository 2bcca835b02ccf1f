#pragma once
#include <cmath>

#include "app/config/time_scheme.hpp"
#include "assembly/operators/operator_kind.hpp"
#include "assembly/options.hpp"
#include "fem/quadrature.hpp"
#include "solver/cg/cg_config.hpp"
#include "solver/newton_config.hpp"
#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/preconditioner_choice.hpp"
#include "solver/solver_path.hpp"
#include "solver/solver_precision.hpp"

namespace cardiowarp {

/// The time scheme, and how accurately it needs its systems solved.
struct TimeMethod {
  TimeScheme scheme = TimeScheme::backward_euler;
  Real tolerance = equal_steps;  ///< on the error in φ of a step
  bool newton_follows = false;   ///< Newton's tolerance is found from `tolerance`
  bool linear_follows = false;   ///< the tolerance of the linear systems is found from `tolerance`

  /// The tolerance that stands for steps of equal length, whose error nobody limits.
  static constexpr Real equal_steps = 1e-4;
  /// The share of `tolerance` that Newton's method and each linear solve may add to the error.
  static constexpr Real share_of_solvers = 0.02;

  /// How Newton's method ends in a stage of length `stage` (τ). The iteration after one that changed φ by δ would
  /// change it by |f''|/2 · stage · δ², as (1 − stage f')⁻¹ is about 1 where f'' is largest in a front, near its foot:
  /// so it ends with δ at which that is small enough. For a cubic f, f' is a parabola of φ that rises from next to
  /// nothing at rest to the steepest reaction S within a third of the way to full depolarization: f'' = 6 S at rest.
  /// Aliev–Panfilov's is 2 c (1 + α), within 2 % of that at the default parameters, and |f''|/2 = 0.62 per ms.
  NewtonConfig newton(NewtonConfig given, Real stage, Real steepest_reaction) const {
    if (linear_follows) given.forcing = ForcingChoice::fixed;
    if (newton_follows) given.tolerance = std::sqrt(share_of_solvers * tolerance / (3 * steepest_reaction * stage));
    return given;
  }
  /// The error in φ that a linear solve may leave.
  Real linear_error(const NewtonConfig& newton) const {
    return std::fmin(share_of_solvers * tolerance, newton_follows ? INFINITY : newton.tolerance / 100);
  }
};

/// How it is computed. Nothing here depends on the numbering of nodes and elements.
struct Methods {
  TimeMethod time;
  NewtonConfig newton;
  CgConfig linear_solver{};
  PreconditionerChoice preconditioner = PreconditionerChoice::jacobi;
  PolynomialOptions polynomial = {};  ///< where that is the preconditioner
  SolverPath path = SolverPath::automatic;
  OperatorKind matrix_operator = OperatorKind::automatic;
  SolverPrecision precision = SolverPrecision::double_precision;
  MatrixOptions matrix;
  AssemblyOptions assembly;
  Quadrature quadrature = Quadrature::centroid;
  bool sends_potential = false;  ///< to frames in single precision, for which memory is then set aside
};

/// The smallest |r| / |b| that a run needs of a linear solve, or something that stands for it. Where forcing is
/// `fixed`, it is the tolerance of the linear solver; where linear systems are solved as the error of a step needs it,
/// the error that one may leave in φ, which changes by no more than about 1 in a step. With the forcing term of
/// Eisenstat and Walker it is 100 times Newton's tolerance: the term is below η only where an update is below √(η /
/// 0.9) of the one before, so that to solve to η in its place adds less than η √(η / 0.9) to φ. With
/// smallest_target_in_single as η, that is a hundredth of a tolerance of 1e-8, which NewtonState::is_predicted_to_end()
/// asks for.
Real least_linear_tolerance(const Methods& methods);

}  // namespace cardiowarp
