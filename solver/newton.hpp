#pragma once
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solver/conjugate_gradient.hpp"

namespace cardiowarp {

enum class ForcingChoice {
  eisenstat_walker,  ///< each system as accurately as it helps: Forcing
  fixed              ///< each to the same relative tolerance
};

struct NewtonConfig {
  Real tolerance = 1e-8;  ///< on max |Δφ|, dimensionless
  int max_iterations = 20;
  ForcingChoice forcing = ForcingChoice::eisenstat_walker;
};

enum class NewtonStatus { converged, iteration_limit, linear_solver_failed, not_finite };

/// The linear system of a Newton iteration, solved, and max |Δ|, where there is a solution.
struct NewtonCorrection {
  CgReport linear;
  Real max_update = 0;
};

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

/// max |Δ| of the iteration after the last, of which a bound on the error remains: updates shrink by the square of
/// their last ratio (quadratic convergence) or, where the system was solved less accurately, by |r| / |b|.
inline Real predicted_update(const NewtonReport& report) {
  if (report.iterations.size() < 2) return std::numeric_limits<Real>::infinity();
  const Real update = report.iterations.back().max_update;
  const Real ratio = update / report.iterations[report.iterations.size() - 2].max_update;
  return update * std::fmax(ratio * ratio, report.linear.residual_norm / report.linear.rhs_norm);
}

/// Newton's method (paper 000 Table I, the outer iteration). `system` knows its own unknown:
///   linearize()   K and −R at the current iterate
///   correct(η)    K Δ = −R to a Forcing, adds Δ
/// It ends with max |Δ| <= tolerance. Inexact solves keep the meaning of that: the first, to 1e-4, leaves at most that
/// part of Δ; a later one ends the iteration only where it leaves, by prediction, less than a hundredth of the
/// tolerance, and no solve is asked for an error in Δ below a thousandth of it, as |r| Δ_before / |b before| measures
/// it.
template <class System>
NewtonReport newton(System& system, const NewtonConfig& config) {
  const bool inexact = config.forcing == ForcingChoice::eisenstat_walker;
  constexpr Real largest_forcing = 1e-4, solved_to = 1e-3, predicted_within = 1e-2;
  NewtonReport report;
  Forcing forcing{.largest = inexact ? largest_forcing : 0};
  while (static_cast<int>(report.iterations.size()) < config.max_iterations) {
    system.linearize();
    const NewtonCorrection correction = system.correct(forcing);
    report.linear = correction.linear;
    report.linear_iterations += report.linear.iterations;
    if (report.linear.status != CgStatus::converged) {
      report.status =
          report.linear.status == CgStatus::not_finite ? NewtonStatus::not_finite : NewtonStatus::linear_solver_failed;
      return report;
    }
    const Real max_update = correction.max_update;
    report.iterations.push_back({report.linear.rhs_norm, max_update, report.linear.iterations});
    if (!std::isfinite(max_update)) {
      report.status = NewtonStatus::not_finite;
      return report;
    }
    if (max_update <= config.tolerance ||
        (inexact && predicted_update(report) <= predicted_within * config.tolerance)) {
      report.status = NewtonStatus::converged;
      return report;
    }
    forcing.previous_norm = report.linear.rhs_norm;
    forcing.enough = solved_to * config.tolerance * report.linear.rhs_norm / max_update;
  }
  return report;
}

/// newton() from an extrapolated start, system.start(weight), and once more from the state before the step, weight 0,
/// where the first was a bad one. The report has the iterations of both.
template <class System>
NewtonReport newton_from(System& system, Real weight, const NewtonConfig& config) {
  system.start(weight);
  NewtonReport report = newton(system, config);
  if (report.converged() || weight == 0) return report;
  system.start(0);
  const NewtonReport extrapolated = std::exchange(report, newton(system, config));
  report.iterations.insert(report.iterations.begin(), extrapolated.iterations.begin(), extrapolated.iterations.end());
  report.linear_iterations += extrapolated.linear_iterations;
  return report;
}

}  // namespace cardiowarp
