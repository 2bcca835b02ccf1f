#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/simulation/problem.hpp"
#include "fem/tetrahedron.hpp"
#include "tests/support/all_cell_models.hpp"
#include "tests/support/on_both.cuh"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {

/// n tetrahedra, each of four nodes in a row along a helix (Boerdijk and Coxeter's) whose nodes are moved at random by
/// up to a tenth of an edge; nodes and elements in random order.
inline Mesh chain_mesh(Index n) {
  const Real angle = std::acos(-2.0 / 3), radius = 0.3 * std::sqrt(3.0), rise = std::sqrt(0.1);
  const Values shift = random_between(-0.05, 0.05, 3 * (std::size_t(n) + 3), seed);
  Mesh mesh;
  for (Index i = 0; i < n + 3; ++i)
    mesh.nodes.push_back({radius * std::cos(i * angle) + shift[3 * std::size_t(i)],
                          radius * std::sin(i * angle) + shift[3 * std::size_t(i) + 1],
                          rise * i + shift[3 * std::size_t(i) + 2]});
  for (Index e = 0; e < n; ++e) {
    Tetrahedron nodes{e, e + 1, e + 2, e + 3};
    if (tetrahedron_geometry(mesh.nodes, nodes).volume < 0) std::swap(nodes[2], nodes[3]);
    mesh.tetrahedra.push_back(nodes);
  }
  mesh.element_tags.assign(n, 0);
  return renumbered(mesh, seed).mesh;
}

/// n tetrahedra around one edge, whose two nodes have rows of n + 2 entries.
inline Mesh wheel_mesh(Index n) {
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {0, 0, 1}};
  for (Index i = 0; i < n; ++i) {
    const Real angle = 2 * std::acos(-1.0) * i / n;
    mesh.nodes.push_back({std::cos(angle), std::sin(angle), 0.5});
    mesh.tetrahedra.push_back({0, 1, 2 + i, 2 + (i + 1) % n});
  }
  mesh.element_tags.assign(n, 0);
  return renumbered(mesh, seed).mesh;
}

/// Two cells of a model and a random diffusivity for each element.
template <CellModel Cell = AlievPanfilov>
Problem problem_on(const Mesh& mesh) {
  const std::size_t n = mesh.tetrahedra.size();
  Problem problem = resting_problem<Cell>(mesh, 1, 1);
  problem.cell_models = test::two_cells<Cell>();
  const Values isotropic = random_between(0.5, 1, n, seed), anisotropic = random_between(0, 1, n, seed + 1),
               direction = random_values(3 * n, seed + 2);
  for (std::size_t e = 0; e < n; ++e) {
    const Vector3 fiber{direction[3 * e], direction[3 * e + 1], 1.5 + direction[3 * e + 2]};
    problem.cell_model[e] = static_cast<std::uint16_t>(e % 2);
    problem.diffusivity[e] = {isotropic[e], anisotropic[e], (1 / norm(fiber)) * fiber};
  }
  return problem;
}

template <CellModel Cell = AlievPanfilov>
struct State {
  /// With `broken`, at some nodes the cell models have no value (Aliev–Panfilov's μ2 = 0.3).
  State(const Mesh& mesh, bool broken)
      : phi(random_between(-0.1, 1.1, mesh.nodes.size(), seed + 3)),
        load(random_between(-0.1 / h - 1, 1.1 / h + 5, mesh.nodes.size(), seed + 4)),
        points(static_cast<Index>(mesh.tetrahedra.size())) {
    set_points(points);
    const Real nan = std::nan(""), no_value[] = {bounded ? -0.3 : nan, bounded ? -0.31 : nan, nan};
    for (std::size_t i = 3; broken && i < phi.size(); i += 31) phi[i] = no_value[i / 31 % 3];
  }
  /// The cells are at so many integration points, and not one in each element.
  void set_points(Index number) {
    points = number;
    states_old = random_between(0, bounded ? 2 : 1, Cell::states * std::size_t(number), seed + 6);
  }
  static constexpr bool bounded = std::same_as<Cell, AlievPanfilov>;
  Values phi, load, states_old;
  Index points;
};

template <Backend B>
struct StateOn {
  template <CellModel Cell>
  StateOn(B& backend, const State<Cell>& state)
      : phi(uploaded(backend, state.phi)),
        load(uploaded(backend, state.load)),
        states_old(uploaded(backend, state.states_old)),
        states(backend.template allocate<Real>(state.states_old.size())),
        step(uploaded(backend, Values{h})),
        points(state.points) {}
  ElementState view() const { return {phi.data(), load.data(), states_old.data(), states.data(), step.data(), points}; }
  Buffer<Real> phi, load, states_old, states, step;
  Index points;
};

/// How far two machines may be apart in what one element adds to an entry of K and of R, and in its states.
///
/// In a State |φ| <= 1.1, |r| < 2.5, c <= 8, h = 1/16: with every term made positive, the brackets of tangent and
/// residual stay below 64 (1/h = 16; ∂f/∂φ below 32; dr/dφ below 5; φ/h at most 18; f below 14; load at most 23) and r
/// below 4, each after fewer than 64 operations. The equation of r has B > 0.9: nothing cancels.
///
/// A gradient is a cross product over 6 V: at most g = 2 |b| |c| / 6V, three times that for G_0, and 6 V has a relative
/// error of 12 κ half ulps with κ = 2 |a| |b| |c| / 6V. V D G·G has V and two gradients in it, fewer than 64 κ in all.
struct ElementBound {
  Real entry = 0, node = 0;  ///< absolute
  Real entry_magnitude = 0, node_magnitude = 0, shape = 0;
};
/// Models other than Aliev–Panfilov stay below these bounds, too, except where one of their switches turns: 6 / (2
/// width)² is its curvature, 6e4, and makes up to 3e5 half ulps in the tangent of the rounding of φ.
template <CellModel Cell>
inline constexpr Real sharpness = std::same_as<Cell, AlievPanfilov> ? 1 : 128;
template <CellModel Cell>
inline constexpr Real states_bound = 64 * epsilon * 4 * sharpness<Cell>;

inline ElementBound element_bound(const Problem& problem, Index e) {
  const Tetrahedron& node = problem.mesh->tetrahedra[e];
  const auto edge = [&](int k) { return norm(problem.mesh->nodes[node[k]] - problem.mesh->nodes[node[0]]); };
  const Real a = edge(1), b = edge(2), c = edge(3), volume = tetrahedron_geometry(problem.mesh->nodes, node).volume;
  const Real gradient = 3 * 2 * std::max({a * b, b * c, c * a}) / (6 * volume);
  const Real diffusion =
      volume * (problem.diffusivity[e].isotropic + problem.diffusivity[e].anisotropic) * gradient * gradient;
  ElementBound bound;
  bound.shape = 2 * a * b * c / (6 * volume);
  bound.entry_magnitude = volume / 16 * 64 + diffusion;
  bound.node_magnitude = volume / 4 * 64 + 4 * 1.1 * diffusion;
  bound.entry = 64 * bound.shape * epsilon * bound.entry_magnitude;
  bound.node = 64 * bound.shape * epsilon * bound.node_magnitude;
  return bound;
}

inline void expect_some_nan(const Values& values, bool broken) {
  const auto nan = std::count_if(values.begin(), values.end(), [](Real value) { return std::isnan(value); });
  EXPECT_EQ(nan > 0, broken);
  if (values.size() >= 31 * 4) EXPECT_LT(nan, static_cast<std::ptrdiff_t>(values.size() / 2));
}

}  // namespace cardiowarp
