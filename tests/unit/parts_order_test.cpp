#include "solver/parts/parts_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

using Indices = std::vector<Index>;

/// Rows 0, 1, .. in chains of so many rows each; a row reads itself and its neighbors in the chain.
struct Chains {
  Chains(Index chains, Index rows_each) {
    for (Index row = 0; row < chains * rows_each; ++row) {
      for (const Index other : {row - 1, row, row + 1})
        if (other >= 0 && other / rows_each == row / rows_each && other < chains * rows_each) column.push_back(other);
      row_begin.push_back(static_cast<Index>(column.size()));
    }
  }
  CsrPattern pattern() const { return {row_begin, column}; }
  Indices row_begin{0}, column;
};

/// A square grid of n × n rows, each with its up to four neighbors.
struct Grid {
  explicit Grid(Index n) {
    for (Index row = 0; row < n * n; ++row) {
      for (const auto& [x, y] : {std::pair{0, -1}, {-1, 0}, {0, 0}, {1, 0}, {0, 1}})
        if (row % n + x >= 0 && row % n + x < n && row / n + y >= 0 && row / n + y < n)
          column.push_back(row + x + n * y);
      row_begin.push_back(static_cast<Index>(column.size()));
    }
  }
  CsrPattern pattern() const { return {row_begin, column}; }
  Indices row_begin{0}, column;
};

Indices rows_of_parts(const Indices& part, Index parts) {
  Indices rows(parts);
  for (const Index k : part) ++rows.at(k);
  return rows;
}

/// Entries between rows of different parts.
Index cuts(const CsrPattern& matrix, const Indices& part) {
  Index number = 0;
  for (Index row = 0; row < matrix.rows(); ++row)
    for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
      number += part[row] != part[matrix.column[e]] ? 1 : 0;
  return number;
}

TEST(WindowLengths, AreTheWindowAndWhatIsLeft) {
  EXPECT_EQ(window_lengths(0, 32), Indices{});
  EXPECT_EQ(window_lengths(1, 32), Indices{1});
  EXPECT_EQ(window_lengths(32, 32), Indices{32});
  EXPECT_EQ(window_lengths(33, 32), (Indices{32, 1}));
  EXPECT_EQ(window_lengths(97, 32), (Indices{32, 32, 32, 1}));
  EXPECT_EQ(window_lengths(96, 96), Indices{96});
}

TEST(EqualizeParts, ShiftsTheBordersOfAChain) {
  const Chains chain(1, 100);
  Indices part;
  for (const Index rows : {40, 20, 10, 30})
    part.insert(part.end(), rows, static_cast<Index>(part.empty() ? 0 : part.back() + 1));
  equalize_parts(chain.pattern(), part, Indices{25, 25, 25, 25});
  Indices expected;
  for (Index row = 0; row < 100; ++row) expected.push_back(row / 25);
  EXPECT_EQ(part, expected);
}

TEST(EqualizeParts, LeavesWhatIsEqual) {
  const Grid grid(12);
  Indices part(144);
  for (Index row = 0; row < 144; ++row) part[row] = (row * 7 + row / 5) % 4;
  const Indices length = rows_of_parts(part, 4), before = part;
  equalize_parts(grid.pattern(), part, length);
  EXPECT_EQ(part, before);
}

TEST(EqualizeParts, MovesRowsAcrossBordersOfAGridAndCutsHardlyMore) {
  const Grid grid(40);
  Indices part(1600);  // stripes of 13, 7, 9 and 11 columns; 160 rows move
  for (Index row = 0; row < 1600; ++row)
    part[row] = (row % 40 >= 13 ? 1 : 0) + (row % 40 >= 20 ? 1 : 0) + (row % 40 >= 29 ? 1 : 0);
  equalize_parts(grid.pattern(), part, Indices{400, 400, 400, 400});
  EXPECT_EQ(rows_of_parts(part, 4), (Indices{400, 400, 400, 400}));
  EXPECT_LE(cuts(grid.pattern(), part), 2 * 3 * 40 + 40);
}

/// Parts that no way connects, rows without entries, parts without rows, lengths of every kind.
TEST(EqualizeParts, GivesEveryPartItsLengthWhateverTheGraph) {
  std::mt19937 generator(5);
  for (const Index rows : {1, 31, 32, 33, 97, 1027})
    for (const Index window : {1, 2, 32, 96, 1024}) {
      SCOPED_TRACE(std::to_string(rows) + " rows in windows of " + std::to_string(window));
      const Indices length = window_lengths(rows, window);
      const auto parts = static_cast<Index>(length.size());
      Indices random(rows), all_in_the_last(rows, parts - 1);
      for (Index& k : random) k = static_cast<Index>(generator() % parts);
      const RandomCsr awkward(awkward_row_lengths(rows, 3), 4), empty(Indices(rows, 0), 4);
      const Chains chain(1, rows);
      for (const Indices& begin : {random, all_in_the_last})
        for (const CsrPattern& matrix : {CsrPattern{awkward.row_begin, awkward.column},
                                         CsrPattern{empty.row_begin, empty.column}, chain.pattern()}) {
          Indices part = begin;
          equalize_parts(matrix, part, length);
          EXPECT_EQ(rows_of_parts(part, parts), length);
        }
    }
  const Chains pairs(50, 2);
  Indices part(100, 1);
  equalize_parts(pairs.pattern(), part, Indices{33, 33, 34});
  EXPECT_EQ(rows_of_parts(part, 3), (Indices{33, 33, 34}));
}

TEST(EqualizeParts, RefusesPartsAndLengthsThatDoNotFit) {
  const Chains chain(1, 4);
  Indices part{0, 1, 0, 1};
  EXPECT_THROW(equalize_parts(chain.pattern(), part, Indices{2, 3}), std::invalid_argument);
  EXPECT_THROW(equalize_parts(chain.pattern(), part, Indices{4}), std::invalid_argument);
  part[0] = -1;
  EXPECT_THROW(equalize_parts(chain.pattern(), part, Indices{2, 2}), std::invalid_argument);
}

TEST(OrderByParts, PutsPartsOneAfterTheOtherByTheirMiddlesAndTheLastLast) {
  //             row  0  1  2  3  4  5  6  7
  const Indices part{2, 1, 1, 2, 0, 1, 0, 0};  // means 17/3, 8/3, 3/2
  EXPECT_EQ(order_by_parts(part, 3), (Indices{1, 2, 5, 4, 6, 7, 0, 3}));
  EXPECT_EQ(order_by_parts(Indices(3, 0), 1), (Indices{0, 1, 2}));
  EXPECT_EQ(order_by_parts(Indices{}, 0), Indices{});
  EXPECT_EQ(order_by_parts(Indices{3, 3, 1}, 4), (Indices{2, 0, 1})) << "parts without rows";
}

}  // namespace
}  // namespace cardiowarp
