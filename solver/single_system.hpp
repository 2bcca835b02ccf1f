#pragma once
#include <cmath>

#include "kernels/backend/backend.hpp"
#include "solver/cg/cg_state.hpp"
#include "solver/cg/power_of_two.hpp"

namespace cardiowarp {

// How a linear system comes to single precision and its solution back (SolverPrecision::single). b is multiplied by a
// power of two that puts its largest entry into [½, 1), so that no entry overflows, and none vanishes that is larger
// than 1e-38 of the largest. x and the norms of the report are divided by it again. All of that is exact but for the
// rounding of b and of 1 / D.

/// The numbers of a solve in single precision, in backend memory.
struct SingleState {
  CgState cg;       ///< of the scaled system
  Real largest;     ///< max |b_i|
  Real scale;       ///< what b is multiplied by
  Forcing forcing;  ///< for the scaled system
};

/// Finds the scale, which is 1 where b is 0 or has an entry that is not finite.
struct SetSystemScale {
  SingleState* state;
  const Forcing* forcing;  ///< may be null
  CARDIOWARP_HD void operator()() const {
    const Real scale = std::ldexp(1.0, -exponent_near(state->largest));
    state->scale = scale;
    if (forcing != nullptr) state->forcing = forcing->scaled(scale);
  }
};

/// Loop body over the rows: b and 1 / D in single precision. Reads 16 bytes and writes 8.
struct ToSingle {
  const Real *b, *inverse_diagonal;
  float *to_b, *to_inverse_diagonal;
  const SingleState* state;

  struct Ready {
    const Real *b, *inverse_diagonal;
    float *to_b, *to_inverse_diagonal;
    Real scale;
    CARDIOWARP_HD void operator()(Index i) const {
      to_b[i] = static_cast<float>(b[i] * scale);
      to_inverse_diagonal[i] = static_cast<float>(inverse_diagonal[i]);
    }
  };
  CARDIOWARP_HD Ready ready() const { return {b, inverse_diagonal, to_b, to_inverse_diagonal, state->scale}; }
};

/// Loop body over the rows: x and, once, the report, as they are for the given b. Reads 4 bytes and writes 8.
struct FromSingle {
  const float* x;
  Real* to_x;
  const SingleState* state;
  CgState* to_state;

  struct Ready {
    const float* x;
    Real* to_x;
    const CgReport* report;
    CgReport* to_report;
    Real inverse_scale;
    CARDIOWARP_HD void operator()(Index i) const {
      to_x[i] = x[i] * inverse_scale;
      if (i > 0) return;
      *to_report = *report;
      to_report->rhs_norm *= inverse_scale;
      to_report->residual_norm *= inverse_scale;
    }
  };
  CARDIOWARP_HD Ready ready() const { return {x, to_x, &state->cg.report, &to_state->report, 1 / state->scale}; }
};

}  // namespace cardiowarp
