#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "app/renumbering.hpp"
#include "assembly/node_order.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

Index bandwidth(const Sparsity& sparsity, const std::vector<Index>& order) {
  std::vector<Index> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<Index>(i);
  Index widest = 0;
  for (Index row = 0; row < sparsity.rows(); ++row)
    for (Index e = sparsity.row_begin[row]; e < sparsity.row_begin[row + 1]; ++e)
      widest = std::max(widest, std::abs(position[row] - position[sparsity.column[e]]));
  return widest;
}

TEST(LocalityOrder, OfAShuffledBarHasTheBandwidthOfItsCrossSections) {
  const Mesh bar = renumbered(slab_mesh({40, 1, 1}, 0.5, true), 5).mesh;  // 81 sections of 9 nodes
  const Sparsity sparsity = build_sparsity(bar.tetrahedra, static_cast<Index>(bar.nodes.size()));
  const std::vector<Index> order = locality_order(sparsity);
  std::vector<Index> sorted = order, all(order.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);  // every node once
  EXPECT_LE(bandwidth(sparsity, order), 3 * 9);
  EXPECT_GT(bandwidth(sparsity, all), 300);  // as it came
}

TEST(LocalityOrder, CoversPartsThatDoNotTouch) {
  const Sparsity sparsity = build_sparsity({{0, 2, 4, 6}, {1, 3, 5, 7}}, 8);
  std::vector<Index> order = locality_order(sparsity);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_EQ(order[i] % 2 == order[i - 1] % 2, i != 4);  // one part after the other
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Renumbering, KeepsTheProblemAndSortsRowsInsideWindows) {
  const Mesh mesh = random_mesh({6, 5, 4}, 0.5, 6);
  const Problem problem = resting_problem(mesh, 1, 0.5);
  const auto other = renumber_for_locality(problem, 64);
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    const Index input = other->element_in_input[e];
    EXPECT_EQ(other->problem.diffusivity[e].fiber, problem.diffusivity[input].fiber);
    for (int i = 0; i < 4; ++i)
      ASSERT_EQ(other->node_in_input[other->mesh.tetrahedra[e][i]], mesh.tetrahedra[input][i]);
  }
  const Sparsity sparsity = build_sparsity(other->mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()));
  const auto length = [&](Index row) { return sparsity.row_begin[row + 1] - sparsity.row_begin[row]; };
  Index differences = 0;
  for (Index row = 1; row < sparsity.rows(); ++row)
    if (row % 64 != 0) {
      EXPECT_LE(length(row), length(row - 1)) << row;
      differences += length(row) != length(row - 1);
    }
  EXPECT_GT(differences, 10);
}

}  // namespace
}  // namespace cardiowarp
