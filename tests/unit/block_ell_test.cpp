// BELL, SBELL and BCSR: where their entries are, and their products against those of compressed rows.

#include "kernels/rivals/block_ell.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/ell_warp.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "tests/support/expect_product.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 61;

using Indices = std::vector<Index>;
using Reals = std::vector<Real>;
using Slots = std::vector<std::int64_t>;

CsrPattern pattern_of(const RandomCsr& A) { return {A.row_begin, A.column}; }

/// The values of A in a layout.
Reals stored_values(const RandomCsr& A, const BlockEllLayout& layout) {
  Reals value(layout.value_slots());
  for (std::size_t e = 0; e < A.value.size(); ++e) value[layout.slot_of_entry[e]] = A.value[e];
  return value;
}

Reals product(const RandomCsr& A, const BlockEllOptions& options, const Reals& x, Index rows_a_thread = 1) {
  CpuBackend cpu;
  const BlockEllLayout layout = block_ell_layout(pattern_of(A), options);
  BlockEllMatrix matrix(cpu, layout);
  const Reals value = stored_values(A, layout);
  std::copy(value.begin(), value.end(), matrix.value());
  Reals y(x.size(), NAN);
  block_ell_multiply(
      matrix.view(), x.data(), y.data(), [&](Index n, const auto& body) { cpu.for_each(n, body); }, rows_a_thread);
  return y;
}

std::vector<BlockEllOptions> all_options(const CsrPattern& pattern, Index unknowns) {
  std::vector<BlockEllOptions> all{bell_options(pattern, unknowns), bcsr_options(unknowns)};
  for (const Index slice_rows : {32, 64, 96})
    for (const Index window : {0, 64, 1024})
      all.push_back({.unknowns = unknowns, .slice_rows = slice_rows, .window = window});
  return all;
}

/// 1 2 | . . | 3 .        blocks a . b
/// 4 5 | . . | 6 7
/// . . | . . | . .               . . .
/// . . | . . | . .
/// . 8 | . . | . .               c . .
/// 9 . | . . | . .
RandomCsr small_matrix() {
  RandomCsr A({}, seed);
  A.length = {3, 4, 0, 0, 1, 1};
  A.row_begin = {0, 3, 7, 7, 7, 8, 9};
  A.column = {0, 1, 4, 0, 1, 4, 5, 1, 0};
  A.value = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  return A;
}

TEST(BlockEll, ASliceHasTheValuesOfItsBlockRowsSideBySideBlockAfterBlock) {
  const RandomCsr A = small_matrix();
  const BlockEllLayout layout = block_ell_layout(pattern_of(A), {.unknowns = 2, .slice_rows = 2});
  EXPECT_EQ(layout.row, (Indices{0, 2, 1}));
  EXPECT_EQ(layout.blocks, 3);
  EXPECT_EQ(layout.slice_width, (Indices{2, 0}));
  EXPECT_EQ(layout.slice_begin, (Slots{0, 4, 4}));
  EXPECT_EQ(layout.column, (Indices{0, 0, 2, 0}));
  EXPECT_EQ(stored_values(A, layout), (Reals{1, 0, 2, 8, 4, 9, 5, 0, 3, 0, 0, 0, 6, 0, 7, 0}));
}

TEST(BlockEll, BellIsOneSliceOfAllBlockRowsInTheirOrder) {
  const RandomCsr A = small_matrix();
  const BlockEllLayout layout = block_ell_layout(pattern_of(A), bell_options(pattern_of(A), 2));
  EXPECT_TRUE(layout.row.empty());
  EXPECT_EQ(layout.slice_width, Indices{2});
  EXPECT_EQ(layout.column, (Indices{0, 0, 0, 2, 0, 0}));
  EXPECT_EQ(stored_values(A, layout), (Reals{1, 0, 0, 2, 0, 8, 4, 0, 9, 5, 0, 0, 3, 0, 0, 0, 0, 0, 6, 0, 0, 7, 0, 0}));
  EXPECT_EQ(longest_block_row(pattern_of(A), 2), 2);
}

