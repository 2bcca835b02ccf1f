#pragma once
#include <cmath>
#include <vector>

#include "solver/conjugate_gradient.hpp"

namespace cardiowarp {

struct NewtonConfig {
  Real tolerance = 1e-8;  ///< on max |Δφ|, dimensionless
  int max_iterations = 20;
};

enum class NewtonStatus { converged, iteration_limit, linear_solver_failed, not_finite };

/// One Newton iteration: what it started from and what it changed.
struct NewtonIteration {
  Real residual_norm;  ///< |R| before it
  Real max_update;     ///< max |Δφ|
  int linear_iterations;
};

struct NewtonReport {
  NewtonStatus status = NewtonStatus::iteration_limit;
  CgReport linear;                          ///< of the last solve
  std::vector<NewtonIteration> iterations;  ///< in order
  int linear_iterations = 0;                ///< of all solves

  bool converged() const { return status == NewtonStatus::converged; }
};

/// Newton's method (paper 000 Table I, the outer iteration). `system` knows its own unknown:
///   linearize()   K and −R at the current iterate
///   solve()       K Δ = −R, a CgReport
///   update()      adds Δ, returns max |Δ|
template <class System>
NewtonReport newton(System& system, const NewtonConfig& config) {
  NewtonReport report;
  while (static_cast<int>(report.iterations.size()) < config.max_iterations) {
    system.linearize();
    report.linear = system.solve();
    report.linear_iterations += report.linear.iterations;
    if (report.linear.status != CgStatus::converged) {
      report.status =
          report.linear.status == CgStatus::not_finite ? NewtonStatus::not_finite : NewtonStatus::linear_solver_failed;
      return report;
    }
    const Real max_update = system.update();
    report.iterations.push_back({report.linear.rhs_norm, max_update, report.linear.iterations});
    if (!std::isfinite(max_update)) {
      report.status = NewtonStatus::not_finite;
      return report;
    }
    if (max_update <= config.tolerance) {
      report.status = NewtonStatus::converged;
      return report;
    }
  }
  return report;
}

}  // namespace cardiowarp
