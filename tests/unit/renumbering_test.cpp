// What a problem says of each node and element has to be the same after it was renumbered.

#include "app/simulation/renumbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assembly/build_sparsity.hpp"
#include "assembly/locality_order.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 29;

/// A problem in which every node and every element has numbers of its own.
struct Distinct {
  Distinct() : mesh(renumbered(random_mesh({3, 2.5, 2}, 0.5, seed), seed).mesh), problem(resting_problem(mesh, 1, 0)) {
    problem.cell_models = std::vector<AlievPanfilov>{{.b = 0.1}, {.b = 0.2}, {.b = 0.3}};
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
      const Real number = static_cast<Real>(e);
      problem.cell_model[e] = static_cast<std::uint16_t>(e % 3);
      problem.diffusivity[e] = {1 + number, 0.5 * number, {number, 1, 2}};
      problem.states[e] = 0.001 * number;
    }
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i) problem.phi[i] = 0.01 * static_cast<Real>(i);
    const auto last = static_cast<Index>(mesh.nodes.size()) - 1;
    problem.stimuli = {{{0, 7, last}, {1, 2, 30, 4}, 5}, {{3}, {2, 1}, -6}};
    problem.probes = {{mesh.tetrahedra.front(), {0.1, 0.2, 0.3, 0.4}}, {mesh.tetrahedra.back(), {1, 0, 0, 0}}};
    problem.newton = {1e-7, 9, ForcingChoice::fixed};
    problem.linear_solver = {1e-6, 77};
    problem.preconditioner = PreconditionerChoice::block_jacobi;
    problem.assembly.strategy = AssemblyStrategy::spmv;
  }
  Mesh mesh;
  Problem problem;
};

bool is_a_permutation(std::vector<Index> order, std::size_t size) {
  if (order.size() != size) return false;
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < size; ++i)
    if (order[i] != static_cast<Index>(i)) return false;
  return true;
}

void expect_same(const Distinct& input, const RenumberedProblem& renumbered) {
  const Problem &before = input.problem, &after = renumbered.problem;
  const std::vector<Index>&node = renumbered.node_in_input, &element = renumbered.element_in_input;
  ASSERT_TRUE(is_a_permutation(node, input.mesh.nodes.size()));
  ASSERT_TRUE(is_a_permutation(element, input.mesh.tetrahedra.size()));
  EXPECT_FALSE(std::is_sorted(node.begin(), node.end()));  // else nothing below can fail
  EXPECT_FALSE(std::is_sorted(element.begin(), element.end()));
  const Mesh& mesh = *after.mesh;

  for (std::size_t i = 0; i < node.size(); ++i) {
    ASSERT_EQ(mesh.nodes[i], input.mesh.nodes[node[i]]) << "node " << i;
    ASSERT_EQ(after.phi[i], before.phi[node[i]]) << "node " << i;
  }
  for (std::size_t e = 0; e < element.size(); ++e) {
    SCOPED_TRACE("element " + std::to_string(e));
    for (std::size_t k = 0; k < 4; ++k) ASSERT_EQ(node[mesh.tetrahedra[e][k]], input.mesh.tetrahedra[element[e]][k]);
    ASSERT_EQ(after.states[e], before.states[element[e]]);
    ASSERT_EQ(cells_of(after)[after.cell_model[e]], cells_of(before)[before.cell_model[element[e]]]);
    const Diffusivity &D = after.diffusivity[e], &expected = before.diffusivity[element[e]];
    ASSERT_EQ(D.isotropic, expected.isotropic);
    ASSERT_EQ(D.anisotropic, expected.anisotropic);
    ASSERT_EQ(D.fiber, expected.fiber);
  }

  ASSERT_EQ(after.stimuli.size(), before.stimuli.size());
  for (std::size_t k = 0; k < before.stimuli.size(); ++k) {
    const Stimulus &stimulus = after.stimuli[k], &expected = before.stimuli[k];
    std::vector<Index> nodes;
    for (const Index i : stimulus.nodes) nodes.push_back(node[i]);
    EXPECT_EQ(nodes, expected.nodes);
    EXPECT_EQ(stimulus.amplitude, expected.amplitude);
    EXPECT_EQ(stimulus.pulses.start_ms, expected.pulses.start_ms);
    EXPECT_EQ(stimulus.pulses.duration_ms, expected.pulses.duration_ms);
    EXPECT_EQ(stimulus.pulses.period_ms, expected.pulses.period_ms);
    EXPECT_EQ(stimulus.pulses.count, expected.pulses.count);
  }
  ASSERT_EQ(after.probes.size(), before.probes.size());
  for (std::size_t k = 0; k < before.probes.size(); ++k) {
    for (std::size_t corner = 0; corner < 4; ++corner)
      EXPECT_EQ(node[after.probes[k].nodes[corner]], before.probes[k].nodes[corner]);
    EXPECT_EQ(after.probes[k].weights, before.probes[k].weights);
  }
  EXPECT_EQ(after.newton.tolerance, before.newton.tolerance);
  EXPECT_EQ(after.newton.max_iterations, before.newton.max_iterations);
  EXPECT_EQ(after.newton.forcing, before.newton.forcing);
  EXPECT_EQ(after.linear_solver.relative_tolerance, before.linear_solver.relative_tolerance);
  EXPECT_EQ(after.linear_solver.max_iterations, before.linear_solver.max_iterations);
  EXPECT_EQ(after.preconditioner, before.preconditioner);
  EXPECT_EQ(after.assembly.strategy, before.assembly.strategy);
}

