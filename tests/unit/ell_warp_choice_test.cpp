#include "kernels/ell_warp_choice.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace cardiowarp {
namespace {

using Lengths = std::vector<Index>;

/// K1rs is 0.
Index threshold_of(const Lengths& row_length) {
  const EllWarpChoice choice = choose_ell_warp(row_length, 1024);
  EXPECT_EQ(choice.options.renumbering, EllWarpRenumbering::rows_and_columns_sorted);
  return choice.options.variant == EllWarpVariant::k1 ? 0 : choice.options.threshold;
}

Lengths with_longest(std::size_t rows, Index length, Index longest) {
  Lengths lengths(rows, length);
  lengths[rows / 2] = longest;
  return lengths;
}

TEST(ChoiceOfEllWarp, IsK1WhereNoRowIsLongerThanTheThreshold) {
  EXPECT_EQ(threshold_of(Lengths(300'000, 5)), 0);
  EXPECT_EQ(threshold_of(with_longest(300'000, 5, 12)), 0);
  EXPECT_EQ(threshold_of(with_longest(300'000, 5, 13)), 12);
}

TEST(ChoiceOfEllWarp, GivesAThreadMoreOfLongRows) {
  EXPECT_EQ(threshold_of(with_longest(97'000, 13, 30)), 8);
  EXPECT_EQ(threshold_of(with_longest(297'000, 13, 30)), 16);
  EXPECT_EQ(threshold_of(Lengths(49'152, 39)), 24);
  EXPECT_EQ(threshold_of(Lengths(100'000, 185)), 52);  // beyond the cache a row has four threads
  EXPECT_EQ(threshold_of(with_longest(1'000'000, 14, 30)), 16);
}

TEST(ChoiceOfEllWarp, SpreadsASmallMatrixOverMoreThreadsInSmallerBlocks) {
  EXPECT_EQ(threshold_of(Lengths(3000, 20)), 3);
  EXPECT_EQ(threshold_of(Lengths(31, 20)), 2);
  EXPECT_EQ(choose_ell_warp(Lengths(3000, 20), 1024).block_size, 64);
  EXPECT_EQ(choose_ell_warp(Lengths(49'152, 39), 1024).block_size, 256);
  EXPECT_EQ(choose_ell_warp(Lengths(300'000, 5), 1024).block_size, 512);
  EXPECT_EQ(choose_ell_warp(Lengths(1'000'000, 14), 1024).block_size, 128);
}

TEST(ChoiceOfEllWarp, IsValidForAnyRows) {
  for (const Lengths& lengths : {Lengths(), Lengths{0}, Lengths(33, 0), Lengths{1}, Lengths{1'000'000}}) {
    const EllWarpChoice choice = choose_ell_warp(lengths, 96);
    EXPECT_NO_THROW(require_valid(choice.options));
    EXPECT_NO_THROW(require_valid_block_size(choice.block_size));
    EXPECT_EQ(choice.options.window, 96);
  }
}

}  // namespace
}  // namespace cardiowarp