TEST(BlockEll, SlicesOfOneBlockRowAreBcsrWithoutPadding) {
  const RandomCsr A = small_matrix();
  const BlockEllLayout layout = block_ell_layout(pattern_of(A), bcsr_options(2));
  EXPECT_EQ(layout.slice_begin, (Slots{0, 2, 2, 3}));
  EXPECT_EQ(layout.column, (Indices{0, 2, 0}));
  EXPECT_EQ(stored_values(A, layout), (Reals{1, 2, 4, 5, 3, 0, 6, 7, 0, 8, 9, 0}));
}

TEST(BlockEll, AFullBlockOfThreeUnknownsTakes76BytesAndItsBlockRow52) {
  const BlockEllLayout layout =
      block_ell_layout(pattern_of(random_blocks(Indices(64, 5), 3, seed)), {.unknowns = 3, .slice_rows = 32});
  EXPECT_EQ(layout.product_bytes(), 64 * 5 * 76 + 64 * (3 * 16 + 4) + 2 * 12);
}

TEST(BlockEll, ProductsAreThoseOfCompressedRows) {
  for (const Index unknowns : {1, 2, 3})
    for (const Index block_rows : {1, 31, 32, 33, 97, 1500}) {
      const RandomCsr A = random_blocks(awkward_row_lengths(block_rows, seed), unknowns, seed + 1);
      const Reals x = random_values(A.length.size(), seed + 2);
      for (const BlockEllOptions& options : all_options(pattern_of(A), unknowns)) {
        SCOPED_TRACE(std::to_string(unknowns) + " unknowns, " + std::to_string(block_rows) + " block rows, slices of " +
                     std::to_string(options.slice_rows) + ", window " + std::to_string(options.window));
        expect_product(A, x, product(A, options, x));
      }
    }
}

TEST(BlockEll, SeveralRowsAThreadChangeNoBit) {
  for (const Index unknowns : {1, 2, 3})
    for (const Index block_rows : {1, 31, 32, 33, 97, 1500}) {
      const RandomCsr A = random_blocks(awkward_row_lengths(block_rows, seed), unknowns, seed + 1);
      const Reals x = random_values(A.length.size(), seed + 2);
      for (const Index slice_rows : {64, 96}) {
        const BlockEllOptions options{.unknowns = unknowns, .slice_rows = slice_rows, .window = 1024};
        EXPECT_EQ(product(A, options, x, slice_rows / 32), product(A, options, x)) << block_rows;
        EXPECT_EQ(product(A, options, x, slice_rows), product(A, options, x)) << block_rows;
      }
    }
}

TEST(BlockEll, ProductsOfFullAndEmptyBlockRowsAreThoseOfCompressedRows) {
  for (const Index unknowns : {1, 2, 3})
    for (const Indices& lengths : {Indices{}, Indices(97, 0), Indices(97, 97), Indices{0, 0, 5, 0, 0, 0, 1, 0}}) {
      const RandomCsr A = random_blocks(lengths, unknowns, seed);
      const Reals x = random_values(A.length.size(), seed + 1);
      for (const BlockEllOptions& options : all_options(pattern_of(A), unknowns))
        expect_product(A, x, product(A, options, x));
    }
}

