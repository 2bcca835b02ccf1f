#pragma once
#include <cmath>

#include "kernels/backend/types.hpp"
#include "solver/cg/cg_config.hpp"
#include "solver/cg/power_of_two.hpp"

namespace cardiowarp {

// The decisions of a solve by conjugate gradients, made in backend memory so that nothing waits for the host: how
// accurate it is to be (Forcing, CgConfig), when it ends and why (CgStop, CgReport), and with which numbers its next
// iteration is made (CgState). It knows nothing of vectors; conjugate_gradient.hpp has their recurrences.

/// How accurately one system of a Newton iteration needs to be solved: |r| <= η |b| with the forcing term η of
/// Eisenstat and Walker (1996, SIAM J. Sci. Comput. 17, choice 2), which is no better than the linearisation that the
/// system comes from. It is not below `enough`, since the last system would else be solved better than the answer can
/// show (Kelley 1995, sec. 6.3):
///   η = min(largest, max(γ (|b| / |b before|)², enough / |b|))
/// Eisenstat and Walker's safeguard against η falling too fast acts where γ η² > 0.1, which `largest` excludes.
struct Forcing {
  Real largest = 0;        ///< the largest η, and that of the first iteration; 0: no forcing
  Real previous_norm = 0;  ///< |b| of the iteration before; 0: there is none
  Real enough = 0;         ///< |r| that is small enough

  CARDIOWARP_HD Real operator()(Real norm) const {
    constexpr Real gamma = 0.9;
    if (previous_norm <= 0) return largest;
    const Real ratio = norm / previous_norm;
    return std::fmin(largest, std::fmax(gamma * ratio * ratio, enough / norm));
  }
  /// For a system whose right-hand side, and that of the one before, are multiplied by `scale`.
  CARDIOWARP_HD Forcing scaled(Real scale) const { return {largest, previous_norm * scale, enough * scale}; }
};

enum class CgStatus {
  converged,
  iteration_limit,
  not_positive_definite,                 ///< A, along a direction
  preconditioner_not_positive_definite,  ///< M, along a residual
  not_finite
};

struct CgReport {
  CgStatus status = CgStatus::converged;
  int iterations = 0;
  Real rhs_norm = 0;       ///< |b|
  Real residual_norm = 0;  ///< |r| at the end, from the recurrence; on the chip, where it converged, |b − A x|

  /// Whether x is a solution, accurate or not.
  CARDIOWARP_HD bool has_solution() const {
    return status == CgStatus::converged || status == CgStatus::iteration_limit;
  }
};

/// The |r| at which a solve ends: |b|, here `rhs_norm`, times the larger of the two tolerances.
CARDIOWARP_HD inline Real cg_target(Real rhs_norm, const CgConfig& config, const Forcing& forcing) {
  return std::fmax(config.relative_tolerance, forcing(rhs_norm)) * rhs_norm;
}

/// The decision when a solve ends, the same on every path through it.
struct CgStop {
  Real target = 0;  ///< |r| that is small enough
  int max_iterations = 0;

