#pragma once
#include <cmath>
#include <cstdint>

#include "fem/cells/cell_model.hpp"
#include "fem/cells/state_step.hpp"
#include "fem/element_nodes.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The work of an element and its cell in a Newton iteration: the states at the end of the step, and what reaction and
// storage add to K and R. The assemblies call reaction_element() for each element, on the host or on a GPU; with
// integration points at the nodes they call point_reaction(). Nothing is thrown: outside the range of the cell model
// the result is NaN.

/// The state at which elements are evaluated, in backend memory. The cell model's states are [states × points]: all
/// integration points of the first state, then those of the second. With one point an element, the points are the
/// elements.
struct ElementState {
  const Real* phi;         ///< [nodes] current iterate
  const Real* load;        ///< [nodes] φ_old/h + s: what a step starts from, with its stimulus
  const Real* states_old;  ///< [states × points] at the start of the step
  Real* states;            ///< [states × points] out: at the end of the step with the current φ
  const Real* step;        ///< h, in τ
  Index points;

  /// Where an integration point has state i.
  CARDIOWARP_HD std::int64_t place(int i, Index point) const { return std::int64_t{i} * points + point; }
};

/// The work at one integration point in a step of h: the cell's states at its end, and what the point adds for each mm³
/// that it stands for, 1/h − df/dφ to the tangent and φ/h − f to the residual, from which the load is still to be
/// taken.
template <int N>
struct PointReaction {
  Real state[N];
  Real tangent, residual;
};

/// The reaction at a point with the potential `phi`, which is NaN where the model is not defined, and with the states
/// `old` at the start of the step.
template <CellModel Cell>
CARDIOWARP_HD PointReaction<Cell::states> point_reaction(const Cell& cell, Real phi, const Real* old, Real step) {
  constexpr int N = Cell::states;
  const Real inverse_step = 1 / step;
  const StateStep<N> end = step_states(cell, phi, old, step);
  const CellRates<N> rates = cell.rates(phi, end.state);
  PointReaction<N> point;
  Real slope = rates.df_dphi;
  for (int i = 0; i < N; ++i) {
    point.state[i] = end.state[i];
    slope += rates.df_dstate[i] * end.slope[i];
  }
  point.tangent = inverse_step - slope;
  point.residual = phi * inverse_step - rates.f;
  return point;
}

/// The nonlinear part of an element (paper 000 Table I, one integration point). With one point an element adds one
/// number to all 16 entries of K and one to its four entries of R:
///   tangent_e  = V_e/16 (1/h − df/dφ),            df/dφ = ∂f/∂φ + Σ ∂f/∂s_i · ds_i/dφ
///   residual_e = V_e/4  (φ_q/h − f(φ_q, s) − (φ_old/h + s)_q)
struct alignas(16) TangentResidual {
  Real tangent = 0, residual = 0;
  CARDIOWARP_HD TangentResidual& operator+=(const TangentResidual& other) {
    tangent += other.tangent;
    residual += other.residual;
    return *this;
  }
};

template <int N>
struct ReactionElement {
  Real state[N];
  TangentResidual adds;
};

/// The contribution of an element with corners `node`, its volume in mm³ and its states before the step, `states_old`.
/// Outside the model's range (not admissible() at a node) all is NaN, which the solver reports.
template <CellModel Cell>
CARDIOWARP_HD ReactionElement<Cell::states> reaction_element(const Cell& cell, const Tetrahedron& node, Real volume,
                                                             const Real* states_old, const ElementState& state) {
  constexpr int N = Cell::states;
  Real phi_sum = 0, load_sum = 0;
  bool admissible = true;
  for (int i = 0; i < 4; ++i) {
    phi_sum += state.phi[node[i]];
    load_sum += state.load[node[i]];
    admissible = admissible && cell.admissible(state.phi[node[i]]);
  }
  const Real phi_q = admissible ? phi_sum / 4 : NAN;  // a return here would cost a GPU a tenth of the time
  const PointReaction<N> point = point_reaction(cell, phi_q, states_old, *state.step);
  ReactionElement<N> element;
  for (int i = 0; i < N; ++i) element.state[i] = point.state[i];
  element.adds = {volume / 16 * point.tangent, volume / 4 * (point.residual - load_sum / 4)};
  return element;
}

}  // namespace cardiowarp
