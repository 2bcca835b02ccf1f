#pragma once
#include <cmath>

#include "fem/cells/cell_model.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The step of a cell's states at one integration point: in closed form where the cell model has one, else by the inner
// of the two nested Newton iterations (paper 000 Table I). reaction_element.hpp calls it in every iteration of the
// outer one, on the host or on a GPU. Potential and states before go in, and out come the states after the step and
// their derivatives by φ. Nothing is thrown: a step without a solution gives NaN, which the outer iteration reports.

/// Solves J x = b for the two right-hand sides in place by Gaussian elimination; returns det J. Unrolled for a small N.
/// Without pivoting: J = 1 − h ∂g/∂s is near the identity for a step that resolves the states, and a pivot of 0 ends in
/// NaN, which is reported.
template <int N>
CARDIOWARP_HD Real eliminate(Real (&J)[N][N], Real (&b)[N], Real (&c)[N]) {
  Real determinant = J[0][0];
  for (int k = 0; k < N; ++k) {
    if (k > 0) determinant *= J[k][k];
    for (int i = k + 1; i < N; ++i) {
      const Real factor = J[i][k] / J[k][k];
      for (int j = k + 1; j < N; ++j) J[i][j] -= factor * J[k][j];
      b[i] -= factor * b[k];
      c[i] -= factor * c[k];
    }
  }
  for (int k = N - 1; k >= 0; --k) {
    for (int j = k + 1; j < N; ++j) {
      b[k] -= J[k][j] * b[j];
      c[k] -= J[k][j] * c[j];
    }
    b[k] /= J[k][k];
    c[k] /= J[k][k];
  }
  return determinant;
}

/// Solves s − s_old − h g(φ, s) = 0 by Newton's method from s_old (paper 000 eq. 7 and Table I, the inner iteration),
/// and ds/dφ = (1 − h ∂g/∂s)⁻¹ h ∂g/∂φ there. h is the step in τ. NaN where it does not converge, or converges to a
/// root with det(1 − h ∂g/∂s) <= 0, which does not belong to the trajectory from s_old: the step is then too long for
/// the method.
template <CellModel Cell>
CARDIOWARP_HD StateStep<Cell::states> newton_states(const Cell& cell, Real phi, const Real* old, Real h) {
  constexpr int N = Cell::states, max_iterations = 50;
  // Newton's error squares from one iteration to the next: a change of 1e-9 leaves an error below rounding.
  constexpr Real tolerance = 1e-9;
  StateStep<N> step;
  for (int i = 0; i < N; ++i) step.state[i] = old[i];
  bool near = false;
  for (int iteration = 0; iteration <= max_iterations; ++iteration) {
    const CellRates<N> rates = cell.rates(phi, step.state);
    Real J[N][N], change[N];
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) J[i][j] = (i == j) - h * rates.dg_dstate[i][j];
      change[i] = step.state[i] - old[i] - h * rates.g[i];
      step.slope[i] = h * rates.dg_dphi[i];
    }
    const Real determinant = eliminate(J, change, step.slope);
    if (near) {
      if (determinant > 0) return step;
      break;
    }
    near = true;
    for (int i = 0; i < N; ++i) {
      step.state[i] -= change[i];
      near = near && std::fabs(change[i]) <= tolerance * (1 + std::fabs(step.state[i]));
    }
  }
  for (int i = 0; i < N; ++i) step.state[i] = step.slope[i] = NAN;
  return step;
}

/// The states after a step h from `old` at potential `phi`: in the closed form of the cell model where it has one, else
/// by newton_states().
template <CellModel Cell>
CARDIOWARP_HD StateStep<Cell::states> step_states(const Cell& cell, Real phi, const Real* old, Real h) {
  if constexpr (requires { cell.step_states(phi, old, h); })
    return cell.step_states(phi, old, h);
  else
    return newton_states(cell, phi, old, h);
}

}  // namespace cardiowarp
