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
  Problem problem = resting_problem(mesh, 1, 0.5);
  problem.matrix = {MatrixFormat::ell_warp, {.renumbering = EllWarpRenumbering::rows, .window = 64}, 0};
  const auto other = renumber_for_locality(problem, false);
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

  // K1r: the key is the place before the sort, so it is ascending where rows of one length are neighbours.
  ASSERT_EQ(other->column_key.size(), mesh.nodes.size());
  for (Index row = 1; row < sparsity.rows(); ++row) {
    EXPECT_EQ(other->column_key[row] / 64, row / 64);
    if (row % 64 != 0 && length(row) == length(row - 1)) {
      EXPECT_GT(other->column_key[row], other->column_key[row - 1]);
    }
  }
}

TEST(Renumbering, IsByLocalityAloneWhereTheFormatDoesNotSort) {
  const Mesh mesh = random_mesh({3, 3, 2}, 0.5, 6);
  Problem problem = resting_problem(mesh, 1, 0.5);
  const auto locality = renumber_for_locality(problem, false)->node_in_input;  // compressed rows
  for (const EllWarpVariant variant : {EllWarpVariant::k1, EllWarpVariant::k2}) {
    problem.matrix = {MatrixFormat::ell_warp, {.variant = variant, .window = 64}, 0};
    const auto other = renumber_for_locality(problem, true);
    EXPECT_EQ(other->node_in_input, locality);
    EXPECT_TRUE(other->column_key.empty());
  }
}

TEST(MatrixFormat, IsChosenFromTheMachineAndTheLongestRow) {
  const std::vector<Index> heart{14, 27, 9}, skewed{14, longest_k1_row + 1, 9}, border{14, longest_k1_row, 9};
  EXPECT_EQ(format_name(chosen_options({}, false, heart)), "csr");
  EXPECT_EQ(format_name(chosen_options({}, true, heart)), "k1rs");
  EXPECT_EQ(format_name(chosen_options({}, true, border)), "k1rs");
  EXPECT_EQ(format_name(chosen_options({}, true, skewed)), "k2rs");
  EXPECT_EQ(format_name(chosen_options({}, true, {})), "k1rs");
  EXPECT_EQ(format_name(chosen_options({.format = MatrixFormat::cusparse}, true, heart)), "cusparse");
  EXPECT_EQ(format_name(chosen_options({.format = MatrixFormat::cusparse}, false, heart)), "csr");
  EXPECT_EQ(format_name(chosen_options({.format = MatrixFormat::csr}, true, heart)), "csr");
}

}  // namespace
}  // namespace cardiowarp
