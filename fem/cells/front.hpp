#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "fem/cells/cell_model.hpp"
#include "fem/cells/state_step.hpp"

namespace cardiowarp {

/// The front of a model in a cable of D̃ = 1 that is excited at one end, within a few per cent, in some milliseconds.
/// Finite differences with the diffusion at the end of a step and f at its start. Lengths and times are in units that
/// the steepest slope of the reaction sets.
template <CellModel Cell>
Front front_of_a_cable(const Cell& cell) {
  constexpr int N = Cell::states, nodes = 160, most_steps = 4000;
  constexpr int first_gauge = nodes * 4 / 10, second_gauge = nodes * 8 / 10;
  const Real time_unit = 1 / cell.steepest_reaction(), step = time_unit / 16, spacing = std::sqrt(time_unit) / 4;
  const Real coupling = step / (spacing * spacing);
  std::vector<Real> phi(nodes, 0), states(std::size_t(nodes) * N), eliminated(nodes);
  std::fill_n(phi.begin(), nodes / 8, 1);
  for (int i = 0; i < nodes; ++i)
    for (int k = 0; k < N; ++k) states[std::size_t(i) * N + k] = Cell::state_table()[k].rest;
  constexpr Real level = 0.5;
  std::optional<Real> first_at;
  Real peak = 0, steepest = 0;
  for (int n = 1; n <= most_steps; ++n) {
    const Real first_before = phi[first_gauge], second_before = phi[second_gauge];
    // (1 + 2 coupling) φ_i − coupling (φ_i−1 + φ_i+1) = φ_i,old + step f, without flux through the ends
    for (int i = 0; i < nodes; ++i) phi[i] += step * cell.rates(phi[i], &states[std::size_t(i) * N]).f;
    for (int i = 0; i < nodes; ++i) {
      const Real before = i > 0 ? eliminated[i - 1] : 0, neighbors = i == 0 || i == nodes - 1 ? 1 : 2;
      const Real pivot = 1 + neighbors * coupling - coupling * before;
      phi[i] = (phi[i] + (i > 0 ? coupling * phi[i - 1] : 0)) / pivot;
      eliminated[i] = coupling / pivot;
    }
    for (int i = nodes - 2; i >= 0; --i) phi[i] += eliminated[i] * phi[i + 1];
    for (int i = 0; i < nodes; ++i) {
      Real* state = &states[std::size_t(i) * N];
      const StateStep<N> stepped = step_states(cell, phi[i], state, step);
      std::copy_n(stepped.state, N, state);
    }
    const auto crossed_at = [&](Real before, Real now) { return (n - 1 + (level - before) / (now - before)) * step; };
    if (first_before < level && phi[first_gauge] >= level) first_at = crossed_at(first_before, phi[first_gauge]);
    if (!first_at) continue;
    peak = std::max(peak, phi[first_gauge]);
    steepest = std::max(steepest, (phi[second_gauge - 1] - phi[second_gauge + 1]) / (2 * spacing));
    if (second_before < level && phi[second_gauge] >= level) {
      const Real speed =
          (second_gauge - first_gauge) * spacing / (crossed_at(second_before, phi[second_gauge]) - *first_at);
      const Real thickness = peak / (4 * steepest);
      return {speed, thickness * thickness};
    }
  }
  return {0, time_unit};
}

/// The front of a cell model, in closed form where the model has one.
template <CellModel Cell>
Front front_of(const Cell& cell) {
  if constexpr (requires { cell.front(); })
    return cell.front();
  else
    return front_of_a_cable(cell);
}

}  // namespace cardiowarp
