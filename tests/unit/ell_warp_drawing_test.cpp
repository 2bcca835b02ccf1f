// The drawings in the headers of the formats are what the code makes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "kernels/rivals/coo.hpp"
#include "kernels/rivals/ell.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/warp_lanes.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

const std::vector<Index> row_lengths_drawn{1, 5, 2, 9, 1, 3};
constexpr EllWarpOptions options_drawn{.variant = EllWarpVariant::k2, .threshold = 2};

/// A line for each layer: the row of every stored entry, a dot for padding, a space between the lanes of two rows.
std::string drawing_of(const EllWarpLayout& layout, const std::vector<Index>& row_length) {
  const EllWarpShape& shape = layout.shape;
  std::string stored(shape.stored_entries(), '.');
  std::size_t entry = 0;
  for (std::size_t row = 0; row < row_length.size(); ++row)
    for (Index k = 0; k < row_length[row]; ++k) stored[layout.slot_of_entry[entry++]] = static_cast<char>('0' + row);
  std::string drawing;
  for (Index slice = 0; slice < shape.slices(); ++slice) {
    const Index lanes = shape.slice_lanes[slice];
    for (std::int64_t first = shape.slice_begin[slice]; first < shape.slice_begin[slice + 1]; first += warp_lanes) {
      std::string of_layer;
      for (Index lane = 0; lane < warp_lanes; ++lane) {
        if (lanes > 1 && lane > 0 && lane % lanes == 0) of_layer += ' ';
        of_layer += stored[first + lane];
      }
      const bool is_first = first == shape.slice_begin[slice];
      drawing += fmt::format("//   {:>3}   {:>8}   {:>8}    {:<35}   {:>5}\n", is_first ? fmt::format("{}", slice) : "",
                             is_first ? fmt::format("{}", lanes) : "", (first - shape.slice_begin[slice]) / warp_lanes,
                             of_layer, first);
    }
  }
  return drawing;
}

TEST(EllWarpDrawing, OfTheHeaderIsWhatIsStored) {
  const EllWarpLayout layout = ell_warp_layout(row_lengths_drawn, {}, options_drawn);
  const std::string header = test::read_text(std::filesystem::path(CARDIOWARP_SOURCES) / "kernels/sparse/ell_warp.hpp");
  const std::string drawing = drawing_of(layout, row_lengths_drawn);
  EXPECT_NE(header.find(drawing), std::string::npos) << drawing;
}

TEST(EllWarpDrawing, HasTheNumbersThatItsHeadersName) {
  const EllWarpLayout layout = ell_warp_layout(row_lengths_drawn, {}, options_drawn);
  const EllWarpShape& shape = layout.shape;
  EXPECT_EQ(shape.row, (std::vector<Index>{3, 1, 5, 2, 0, 4}));
  EXPECT_EQ(shape.slice_row, (std::vector<Index>{0, 4, 6}));
  EXPECT_EQ(shape.slice_lanes, (std::vector<Index>{8, 1}));
  EXPECT_EQ(shape.slice_begin, (std::vector<std::int64_t>{0, 64, 96}));
  EXPECT_EQ(shape.entries, 21);
  EXPECT_EQ(shape.stored_entries(), 96);
  EXPECT_EQ(layout.slot_of_entry[1 + 5 + 2 + 8], 32);  // entry 8 of row 3: lane 0, layer 1
}

TEST(FormatDrawing, OfCoordinatesAndEllpackIsOfTheMatrixThatCompressedRowsDraw) {
  const std::vector<Index> row_begin{0, 2, 5, 8, 10}, column{0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
  const std::vector<Real> value{7, 1, 1, 7, 2, 2, 7, 3, 3, 7};
  const CsrView csr{4, row_begin.data(), column.data(), value.data()};
  const CooMatrix coo = coo_matrix(csr);
  EXPECT_EQ(coo.row, (std::vector<Index>{0, 0, 1, 1, 1, 2, 2, 2, 3, 3}));
  EXPECT_EQ(coo.column, column);
  EXPECT_EQ(coo.value, value);
  const EllMatrix ell = ell_matrix(csr, longest_row(csr));
  EXPECT_EQ(ell.column, (std::vector<Index>{0, 0, 1, 2, 1, 1, 2, 3, 1, 2, 3, 3}));
  EXPECT_EQ(ell.value, (std::vector<Real>{7, 1, 2, 3, 1, 7, 7, 7, 0, 2, 3, 0}));
}

/// The slices by the four rules at the head of ell_warp_layout.hpp, word by word.
EllWarpShape shape_by_the_rules(const std::vector<Index>& row_length, const EllWarpOptions& options) {
  const auto rows = static_cast<Index>(row_length.size());
  EllWarpShape shape{.row = {}, .slice_begin = {0}, .slice_row = {0}, .slice_lanes = {}};
  const Index window = options.window == 0 ? rows : options.window;
  for (Index begin = 0; begin < rows; begin += window) {
    std::vector<Index> left;  // of the window, sorted
    for (Index row = begin; row < std::min(rows, begin + window); ++row) left.push_back(row);
    std::stable_sort(left.begin(), left.end(), [&](Index a, Index b) { return row_length[a] > row_length[b]; });
    while (!left.empty()) {
      const auto most_entries_of_a_lane = [](Index length, Index lanes) { return (length + lanes - 1) / lanes; };
      Index lanes = 1;
      if (options.variant == EllWarpVariant::k2)
        while (lanes < 32 && most_entries_of_a_lane(row_length[left.front()], lanes) > options.threshold) lanes *= 2;
      const Index layers = most_entries_of_a_lane(row_length[left.front()], lanes);
      const std::size_t taken = std::min<std::size_t>(left.size(), 32 / lanes);
      shape.row.insert(shape.row.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(taken));
      left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(taken));
      shape.slice_lanes.push_back(lanes);
      shape.slice_row.push_back(static_cast<Index>(shape.row.size()));
      shape.slice_begin.push_back(shape.slice_begin.back() + std::int64_t{32} * layers);
    }
  }
  return shape;
}

TEST(EllWarpDrawing, FollowsTheRulesOfTheHeaderForAnyRows) {
  std::mt19937 random(7);
  for (const Index rows : {0, 1, 31, 32, 33, 65, 1000})
    for (const Index most : {0, 1, 40, 700}) {
      std::vector<Index> row_length(rows);
      for (Index& length : row_length) length = std::uniform_int_distribution<Index>(0, most)(random);
      for (const EllWarpVariant variant : {EllWarpVariant::k1, EllWarpVariant::k2})
        for (const Index window : {0, 32, 96})
          for (const Index threshold : {1, 2, 7, 64}) {
            SCOPED_TRACE(fmt::format("{} rows of up to {}, window {}, threshold {}", rows, most, window, threshold));
            const EllWarpOptions options{.variant = variant, .threshold = threshold, .window = window};
            const EllWarpShape shape = ell_warp_shape(row_length, options);
            const EllWarpShape expected = shape_by_the_rules(row_length, options);
            EXPECT_EQ(shape.row, expected.row);
            EXPECT_EQ(shape.slice_row, expected.slice_row);
            EXPECT_EQ(shape.slice_lanes, expected.slice_lanes);
            EXPECT_EQ(shape.slice_begin, expected.slice_begin);
          }
    }
}

}  // namespace
}  // namespace cardiowarp
