#include "kernels/sparse/ell_warp_choice.hpp"

#include <gtest/gtest.h>

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

/// From 8 to 20 entries, neighbours of unequal length.
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
TEST(ChoiceOfEllWarp, HasLargerBlocksWhereSortingSpreadsNeighbours) {
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

// As measured on hearts.
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

}  // namespace
}  // namespace cardiowarp
