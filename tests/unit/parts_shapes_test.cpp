#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "solver/on_chip/on_chip_shape.hpp"
#include "solver/parts/matrix_parts.hpp"
#include "solver/persistent/persistent_shape.hpp"
#include "tests/support/layouts_in_parts.hpp"

namespace cardiowarp {
namespace {

using test::banded, test::layout_of;

std::optional<OnChipShape> on_chip(const std::vector<Index>& lengths, const std::vector<Index>& columns, Index window) {
  const EllWarpLayout layout = layout_of(lengths, columns, window);
  const auto parts = matrix_parts(layout);
  return parts ? on_chip_shape(layout.shape, *parts, nvidia_h200()) : std::nullopt;
}

TEST(OnChipParts, AreAtMostOneForEachMultiprocessor) {
  EXPECT_EQ(on_chip_window(1, nvidia_h200()), 32);
  EXPECT_EQ(on_chip_window(132 * 32, nvidia_h200()), 32);
  EXPECT_EQ(on_chip_window(132 * 32 + 1, nvidia_h200()), 64);
  EXPECT_EQ(on_chip_window(200'000, nvidia_h200()), 1536);
  const std::vector<Index> lengths(4256, 1), columns = banded(4256, 1);  // 133 windows of 32
  EXPECT_FALSE(on_chip(lengths, columns, 32));
  EXPECT_TRUE(on_chip(lengths, columns, 64));
}

TEST(OnChipParts, KeepWhatFits) {
  // 10 bytes an entry and 8 a row: with 21 entries a row 223,232 bytes; 230,400 are there. Of more entries, what is
  // left beside the rows: 222,208 bytes, 694 slices of 32 entries.
  const auto kept = [](Index length) {
    const auto shape = on_chip(std::vector<Index>(1024, length), banded(1024, length), 1024);
    return shape ? shape->kept_entries : 0;
  };
  EXPECT_EQ(kept(21), 21 * 1024);
  EXPECT_EQ(kept(22), 694 * 32);
  EXPECT_EQ(kept(43), 694 * 32);
  EXPECT_EQ(kept(44), 0);  // less than half
}

TEST(OnChipParts, KeepMoreEntriesInSinglePrecision) {
  // 6 bytes an entry: of 222,208 bytes beside the rows 1157 slices of 32 entries.
  const auto kept = [](Index length, std::size_t bytes_a_value) {
    const EllWarpLayout layout = layout_of(std::vector<Index>(1024, length), banded(1024, length), 1024);
    const auto shape = on_chip_shape(layout.shape, *matrix_parts(layout), nvidia_h200(), bytes_a_value);
    return shape ? shape->kept_entries : 0;
  };
  EXPECT_EQ(kept(36, sizeof(float)), 36 * 1024);
  EXPECT_EQ(kept(37, sizeof(float)), 1157 * 32);
  EXPECT_EQ(kept(72, sizeof(float)), 1157 * 32);
  EXPECT_EQ(kept(73, sizeof(float)), 0);  // less than half
  EXPECT_EQ(kept(37, sizeof(Real)), 694 * 32);
  const OnChipShape shape{
      .parts = 1, .rows_a_part = 64, .longest_halo = 10, .kept_entries = 96, .bytes_a_value = sizeof(float)};
  EXPECT_EQ(shape.shared_bytes(), 8u * (64 + 10) + (4 + 2) * 96 + 4 * 10);
}

TEST(OnChipParts, HaveAtMostAsManyRowsAsRegistersHold) {
  EXPECT_TRUE(on_chip(std::vector<Index>(2080, 1), banded(2080, 1), 2048));
  EXPECT_FALSE(on_chip(std::vector<Index>(2080, 1), banded(2080, 1), 2080));
}

TEST(OnChipParts, AreExpectedOfHeartsUpToWhatFits) {
  EXPECT_FALSE(expected_on_chip(std::vector<Index>{}, nvidia_h200()));
  EXPECT_TRUE(expected_on_chip(std::vector<Index>(1, 1), nvidia_h200()));
  EXPECT_TRUE(expected_on_chip(std::vector<Index>(160'000, 14), nvidia_h200()));
  constexpr std::size_t most = 270'336;  // 132 parts of 2048 rows
  EXPECT_TRUE(expected_on_chip(std::vector<Index>(most, 14), nvidia_h200()));
  EXPECT_FALSE(expected_on_chip(std::vector<Index>(most + 1, 14), nvidia_h200()));
  EXPECT_FALSE(expected_on_chip(std::vector<Index>(200'000, 60), nvidia_h200()));
  EXPECT_TRUE(expected_on_chip(std::vector<Index>(150'000, 45), nvidia_h200(), sizeof(float)));
  EXPECT_FALSE(expected_on_chip(std::vector<Index>(150'000, 45), nvidia_h200()));
  // In single precision 4096 rows of a part have room in registers, and 54 bytes for each in shared memory.
  constexpr std::size_t in_single = sizeof(float);
  EXPECT_TRUE(expected_on_chip(std::vector<Index>(540'672, 14), nvidia_h200(), in_single, in_single));
  EXPECT_FALSE(expected_on_chip(std::vector<Index>(540'673, 14), nvidia_h200(), in_single, in_single));
  EXPECT_FALSE(expected_on_chip(std::vector<Index>(540'672, 14), nvidia_h200(), in_single));
  EXPECT_FALSE(expected_on_chip(std::vector<Index>(5'000'000, 14), nvidia_h200()));
}

MatrixParts parts_of(Index parts, Index rows_a_part, Index longest_halo) {
  MatrixParts plan;
  plan.parts = parts, plan.rows_a_part = rows_a_part, plan.longest_halo = longest_halo;
  return plan;
}

TEST(PersistentShape, KeepsTheProductsOfAsManyPartsAsThereIsRoomFor) {
  const auto heart = persistent_shape(parts_of(1549, 1024, 1203), nvidia_h200());  // of 1.6 million nodes
  ASSERT_TRUE(heart);
  EXPECT_EQ(heart->group_doubles, 1024 + 1203 + 33);
  EXPECT_EQ(heart->blocks, 132);  // 528 groups
  EXPECT_EQ(heart->kept_parts, 3);
  EXPECT_EQ(heart->shared_bytes, 4 * (8 * (1024 + 1203) + 8 * 33) + 3 * 4 * 8 * 1024u);
  EXPECT_EQ(persistent_shape(parts_of(2 * 1549, 1024, 1203), nvidia_h200())->kept_parts, 4);
  EXPECT_EQ(persistent_shape(parts_of(528, 32, 0), nvidia_h200())->kept_parts, 1);
  EXPECT_EQ(persistent_shape(parts_of(529, 32, 0), nvidia_h200())->kept_parts, 2);
  EXPECT_EQ(persistent_shape(parts_of(1, 4096, 100), nvidia_h200())->kept_parts, 0);
  // Four vectors with the places of their slices, of 57,600 bytes each, are what a block has room for.
  EXPECT_TRUE(persistent_shape(parts_of(1, 1024, 57'600 / 8 - 1024 - 33), nvidia_h200()));
  EXPECT_FALSE(persistent_shape(parts_of(1, 1024, 57'600 / 8 - 1024 - 33 + 1), nvidia_h200()));
}

TEST(PersistentShape, KeepsMoreThanProductsInSinglePrecisionAndLeavesSomeCache) {
  const auto in_double = persistent_shape(parts_of(1549, 1024, 1203), nvidia_h200());
  EXPECT_EQ(in_double->kept_z, 0);
  EXPECT_EQ(in_double->kept_p, 0);
  const auto heart = persistent_shape(parts_of(1549, 1024, 1203), nvidia_h200(), sizeof(float));
  EXPECT_EQ(heart->kept_parts, 3);
  EXPECT_EQ(heart->kept_z, 3);
  EXPECT_EQ(heart->kept_p, 3);
  EXPECT_EQ(heart->shared_bytes, 4 * (4 * (1024 + 1203) + 4 + 8 * 33) + 3 * 3 * 4 * 4 * 1024u);
  // One vector of a part of each group takes 16 KiB. Inputs of 36,704 bytes leave room for 9 in 194 KiB and 11 in all.
  const auto kept = [](Index parts) {
    const auto shape = persistent_shape(parts_of(parts, 1024, 1203), nvidia_h200(), sizeof(float));
    return std::array<Index, 3>{shape->kept_parts, shape->kept_z, shape->kept_p};
  };
  EXPECT_EQ(kept(528), (std::array<Index, 3>{1, 1, 1}));
  EXPECT_EQ(kept(4 * 528), (std::array<Index, 3>{4, 4, 1}));
  EXPECT_EQ(kept(6 * 528), (std::array<Index, 3>{6, 3, 0}));
  EXPECT_EQ(kept(10 * 528), (std::array<Index, 3>{10, 0, 0}));
  EXPECT_EQ(kept(20 * 528), (std::array<Index, 3>{11, 0, 0}));
}

}  // namespace
}  // namespace cardiowarp
