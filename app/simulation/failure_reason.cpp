#include "app/simulation/failure_reason.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/simulation/chebyshev_formula.hpp"

namespace cardiowarp {

std::string failure_reason(const NewtonReport& newton, bool left_range, const std::string& range) {
  const CgReport& linear = newton.linear;
  switch (newton.status) {
    case NewtonStatus::not_finite:
      if (!left_range && linear.status == CgStatus::not_finite && std::isfinite(linear.rhs_norm))
        return "the matrix has entries that are not finite or, with linear_solver.precision: mixed or single, beyond "
               "3.4e38";
      return left_range ? "the potential left the range of the cell model" + range
                        : "the equations of a cell's states have no solution: the time step is too long";
    case NewtonStatus::linear_solver_failed:
      if (linear.status == CgStatus::not_positive_definite)
        return fmt::format("the tangent is not positive definite (CG iteration {}): the time step is too long",
                           linear.iterations);
      if (linear.status == CgStatus::preconditioner_not_positive_definite)
        return fmt::format(
            "the preconditioner is not positive definite (CG iteration {}): the time step is too long, a stimulus too "
            "strong or, with a polynomial, its bounds are wrong",
            linear.iterations);
      return fmt::format("CG did not converge in {} iterations: |r|/|b| = {:.3g} (linear_solver.max_iterations)",
                         linear.iterations, linear.residual_norm / linear.rhs_norm);
    case NewtonStatus::too_stiff:
      return fmt::format(
          "a stable step of rkc2 would take more than {} stages: the time step is too long, or the potential is far "
          "outside the range of the cell model",
          ChebyshevFormula::most_stages);
    default:
      return fmt::format(
          "Newton did not converge: max|Δφ| = {:.3g}, iterations in the step: {} (each of its stages has at most "
          "newton.max_iterations)",
          newton.max_update, newton.iterations);
  }
}

}  // namespace cardiowarp
