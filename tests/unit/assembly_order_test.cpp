// Orders of nodes and elements for `bench assembly --order`, and a problem that is put into one.

#include "app/bench/assembly_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "app/simulation/simulation_plan.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 11;

void expect_permutation(const std::vector<Index>& order, std::size_t size) {
  std::vector<Index> sorted = order, all(size);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
}

/// The largest distance of the numbers of two nodes of an element.
Index bandwidth(const Mesh& mesh, const std::vector<Index>& node_order) {
  const std::vector<Index> number = inverse_permutation(node_order);
  Index largest = 0;
  for (const Tetrahedron& corners : mesh.tetrahedra)
    for (const Index a : corners)
      for (const Index b : corners) largest = std::max(largest, std::abs(number[a] - number[b]));
  return largest;
}

TEST(AssemblyOrder, OfTheMeshIsAsItIs) {
  const Mesh mesh = renumbered(random_mesh({5, 4, 3}, 0.5, seed), seed).mesh;
  const AssemblyOrder order = assembly_order(mesh, BenchOrder::mesh);
  expect_permutation(order.node, mesh.nodes.size());
  expect_permutation(order.element, mesh.tetrahedra.size());
  EXPECT_TRUE(std::is_sorted(order.node.begin(), order.node.end()));
  EXPECT_TRUE(std::is_sorted(order.element.begin(), order.element.end()));
}

TEST(AssemblyOrder, OfElementsIsThatOfTheirFirstNode) {
  const Mesh mesh = renumbered(random_mesh({5, 4, 3}, 0.5, seed), seed).mesh;
  const Index as_meshed = bandwidth(mesh, assembly_order(mesh, BenchOrder::mesh).node);
  for (const BenchOrder kind : {BenchOrder::rcm, BenchOrder::metis_nodes}) {
    if (kind == BenchOrder::metis_nodes && !has_metis()) continue;
    SCOPED_TRACE(name_of(kind));
    const AssemblyOrder order = assembly_order(mesh, kind);
    expect_permutation(order.node, mesh.nodes.size());
    expect_permutation(order.element, mesh.tetrahedra.size());
    if (kind == BenchOrder::rcm) {
      EXPECT_LT(2 * bandwidth(mesh, order.node), as_meshed);
    }
    const std::vector<Index> number = inverse_permutation(order.node);
    Index last = 0;
    for (const Index element : order.element) {
      Index first = static_cast<Index>(mesh.nodes.size());
      for (const Index node : mesh.tetrahedra[element]) first = std::min(first, number[node]);
      EXPECT_GE(first, last);
      last = first;
    }
  }
}

TEST(RenumberInOrders, PutsAProblemIntoTheOrderThatIsGiven) {
  const Mesh mesh = renumbered(random_mesh({3, 2, 2}, 0.5, seed), seed).mesh;
  Problem problem = resting_problem(mesh, 1, 1);
  for (std::size_t i = 0; i < problem.phi.size(); ++i) problem.phi[i] = static_cast<Real>(i);
  problem.matrix = {MatrixFormat::ell_warp, {.renumbering = EllWarpRenumbering::none}, 0};  // sorts no nodes
  const AssemblyOrder order = assembly_order(mesh, BenchOrder::rcm);
  const RenumberedProblem in_order = choose_solver_and_order(problem, {order.node, order.element}, cpu_device());
  EXPECT_EQ(in_order.node_in_input, order.node);
  EXPECT_EQ(in_order.element_in_input, order.element);
  for (std::size_t i = 0; i < order.node.size(); ++i) EXPECT_EQ(in_order.problem.phi[i], order.node[i]);
  const std::vector<Index> number = inverse_permutation(order.node);
  for (std::size_t e = 0; e < order.element.size(); ++e)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(in_order.problem.mesh->tetrahedra[e][i], number[mesh.tetrahedra[order.element[e]][i]]);
}

}  // namespace
}  // namespace cardiowarp
