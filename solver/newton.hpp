#pragma once
#include <cmath>

#include "kernels/backend/backend.hpp"
#include "solver/cg/cg_state.hpp"
#include "solver/newton_config.hpp"

namespace cardiowarp {

// Newton's method for R(φ) = 0: linearize at φ, solve K Δ = −R by conjugate gradients, add Δ to φ, until max |Δ| is
// small. The decisions are taken in backend memory (NewtonState), so that a GPU repeats the iteration without asking
// the host.

enum class NewtonStatus {
  converged,
  iteration_limit,
  linear_solver_failed,
  not_finite,
  too_stiff  ///< for an explicit time scheme, which makes no Newton iterations
};

struct NewtonReport {
  NewtonStatus status = NewtonStatus::iteration_limit;
  CgReport linear;            ///< the report of the last solve
  int iterations = 0;         ///< iterations whose system had a solution
  int linear_iterations = 0;  ///< iterations of all solves
  Real max_update = 0;        ///< max |Δ| of the last iteration

  CARDIOWARP_HD bool converged() const { return status == NewtonStatus::converged; }
};

/// The numbers by which Newton's method decides from iteration to iteration, in backend memory.
///
/// The method ends with max |Δ| <= tolerance. With inexact solves (eisenstat_walker) it also ends where the next
/// iteration is predicted to have max |Δ| below a hundredth of the tolerance. The first system is then solved to 1e-4
/// of |b|, which leaves at most that share of Δ, and the later ones as accurately as Forcing says, but none so
/// accurately that the error of its Δ is below a thousandth of the tolerance. That error is estimated as |r| times
/// max |Δ| / |b| of the iteration before.
struct NewtonState {
  NewtonReport report;
  NewtonConfig config;
  Forcing forcing;  ///< for the next solve
  int go_on = 0;

  CARDIOWARP_HD void begin(const NewtonConfig& given) {
    config = given;
    report = {};
    forcing = {.largest = is_inexact() ? 1e-4 : 0};
    go_on = config.max_iterations > 0;
  }

  /// Ends an iteration, after a solve and, where it has a solution Δ, with max |Δ|.
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

  /// Whether the next iteration would have max |Δ| below a hundredth of the tolerance, so that it need not be done. The
  /// prediction: from iteration to iteration max |Δ| shrinks by the square of the last ratio (quadratic convergence)
  /// or, where the last system was solved less accurately, by its |r| / |b|.
  CARDIOWARP_HD bool is_predicted_to_end(Real update_before) const {
    constexpr Real predicted_within = 1e-2;
    if (!is_inexact() || report.iterations < 2) return false;
    const Real ratio = report.max_update / update_before;
    const Real predicted =
        report.max_update * std::fmax(ratio * ratio, report.linear.residual_norm / report.linear.rhs_norm);
    return predicted <= predicted_within * config.tolerance;
  }
};

/// Newton's method (paper 000 Table I, the outer iteration), after state->begin(); nothing waits. `system` has the
/// unknown φ and two members:
///   linearize()   computes K and −R at the present φ
///   correct()     solves K Δ = −R as accurately as state->forcing says, adds Δ to φ and calls state->end_iteration()
template <Backend B, class System>
void newton(B& backend, typename B::Repetition& repetition, const NewtonState* state, System& system) {
  backend.repeat_while(repetition, &state->go_on, [&system] {
    system.linearize();
    system.correct();
  });
}

/// Newton's method from a start extrapolated with `weight`: system.start(weight), then system.newton(). Where that does
/// not converge, once more from the state before the step, system.start(0). The report counts the iterations of both.
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
