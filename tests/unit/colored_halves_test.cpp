// Colors of the rows of a matrix, and its halves in their order.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "solver/preconditioners/colored_halves.hpp"
#include "tests/support/random_symmetric.hpp"

namespace cardiowarp {
namespace {

/// A pattern from the neighbors of each row, which has the diagonal too.
struct Pattern {
  explicit Pattern(const std::vector<std::vector<Index>>& neighbors) {
    for (Index row = 0; row < static_cast<Index>(neighbors.size()); ++row) {
      column.push_back(row);
      column.insert(column.end(), neighbors[row].begin(), neighbors[row].end());
      row_begin.push_back(static_cast<Index>(column.size()));
    }
    slot.resize(column.size());
    for (std::size_t e = 0; e < slot.size(); ++e) slot[e] = static_cast<std::int64_t>(e);
  }
  CsrPattern view() const { return {row_begin, column}; }
  std::vector<Index> row_begin{0}, column;
  std::vector<std::int64_t> slot;
};

/// Every row a neighbor of every other.
Pattern complete(Index rows) {
  std::vector<std::vector<Index>> neighbors(rows);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < rows; ++j)
      if (i != j) neighbors[i].push_back(j);
  return Pattern(neighbors);
}

TEST(GreedyColors, AreTheSmallestThatNoNeighborHas) {
  //  0 - 1 - 2 - 0, 2 - 3, and 4 alone
  const Pattern pattern({{1, 2}, {0, 2}, {0, 1, 3}, {2}, {}});
  EXPECT_EQ(greedy_colors(pattern.view()), (std::vector<Index>{0, 1, 2, 0, 0}));
  EXPECT_TRUE(greedy_colors(Pattern({}).view()).empty());
}

TEST(GreedyColors, OfACompleteGraphAreAsManyAsItsRows) {
  for (const Index rows : {1, 4, 41}) {
    std::vector<Index> expected(rows);
    for (Index row = 0; row < rows; ++row) expected[row] = row;
    EXPECT_EQ(greedy_colors(complete(rows).view()), expected);
  }
}

/// The entries (row, column) of a half and their slots; that no slot is padding's is checked by their number.
std::map<std::pair<Index, Index>, Index> entries_of(const ColoredHalves& halves, const ColoredHalf& half) {
  std::map<std::pair<Index, Index>, Index> entries;
  for (Index position = 0; position < halves.positions(); ++position) {
    const Index slice = position / 32;
    for (Index k = half.first[slice] + position % 32; k < half.first[slice + 1]; k += 32) {
      if (half.slot[k] == ColoredHalf::no_slot) {
        EXPECT_EQ(half.column[k], position) << "of padding";
        continue;
      }
      EXPECT_TRUE(entries.emplace(std::pair(halves.row[position], halves.row[half.column[k]]), half.slot[k]).second);
    }
  }
  return entries;
}

TEST(ColoredHalves, HaveEveryRowOnceAndEveryEntryInTheHalfOfItsColors) {
  for (const Index rows : {1, 31, 32, 33, 97, 2049}) {
    const RandomSymmetric A(rows, 13, 5);
    const CsrPattern pattern{A.row_begin, A.column};
    const std::vector<Index> color = greedy_colors(pattern);
    const ColoredHalves halves = colored_halves(pattern, A.slot, color);

    std::vector<Index> seen;
    for (Index c = 0; c < halves.colors(); ++c) {
      EXPECT_EQ(halves.begin[c] % 32, 0);
      EXPECT_GT(halves.rows_of(c), 0);
      for (Index position = halves.begin[c]; position < halves.begin[c + 1]; ++position)
        if (const Index row = halves.row[position]; row >= 0) {
          EXPECT_EQ(color[row], c);
          EXPECT_EQ(A.column[halves.diagonal_slot[position]], row);
          seen.push_back(row);
        } else {
          EXPECT_EQ(halves.diagonal_slot[position], ColoredHalf::no_slot);
        }
    }
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(rows));
    EXPECT_TRUE(std::adjacent_find(seen.begin(), seen.end()) == seen.end());

    const auto lower = entries_of(halves, halves.lower), upper = entries_of(halves, halves.upper);
    EXPECT_EQ(lower.size() + upper.size() + rows, A.column.size());
    for (const auto& [at, slot] : lower) {
      EXPECT_LT(color[at.second], color[at.first]);
      EXPECT_EQ(A.column[slot], at.second);
      EXPECT_TRUE(A.row_begin[at.first] <= slot && slot < A.row_begin[at.first + 1]);
      const auto mirrored = upper.find({at.second, at.first});
      ASSERT_NE(mirrored, upper.end());
      EXPECT_EQ(mirrored->second, slot) << "the number of L and of U";
    }
  }
}

}  // namespace
}  // namespace cardiowarp