/// A slice is no wider than its longest block row.
TEST(BlockEll, BlockRowsAreSortedInWindowsOfWholeSlices) {
  const RandomCsr A = random_blocks(awkward_row_lengths(500, seed), 2, seed);
  const Indices length = [&] {
    const BlockEllLayout bcsr = block_ell_layout(pattern_of(A), bcsr_options(2));
    return bcsr.slice_width;
  }();
  const BlockEllLayout layout =
      block_ell_layout(pattern_of(A), {.unknowns = 2, .slice_rows = 96, .window = 100});  // 192
  for (Index position = 0; position < 500; ++position) {
    EXPECT_EQ(layout.row[position] / 192, position / 192);
    if (position % 192 != 0) {
      EXPECT_GE(length[layout.row[position - 1]], length[layout.row[position]]) << position;
    }
    if (position % 96 == 0) {
      const auto end = layout.row.begin() + std::min<Index>(position + 96, 500);
      const Index longest = *std::max_element(layout.row.begin() + position, end,
                                              [&](Index a, Index b) { return length[a] < length[b]; });
      EXPECT_EQ(layout.slice_width[position / 96], length[longest]);
    }
  }
}

/// Of one unknown a node SBELL with slices of 32 is K1: the same slots, columns and bits of a product.
TEST(BlockEll, OfOneUnknownInSlicesOf32IsK1) {
  for (const Index rows : {1, 31, 32, 33, 97, 3000})
    for (const Index window : {0, 64, 1024}) {
      const RandomCsr A(awkward_row_lengths(rows, seed), seed);
      const BlockEllLayout sbell = block_ell_layout(pattern_of(A), {.slice_rows = 32, .window = window});
      const EllWarpLayout k1 = ell_warp_layout(A.length, A.column, {.window = window});
      EXPECT_EQ(sbell.block_slots(), k1.shape.stored_entries());
      EXPECT_EQ(sbell.slice_begin, k1.shape.slice_begin);
      EXPECT_EQ(sbell.row, k1.shape.row);
      EXPECT_EQ(sbell.column, k1.column);
      EXPECT_EQ(sbell.slot_of_entry, k1.slot_of_entry);

      const EllWarpOptions k1rs{.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window};
      EXPECT_EQ(sbell.block_slots(), ell_warp_layout(A.length, A.column, k1rs).shape.stored_entries());

      const Reals x = random_values(A.length.size(), seed + 1), value = stored_values(A, sbell);
      EllWarpView view;
      view.rows = rows;
      view.slices = k1.shape.slices();
      view.slice_begin = k1.shape.slice_begin.data();
      view.slice_row = k1.shape.slice_row.data();
      view.slice_lanes = k1.shape.slice_lanes.data();
      view.row = k1.shape.row.data();
      view.column = k1.column.data();
      view.value = value.data();
      Reals y(A.length.size(), NAN);
      CpuBackend cpu;
      cpu.for_each(view.slices, EllWarpSlices<TimesVector<>>{view, TimesVector{x.data()}, y.data()});
      EXPECT_EQ(product(A, {.slice_rows = 32, .window = window}, x), y);
    }
}

TEST(BlockEll, RefusesOptionsAndRowsThatAreNoBlocks) {
  const auto refusal = [](const RandomCsr& A, const BlockEllOptions& options) -> std::string {
    try {
      block_ell_layout(pattern_of(A), options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const RandomCsr A(Indices(8, 2), seed);
  EXPECT_EQ(refusal(A, {.unknowns = 3}), "blocks: expected a multiple of 3 rows, got 8");
  EXPECT_EQ(refusal(A, {.unknowns = 0}), "blocks: expected 1 to 3 unknowns a node, got 0");
  EXPECT_EQ(refusal(A, {.unknowns = 4}), "blocks: expected 1 to 3 unknowns a node, got 4");
  EXPECT_EQ(refusal(A, {.slice_rows = 0}), "blocks: expected slices of 1 block row or more, got 0");
  EXPECT_EQ(refusal(A, {.window = -1}), "blocks: expected a window of 0 block rows or more, got -1");
  EXPECT_EQ(refusal(A, {.unknowns = 2}), "");
  EXPECT_THROW(longest_block_row(pattern_of(A), 3), std::invalid_argument);
  EXPECT_THROW(bell_options(pattern_of(A), 3), std::invalid_argument);
}

}  // namespace
}  // namespace cardiowarp
