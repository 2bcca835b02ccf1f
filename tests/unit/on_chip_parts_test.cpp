#include "solver/on_chip_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu_backend.hpp"
#include "solver/on_chip_cg.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

EllWarpOptions k1rs(Index window) {
  return {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window};
}

/// Rows of one length stay in their order.
EllWarpLayout layout_of(const std::vector<Index>& lengths, const std::vector<Index>& columns, Index window) {
  return ell_warp_layout(lengths, columns, k1rs(window));
}

TEST(OnChipParts, OfADiagonalWithTwoCouplingsHaveTheirHalosByHand) {
  // 70 rows in windows of 32: parts 0..31, 32..63, 64..69. Row 0 reads 40, row 33 reads 69; all others themselves
  // twice.
  std::vector<Index> lengths(70, 2), columns;
  for (Index row = 0; row < 70; ++row)
    for (const Index column : {row, row == 0 ? 40 : row == 33 ? 69 : row}) columns.push_back(column);
  const auto parts = on_chip_parts(layout_of(lengths, columns, 32));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->shape.parts, 3);
  EXPECT_EQ(parts->shape.rows_a_part, 32);
  EXPECT_EQ(parts->shape.most_entries, 64);
  EXPECT_EQ(parts->shape.longest_halo, 1);
  // The lanes of the last slice that have no row name column 0, which so comes into the halo of part 2.
  EXPECT_EQ(parts->halo_begin, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(parts->halo_row, (std::vector<Index>{40, 69, 0}));
  EXPECT_EQ(parts->local_column[0], 0);    // row 0, entry 0: itself
  EXPECT_EQ(parts->local_column[32], 32);  // row 0, entry 1: the first of the halo
  EXPECT_EQ(parts->local_column[33], 1);   // row 1, entry 1: itself
  EXPECT_EQ(parts->is_shared, (std::vector<std::uint32_t>{1u, 1u << (40 - 32), 1u << (69 - 64)}));
  EXPECT_EQ(parts->shape.shared_bytes(), 8u * (32 + 1 + 64) + 2 * 64 + 4);
}

TEST(OnChipParts, LeadBackToTheColumnsOfTheMatrix) {
  for (const Index rows : {1, 31, 33, 97, 4999}) {
    SCOPED_TRACE(rows);
    std::vector<Index> lengths = awkward_row_lengths(rows, 3);
    for (Index& length : lengths) length = std::min(length, 97);
    const RandomCsr csr(lengths, 4);
    const Index window = on_chip_window(rows);
    const EllWarpLayout layout = layout_of(csr.length, csr.column, window);
    const auto parts = on_chip_parts(layout);
    ASSERT_TRUE(parts);
    for (Index slice = 0; slice < layout.shape.slices(); ++slice) {
      const Index part = slice / (window / warp_lanes);
      for (std::int64_t e = layout.shape.slice_begin[slice]; e < layout.shape.slice_begin[slice + 1]; ++e) {
        const Index local = parts->local_column[e];
        const Index column =
            local < window ? part * window + local : parts->halo_row[parts->halo_begin[part] + local - window];
        ASSERT_EQ(column, layout.column[e]);
        ASSERT_TRUE(local < window || parts->is_shared[column / warp_lanes] >> column % warp_lanes & 1u);
      }
    }
  }
}

TEST(OnChipParts, AreAtMostOneForEachMultiprocessor) {
  EXPECT_EQ(on_chip_window(1), 32);
  EXPECT_EQ(on_chip_window(132 * 32), 32);
  EXPECT_EQ(on_chip_window(132 * 32 + 1), 64);
  EXPECT_EQ(on_chip_window(200'000), 1536);
  const std::vector<Index> lengths(4256, 1);  // 133 windows of 32
  std::vector<Index> columns(lengths.size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<Index>(i);
  EXPECT_FALSE(on_chip_parts(layout_of(lengths, columns, 32)));
  EXPECT_TRUE(on_chip_parts(layout_of(lengths, columns, 64)));
}

TEST(OnChipParts, AreRefusedWhereTheyDoNotFit) {
  // 10 bytes an entry and 8 a row: with 21 entries a row 223,232 bytes, with 22 of them 233,472; 230,400 are there.
  const auto banded = [](Index rows, Index length) {
    std::vector<Index> columns;
    for (Index row = 0; row < rows; ++row)
      for (Index k = 0; k < length; ++k) columns.push_back((row + k) % rows);
    return columns;
  };
  EXPECT_TRUE(on_chip_parts(layout_of(std::vector<Index>(1024, 21), banded(1024, 21), 1024)));
  EXPECT_FALSE(on_chip_parts(layout_of(std::vector<Index>(1024, 22), banded(1024, 22), 1024)));
}

TEST(OnChipParts, AreOfK1MatricesInTheirOwnNumberingAlone) {
  const std::vector<Index> lengths(64, 1);
  std::vector<Index> columns(64);
  for (Index i = 0; i < 64; ++i) columns[i] = i;
  EllWarpOptions options = k1rs(32);
  EXPECT_TRUE(on_chip_parts(ell_warp_layout(lengths, columns, options)));
  options.variant = EllWarpVariant::k2;
  EXPECT_FALSE(on_chip_parts(ell_warp_layout(lengths, columns, options)));
  options.variant = EllWarpVariant::k1;
  options.renumbering = EllWarpRenumbering::none;
  EXPECT_FALSE(on_chip_parts(ell_warp_layout(lengths, columns, options)));
  EXPECT_FALSE(on_chip_parts(ell_warp_layout(lengths, {}, k1rs(32))));
  EXPECT_FALSE(on_chip_parts(ell_warp_layout(lengths, columns, k1rs(0))));
}

TEST(OnChipParts, AreExpectedOfHeartsUpToWhatFits) {
  EXPECT_FALSE(expected_on_chip(std::vector<Index>{}));
  EXPECT_TRUE(expected_on_chip(std::vector<Index>(1, 1)));
  EXPECT_TRUE(expected_on_chip(std::vector<Index>(160'000, 14)));
  EXPECT_FALSE(expected_on_chip(std::vector<Index>(200'000, 14)));  // 227,328 bytes a part, and its halo
  EXPECT_FALSE(expected_on_chip(std::vector<Index>(5'000'000, 14)));
}

TEST(OnChipCg, IsNothingThatACpuCanLaunch) {
  CpuBackend cpu;
  const std::vector<Index> lengths(64, 1);
  std::vector<Index> columns(64);
  for (Index i = 0; i < 64; ++i) columns[i] = i;
  const EllWarpLayout layout = layout_of(lengths, columns, 32);
  OnChipCg<CpuBackend> cg(cpu, layout, *on_chip_parts(layout));
  EXPECT_FALSE(cg.solve(cpu, {}, {1e-10, 10}, {}));
}

}  // namespace
}  // namespace cardiowarp