TEST(Renumbering, MovesEverythingOfANodeOrElementWithItOnBothMachines) {
  Distinct input;
  for (const Device& device : {cpu_device(), nvidia_h200()}) {
    SCOPED_TRACE(device.name);
    if (device.is_gpu) input.problem.preconditioner = PreconditionerChoice::jacobi;  // the only one there
    expect_same(input, choose_solver_and_order(input.problem, device));
  }
}

TEST(Renumbering, MovesEverythingOfANodeWithItWhereRowsAreSorted) {
  Distinct input;
  for (const EllWarpOptions& options : all_variants(3, 64)) {
    SCOPED_TRACE(ell_warp_name(options));
    input.problem.matrix = {MatrixFormat::ell_warp, options, 96};
    const auto renumbered = choose_solver_and_order(input.problem, cpu_device());
    expect_same(input, renumbered);
    EXPECT_EQ(renumbered.problem.matrix.format, MatrixFormat::ell_warp);
    EXPECT_EQ(renumbered.problem.matrix.ell_warp.renumbering, options.renumbering);
    EXPECT_EQ(renumbered.problem.matrix.block_size, 96);
    EXPECT_EQ(renumbered.solver.path, SolverPath::plain);
  }
}

TEST(Renumbering, SortsRowsByTheirLengthInsideWindowsOfNodesThatAreNear) {
  constexpr Index window = 64;
  Distinct input;
  const std::vector<Index> near = locality_order(input.mesh.nodes);
  const auto nodes = static_cast<Index>(near.size());
  ASSERT_GT(nodes, 3 * window);
  const Sparsity sparsity = build_sparsity(input.mesh.tetrahedra, nodes);
  const auto row_length = [&](Index node) { return sparsity.row_begin[node + 1] - sparsity.row_begin[node]; };
  for (const EllWarpOptions& options : all_variants(3, window)) {
    SCOPED_TRACE(ell_warp_name(options));
    input.problem.matrix = {MatrixFormat::ell_warp, options, 0};
    const std::vector<Index> order = choose_solver_and_order(input.problem, cpu_device()).node_in_input;
    if (options.renumbering == EllWarpRenumbering::none) {
      EXPECT_EQ(order, near);
      continue;
    }
    for (Index first = 0; first < nodes; first += window) {
      const Index last = std::min(first + window, nodes);
      std::vector<Index> sorted(order.begin() + first, order.begin() + last),
          expected(near.begin() + first, near.begin() + last);
      EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end(),
                                 [&](Index a, Index b) { return row_length(a) > row_length(b); }));
      std::sort(sorted.begin(), sorted.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(sorted, expected) << "window at " << first;
    }
  }
}

TEST(Renumbering, HasThePathOfTheSolverThatDeviceAndFormatAllow) {
  Distinct input;
  input.problem.preconditioner = PreconditionerChoice::jacobi;
  EXPECT_EQ(choose_solver_and_order(input.problem, nvidia_h200()).solver.path, SolverPath::on_chip);
  EXPECT_EQ(choose_solver_and_order(input.problem, cpu_device()).solver.path, SolverPath::plain);
  input.problem.matrix.format = MatrixFormat::csr;
  EXPECT_EQ(choose_solver_and_order(input.problem, nvidia_h200()).solver.path, SolverPath::plain);
}

}  // namespace
}  // namespace cardiowarp
