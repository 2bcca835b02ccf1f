#include "kernels/sparse/ell_warp_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace cardiowarp {
namespace {

using Lengths = std::vector<Index>;

/// K1rs is 0.
Index threshold_of(const Lengths& row_length) {
  const EllWarpChoice choice = choose_ell_warp(row_length, 1024, nvidia_h200());
  EXPECT_EQ(choice.options.renumbering, EllWarpRenumbering::rows_and_columns_sorted);
  return choice.options.variant == EllWarpVariant::k1 ? 0 : choice.options.threshold;
}

Lengths with_longest(std::size_t rows, Index length, Index longest) {
  Lengths lengths(rows, length);
  lengths[rows / 2] = longest;
  return lengths;
}

/// Rows of 8 to 20 entries whose neighbors have other lengths.
Lengths unequal(std::size_t rows) {
  Lengths lengths(rows);
  for (std::size_t row = 0; row < rows; ++row) lengths[row] = static_cast<Index>(8 + 7 * row % 13);
  return lengths;
}

TEST(ChoiceOfEllWarp, IsK1ForManyShortEqualRows) {
  EXPECT_EQ(threshold_of(Lengths(530'000, 3)), 0);
  EXPECT_EQ(threshold_of(Lengths(1'600'000, 14)), 0);
}

TEST(ChoiceOfEllWarp, IsK2WhereOneRowIsLong) {
  EXPECT_GT(threshold_of(with_longest(530'000, 3, 4000)), 0);
  EXPECT_GT(threshold_of(with_longest(170'000, 6, 353)), 0);
}

TEST(ChoiceOfEllWarp, GivesAThreadFewEntriesOfASmallMatrixAndManyOfALargeOne) {
  const Index small = threshold_of(Lengths(3000, 20)), large = threshold_of(Lengths(40'000, 100));
  EXPECT_GT(small, 0);
  EXPECT_LE(small, 6);
  EXPECT_GE(large, 16);
}

TEST(ChoiceOfEllWarp, HasSmallerBlocksForASmallMatrixAndForOneBeyondTheCache) {
  EXPECT_LE(choose_ell_warp(Lengths(3000, 20), 1024, nvidia_h200()).block_size, 256);
  EXPECT_EQ(choose_ell_warp(Lengths(36'000, 33), 1024, nvidia_h200()).block_size, 256);  // 140 blocks of 512
  EXPECT_EQ(choose_ell_warp(Lengths(64'000, 33), 1024, nvidia_h200()).block_size, 512);  // 250
  EXPECT_EQ(choose_ell_warp(unequal(220'000), 1024, nvidia_h200()).block_size, 512);
  EXPECT_EQ(choose_ell_warp(Lengths(1'600'000, 14), 1024, nvidia_h200()).block_size, 128);
}

// Rows of a block that come one after the other in the matrix gather from the same places of x. Sorted by unequal
// lengths they are spread over the window, and only a large block finds what another row has loaded. As measured.
TEST(ChoiceOfEllWarp, HasLargerBlocksWhereSortingSpreadsNeighbors) {
  EXPECT_EQ(choose_ell_warp(Lengths(49'152, 39), 1024, nvidia_h200()).block_size, 256);
  EXPECT_EQ(choose_ell_warp(unequal(140'000), 1024, nvidia_h200()).block_size, 512);
}

// 66,000 rows of K1 are 129 blocks, no more than multiprocessors; 76,000 are 149. As measured on hearts.
TEST(ChoiceOfEllWarp, IsNotK1WhereAFewMultiprocessorsWouldHaveASecondBlock) {
  EXPECT_EQ(threshold_of(unequal(66'000)), 0);
  EXPECT_GT(threshold_of(unequal(76'000)), 0);
}

// A second wave of few warps takes up to 40 % longer, as measured on FEM matrices of 45 MB; and beyond the cache.
TEST(ChoiceOfEllWarp, LetsAllWarpsFitAtOnceWhereAFewWouldNot) {
  for (const Lengths& lengths : {Lengths(40'000, 90), Lengths(76'000, 70)})
    EXPECT_LE(ell_warp_shape(lengths, choose_ell_warp(lengths, 1024, nvidia_h200()).options).slices(), 132 * 64)
        << lengths[0];
}

// Thresholds from 8 to 16 are what measurements on hearts have asked for.
TEST(ChoiceOfEllWarp, GivesUnequalRowsAFewThreadsInTheCache) {
  EXPECT_GE(threshold_of(unequal(34'000)), 8);
  EXPECT_LE(threshold_of(unequal(34'000)), 16);
}

TEST(ChoiceOfEllWarp, IsValidForAnyRows) {
  for (const Lengths& lengths : {Lengths(), Lengths{0}, Lengths(33, 0), Lengths{1}, Lengths{1'000'000}}) {
    const EllWarpChoice choice = choose_ell_warp(lengths, 96, nvidia_h200());
    EXPECT_NO_THROW(require_valid(choice.options));
    EXPECT_NO_THROW(require_valid_block_size(choice.block_size));
    EXPECT_EQ(choice.options.window, 96);
  }
}

using Amounts = std::map<std::string, double>;

Amounts amounts_of(const EllWarpCost& cost) {
  Amounts amounts;
  for (const CostTerm& term : cost.terms) amounts[std::string(term.name)] = term.amount;
  return amounts;
}

void expect_amounts(const EllWarpCost& cost, const Amounts& expected) {
  const Amounts amounts = amounts_of(cost);
  ASSERT_EQ(amounts.size(), expected.size());
  for (const auto& [name, amount] : expected) {
    ASSERT_TRUE(amounts.contains(name)) << name;
    EXPECT_NEAR(amounts.at(name), amount, 1e-12 * amount) << name;
  }
}

// K1 with 64 threads a block: 132 warps in 66 blocks, so half of the multiprocessors have none. A lane has one batch. A
// warp of 32 neighboring rows gathers 8 sectors for each of its 4 layers: a block of two gathers 64 and reaches 96.
TEST(CostOfEllWarp, CountsWhatAPersonCountsInTheCache) {
  const std::vector<EllWarpCost> costs = ell_warp_costs(Lengths(4224, 4), 1024, nvidia_h200());
  ASSERT_EQ(costs.size(), 12u * 4u);
  EXPECT_EQ(costs[0].choice.options.variant, EllWarpVariant::k1);
  EXPECT_EQ(costs[0].choice.block_size, 64);
  expect_amounts(costs[0], {{"busiest", 0.325},
                            {"layers", 4},
                            {"l2_sectors", 0.5 * 96 * (1 - std::exp(-64.0 / 96))},
                            {"sectors", 4 * 8},
                            {"k2_warps", 0},
                            {"small_blocks", 1.0 / 64},
                            {"idle", 0.5},
                            {"past_cache", 0},
                            {"second_wave", 0}});
  EXPECT_EQ(costs[4].choice.options.variant, EllWarpVariant::k2);
  EXPECT_EQ(costs[4].choice.options.threshold, 3);
  EXPECT_DOUBLE_EQ(amounts_of(costs[4]).at("k2_warps"), 2);
}

// 37 MB with x and y, in 132 times 65 warps.
TEST(CostOfEllWarp, CountsLongLanesAndASecondWaveWhereTheMatrixHardlyFits) {
  const std::vector<EllWarpCost> costs = ell_warp_costs(Lengths(274'560, 10), 1024, nvidia_h200());
  const double megabytes = 1e-6 * 274'560 * (12 * 10 + 16);
  EXPECT_DOUBLE_EQ(amounts_of(costs[0]).at("past_cache"), (megabytes - 30) * 3);  // batches of 10 entries
  EXPECT_EQ(amounts_of(costs[0]).at("second_wave"), 1);                           // 65 warps, of which 64 fit at once
}

TEST(CostOfEllWarp, CountsWhatAPersonCountsBeyondTheCache) {
  const std::vector<EllWarpCost> costs = ell_warp_costs(Lengths(274'560, 30), 1024, nvidia_h200());
  ASSERT_EQ(costs.size(), 12u);
  expect_amounts(costs[0], {{"longest_lane", 8}, {"warps", 65}, {"wave_beyond", 1}});
  EXPECT_DOUBLE_EQ(costs[0].sum(),
                   costs[0].terms[0].weight * 8 + costs[0].terms[1].weight * 65 + costs[0].terms[2].weight);
}

TEST(CostOfEllWarp, IsLeastForTheChoice) {
  for (const Lengths& lengths : {Lengths(3000, 20), unequal(76'000), Lengths(1'600'000, 14)}) {
    const EllWarpChoice choice = choose_ell_warp(lengths, 1024, nvidia_h200());
    double least = 0, of_choice = 0;
    for (const EllWarpCost& cost : ell_warp_costs(lengths, 1024, nvidia_h200())) {
      if (least == 0 || cost.sum() < least) least = cost.sum();
      if (cost.choice.block_size == choice.block_size && cost.choice.options.variant == choice.options.variant &&
          cost.choice.options.threshold == choice.options.threshold)
        of_choice = cost.sum();
    }
    EXPECT_EQ(of_choice, least);
  }
}

}  // namespace
}  // namespace cardiowarp