  /// Puts |r| into the report and, where the solve ends, why into its status. Returns whether another iteration
  /// follows.
  CARDIOWARP_HD bool goes_on(CgReport& report, Real residual_norm) const {
    report.residual_norm = residual_norm;
    if (!std::isfinite(residual_norm))
      report.status = CgStatus::not_finite;
    else if (residual_norm <= target)
      report.status = CgStatus::converged;
    else if (report.iterations == max_iterations)
      report.status = CgStatus::iteration_limit;
    else
      return true;
    return false;
  }
  /// Whether the matrix is positive definite along the direction p, from p·A p. Where it is not, no step is taken.
  CARDIOWARP_HD static bool can_step(Real pq) { return !(pq <= 0); }
  /// Whether another iteration may follow, from r·z of an r that is not small: else M is not positive definite along r.
  CARDIOWARP_HD static bool can_go_on(CgReport& report, Real rz) {
    if (!(rz <= 0)) return true;
    report.status = CgStatus::preconditioner_not_positive_definite;
    return false;
  }
};

/// The numbers by which a solve decides from iteration to iteration, in backend memory beside its vectors.
///
/// Where squares of the entries of b would vanish or overflow, r is multiplied by a power of two before the first
/// iteration, which rounds nothing. All vectors that are made of r are then larger by this factor, but not x: its steps
/// are divided by the factor. A path whose passes are launched one by one multiplies in an iteration of its own.
struct CgState {
  CgReport report;  ///< its norms are those of the scaled r until the solve ends
  CgStop stop;
  CgConfig config;
  Forcing forcing;
  Real sums[2];       ///< r·z and |r|² of the newest r
  Real pq;            ///< p·A p
  Real rz;            ///< r·z, of the r that the next direction is made of
  Real beta;          ///< rz / (rz before); 0 in the first iteration
  Real alpha_before;  ///< α of the iteration before, for x
  Real unscale;       ///< steps of x and norms are multiplied by it: 1 over the factor by which r was multiplied, or 1
  Real rescale;       ///< the factor by which this iteration multiplies r, in place of a step; 1: it makes a step
  int go_on;

  CARDIOWARP_HD bool is_rescaling() const { return rescale != 1; }
  CARDIOWARP_HD bool can_step() const { return CgStop::can_step(pq); }
  CARDIOWARP_HD Real alpha() const { return rz / pq; }
  CARDIOWARP_HD Real alpha_for_x() const { return alpha() * unscale; }

  /// Begins a solve; `sums` are those of r = b. Vectors in single precision are not scaled here: they come so.
  CARDIOWARP_HD void begin(const CgConfig& given, const Forcing& given_forcing, bool in_double = true) {
    prepare(given, given_forcing, in_double);
    is_rescaling() ? static_cast<void>(go_on = 1) : begin_scaled();
  }
  /// The first half of begin(): decides from |r|² of r = b by which factor r is to be multiplied.
  CARDIOWARP_HD void prepare(const CgConfig& given, const Forcing& given_forcing, bool in_double = true) {
    config = given;
    forcing = given_forcing;
    beta = pq = alpha_before = 0;
    report = {};
    unscale = 1;
    rescale = in_double ? scale_for_squares(sums[1]) : 1;
  }
  /// r has been multiplied.
  CARDIOWARP_HD void take_scale() {
    unscale = 1 / rescale;
    rescale = 1;
  }
  /// The second half of begin(), with the sums of the r that the first iteration has.
  CARDIOWARP_HD void begin_scaled() {
    report.rhs_norm = std::sqrt(sums[1]);
    stop = {cg_target(report.rhs_norm, config, forcing.scaled(1 / unscale)), config.max_iterations};
    rz = sums[0];
    decide(report.rhs_norm);
  }

  /// Ends an iteration; `sums` are those of the r after it. Where it could not step, x and r are as before it.
  CARDIOWARP_HD void end_iteration() {
    if (is_rescaling()) {
      take_scale();
      return begin_scaled();
    }
    if (!can_step()) {
      report.status = CgStatus::not_positive_definite;
      return end();
    }
    ++report.iterations;
    alpha_before = alpha_for_x();
    beta = sums[0] / rz;
    rz = sums[0];
    decide(std::sqrt(sums[1]));
  }

 private:
  CARDIOWARP_HD void decide(Real residual_norm) {
    go_on = 1;
    if (!stop.goes_on(report, residual_norm) || !CgStop::can_go_on(report, rz)) end();
  }
  /// Ends the solve, with norms of the given system.
  CARDIOWARP_HD void end() {
    go_on = 0;
    report.rhs_norm *= unscale;
    report.residual_norm *= unscale;
  }
};

struct CgBegin {
  CgState* state;
  CgConfig config;
  const Forcing* forcing;
  bool in_double = true;
  CARDIOWARP_HD void operator()() const { state->begin(config, forcing == nullptr ? Forcing{} : *forcing, in_double); }
};

struct CgEndIteration {
  CgState* state;
  CARDIOWARP_HD void operator()() const { state->end_iteration(); }
};

}  // namespace cardiowarp
