#pragma once
#include <cmath>

#include "kernels/backend/backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"

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

struct NewtonReport {
  NewtonStatus status = NewtonStatus::iteration_limit;
  CgReport linear;            ///< of the last solve
  int iterations = 0;         ///< with a solution
  int linear_iterations = 0;  ///< of all solves
  Real max_update = 0;        ///< max |Δ| of the last iteration

  CARDIOWARP_HD bool converged() const { return status == NewtonStatus::converged; }
};

/// What Newton's method decides from iteration to iteration, in backend memory.
///
/// It ends with max |Δ| <= tolerance. Inexact solves keep the meaning of that: the first, to 1e-4, leaves at most that
/// part of Δ; a later one ends the iteration only where it leaves, by prediction, less than a hundredth of the
/// tolerance, and no solve is asked for an error in Δ below a thousandth of it, as |r| Δ_before / |b before| measures
/// it.
struct NewtonState {
  NewtonReport report;
  NewtonConfig config;
  Forcing forcing;  ///< of the next solve
  int go_on = 0;

  CARDIOWARP_HD void begin(const NewtonConfig& given) {
    config = given;
    report = {};
    forcing = {.largest = is_inexact() ? 1e-4 : 0};
    go_on = config.max_iterations > 0;
  }

  /// After a solve and, where it has a solution Δ, with max |Δ|.
  CARDIOWARP_HD void end_iteration(const CgReport& linear, Real max_update) {
    const Real update_before = report.max_update;
    report.linear = linear;
    report.linear_iterations += linear.iterations;
    go_on = 0;
    if (linear.status != CgStatus::converged) {
      report.status =
          linear.status == CgStatus::not_finite ? NewtonStatus::not_finite : NewtonStatus::linear_solver_failed;
      return;
    }
    ++report.iterations;
    report.max_update = max_update;
    if (!std::isfinite(max_update)) {
      report.status = NewtonStatus::not_finite;
    } else if (max_update <= config.tolerance || is_predicted_to_end(update_before)) {
      report.status = NewtonStatus::converged;
    } else if (report.iterations < config.max_iterations) {
      constexpr Real solved_to = 1e-3;
      forcing.previous_norm = linear.rhs_norm;
      forcing.enough = solved_to * config.tolerance * linear.rhs_norm / max_update;
      go_on = 1;
    }
  }

 private:
  CARDIOWARP_HD bool is_inexact() const { return config.forcing == ForcingChoice::eisenstat_walker; }

  /// By max |Δ| of the iteration after the last, of which a bound on the error remains: updates shrink by the square of
  /// their last ratio (quadratic convergence) or, where the system was solved less accurately, by |r| / |b|.
  CARDIOWARP_HD bool is_predicted_to_end(Real update_before) const {
    constexpr Real predicted_within = 1e-2;
    if (!is_inexact() || report.iterations < 2) return false;
    const Real ratio = report.max_update / update_before;
    const Real predicted =
        report.max_update * std::fmax(ratio * ratio, report.linear.residual_norm / report.linear.rhs_norm);
    return predicted <= predicted_within * config.tolerance;
  }
};

/// Newton's method (paper 000 Table I, the outer iteration); nothing waits. `state` has begun. `system` knows its own
/// unknown:
///   linearize()   K and −R at the current iterate
///   correct()     K Δ = −R to state->forcing, adds Δ, state->end_iteration()
template <Backend B, class System>
void newton(B& backend, typename B::Loop& loop, const NewtonState* state, System& system) {
  backend.repeat_while(loop, &state->go_on, [&system] {
    system.linearize();
    system.correct();
  });
}

/// system.newton() from an extrapolated start, system.start(weight), and once more from the state before the step,
/// weight 0, where the first was a bad one. The report has the iterations of both.
template <class System>
NewtonReport newton_from(System& system, Real weight) {
  system.start(weight);
  const NewtonReport first = system.newton();
  if (first.converged() || weight == 0) return first;
  system.start(0);
  NewtonReport report = system.newton();
  report.iterations += first.iterations;
  report.linear_iterations += first.linear_iterations;
  return report;
}

}  // namespace cardiowarp
