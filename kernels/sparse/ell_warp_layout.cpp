#include "kernels/sparse/ell_warp_layout.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/backend/thread_team.hpp"
#include "kernels/sparse/ell_warp.hpp"

namespace cardiowarp {

namespace {

/// Entries of the lane that has most of them.
Index entries_a_lane(Index length, Index lanes) { return length / lanes + (length % lanes != 0); }

/// Lanes are doubled until none has more entries than the threshold; a row of more than 32 thresholds has all 32.
Index lanes_of_row(Index length, const EllWarpOptions& options) {
  Index lanes = 1;
  if (options.variant == EllWarpVariant::k2)
    while (lanes < warp_lanes && entries_a_lane(length, lanes) > options.threshold) lanes *= 2;
  return lanes;
}

/// Rows of a window.
Index rows_a_window(Index rows, const EllWarpOptions& options) {
  return !options.sorted || options.window == 0 ? std::max<Index>(1, rows) : options.window;
}

/// The slices of some windows that follow each other. Their slots are counted from the first of these.
struct SlicesOfWindows {
  std::vector<Index> lanes, end_row;  ///< [slices]
  std::vector<std::int64_t> end{};    ///< [slices]
  std::int64_t slots() const { return end.empty() ? 0 : end.back(); }
};

/// Appends the slices of the positions [begin, end).
void append_slices(std::span<const Index> row_length, std::span<const Index> order, Index begin, Index end,
                   const EllWarpOptions& options, SlicesOfWindows& slices) {
  const auto longest_of = [&](Index rows) {
    Index longest = 0;
    for (Index position = begin; position < begin + rows; ++position)
      longest = std::max(longest, row_length[order[position]]);
    return longest;
  };
  while (begin < end) {
    const Index lanes = lanes_of_row(longest_of(std::min(warp_lanes, end - begin)), options);
    const Index rows = std::min(warp_lanes / lanes, end - begin), longest = longest_of(rows);
    begin += rows;
    slices.lanes.push_back(lanes);
    slices.end_row.push_back(begin);
    slices.end.push_back(slices.slots() + std::int64_t{warp_lanes} * entries_a_lane(longest, lanes));
  }
}

/// The sum of the lengths of all rows.
std::int64_t entries_of(std::span<const Index> row_length) {
  return joined_blocks<std::int64_t>(
      std::ssize(row_length), [&](std::int64_t& sum, std::int64_t row) { sum += row_length[row]; },
      [](std::int64_t& sum, std::int64_t part) { sum += part; });
}

/// First CSR entry of each row.
TeamVector<std::int64_t> row_begins(std::span<const Index> row_length) {
  constexpr std::int64_t least = 1 << 14;  // rows a thread
  const FixedChunks chunks(std::ssize(row_length), least);
  std::vector<std::int64_t> first(chunks.number() + 1);
  chunks.for_each([&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    first[chunk + 1] = std::accumulate(row_length.begin() + begin, row_length.begin() + end, std::int64_t{0});
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  TeamVector<std::int64_t> row_begin(row_length.size());
  chunks.for_each([&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    std::exclusive_scan(row_length.begin() + begin, row_length.begin() + end, row_begin.begin() + begin, first[chunk]);
  });
  return row_begin;
}

/// Sorts small numbers of keys; they mostly are in order or nearly.
void sort_keys(std::vector<std::uint64_t>& keys) {
  constexpr std::size_t most_by_insertion = 48;
  if (keys.size() > most_by_insertion) return std::sort(keys.begin(), keys.end());
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const std::uint64_t key = keys[i];
    std::size_t place = i;
    for (; place > 0 && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
    keys[place] = key;
  }
}

/// Puts the entries of rows into their slots.
class Placement {
 public:
  Placement(std::span<const Index> row_length, std::span<const Index> column, EllWarpLayout& layout)
      : row_length_(row_length),
        column_(column),
        layout_(layout),
        row_begin_(row_begins(row_length)),
        new_of_old_(layout.options.renumbering == EllWarpRenumbering::none ? std::vector<Index>()
                                                                           : inverse_permutation(layout.shape.row)) {}

  void place(std::int64_t first_slice, std::int64_t end_slice) const {
    std::vector<std::uint64_t> keys;
    for (std::int64_t slice = first_slice; slice < end_slice; ++slice) place_slice(static_cast<Index>(slice), keys);
  }

 private:
  /// A column in the numbering of x, and behind it the place of the entry in its row.
  std::uint64_t key_of(std::int64_t row_begin, Index entry) const {
    const Index given = column_[row_begin + entry], column = new_of_old_.empty() ? given : new_of_old_[given];
    return static_cast<std::uint64_t>(column) << 32U | static_cast<std::uint64_t>(entry);
  }

  void place_slice(Index slice, std::vector<std::uint64_t>& keys) const {
    const EllWarpShape& shape = layout_.shape;
    const Index lanes = shape.slice_lanes[slice], first = shape.slice_row[slice], end = shape.slice_row[slice + 1];
    const std::int64_t slice_begin = shape.slice_begin[slice];
    const Index slots_a_row = static_cast<Index>((shape.slice_begin[slice + 1] - slice_begin) / warp_lanes) * lanes;
    if (!column_.empty() && (end - first) * lanes < warp_lanes)
      std::fill(layout_.column.begin() + slice_begin, layout_.column.begin() + shape.slice_begin[slice + 1], 0);
    for (Index position = first; position < end; ++position) {
      const auto slot = [&](Index k) { return slice_begin + slot_in_slice(position - first, lanes, k); };
      if (column_.empty())
        place_entries(shape.row[position], slot);
      else
        place_columns(shape.row[position], slots_a_row, slot, keys);
    }
  }

  template <class Slot>
  void place_entries(Index row, const Slot& slot) const {
    for (Index k = 0; k < row_length_[row]; ++k) layout_.slot_of_entry[row_begin_[row] + k] = slot(k);
  }

  /// Padding has the column of the last entry of the row, or 0 where the row has none.
  template <class Slot>
  void place_columns(Index row, Index slots_a_row, const Slot& slot, std::vector<std::uint64_t>& keys) const {
    const Index length = row_length_[row];
    keys.resize(length);
    for (Index k = 0; k < length; ++k) keys[k] = key_of(row_begin_[row], k);
    if (layout_.options.renumbering == EllWarpRenumbering::rows_and_columns_sorted) sort_keys(keys);
    for (Index k = 0; k < length; ++k) {
      const auto entry = static_cast<std::int64_t>(keys[k] & 0xffffffffU);
      layout_.slot_of_entry[row_begin_[row] + entry] = slot(k);
      layout_.column[slot(k)] = static_cast<Index>(keys[k] >> 32U);
    }
    const Index of_padding = length == 0 ? 0 : static_cast<Index>(keys[length - 1] >> 32U);
    for (Index k = length; k < slots_a_row; ++k) layout_.column[slot(k)] = of_padding;
  }

  std::span<const Index> row_length_, column_;
  EllWarpLayout& layout_;
  TeamVector<std::int64_t> row_begin_;  ///< [rows] of the CSR matrix
  std::vector<Index> new_of_old_;       ///< [rows] empty where columns keep their numbers
};

void require_columns(std::span<const Index> column, const EllWarpShape& shape, const EllWarpOptions& options) {
  if (static_cast<std::int64_t>(column.size()) != shape.entries)
    throw std::invalid_argument("ELL-WARP: expected a column for each of " + std::to_string(shape.entries) +
                                " entries, got " + std::to_string(column.size()));
  // Without renumbering a matrix may have more columns than rows.
  const bool square = options.renumbering != EllWarpRenumbering::none;
  const auto is_wrong = [&](Index c) { return c < 0 || (square && c >= shape.rows()); };
  std::atomic<bool> any_wrong = false;
  parallel_ranges(static_cast<std::int64_t>(column.size()), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    if (std::any_of(column.begin() + begin, column.begin() + end, is_wrong)) any_wrong = true;
  });
  if (any_wrong)
    throw std::invalid_argument("ELL-WARP: expected columns " +
                                (square ? "in [0, " + std::to_string(shape.rows()) + ")" : "of at least 0") + ", got " +
                                std::to_string(*std::find_if(column.begin(), column.end(), is_wrong)));
}

}  // namespace

void require_valid(const EllWarpOptions& options) {
  if (options.variant == EllWarpVariant::k2 && options.threshold < 1)
    throw std::invalid_argument("ELL-WARP: expected a K2 threshold of at least 1, got " +
                                std::to_string(options.threshold));
  if (options.window < 0 || options.window % warp_lanes != 0)
    throw std::invalid_argument(
        "ELL-WARP: expected a sorting window of a multiple of 32 rows, or 0 for the whole matrix, got " +
        std::to_string(options.window));
}

std::string ell_warp_name(const EllWarpOptions& options) {
  const char* suffix = options.renumbering == EllWarpRenumbering::none   ? ""
                       : options.renumbering == EllWarpRenumbering::rows ? "r"
                                                                         : "rs";
  return (options.variant == EllWarpVariant::k1 ? "k1" : "k2") + std::string(suffix);
}

void require_valid_block_size(int threads) {
  if (threads < 32 || threads > 1024 || threads % 32 != 0)
    throw std::invalid_argument("ELL-WARP: expected a block size of a multiple of 32 in [32, 1024], got " +
                                std::to_string(threads));
}

EllWarpShape ell_warp_shape(std::span<const Index> row_length, const EllWarpOptions& options) {
  require_valid(options);
  constexpr std::size_t most_rows = std::numeric_limits<Index>::max();
  if (row_length.size() > most_rows)
    throw std::length_error("ELL-WARP: expected at most " + std::to_string(most_rows) + " rows, got " +
                            std::to_string(row_length.size()));
  const std::int64_t negative =
      first_index(std::ssize(row_length), [&](std::int64_t row) { return row_length[row] < 0; });
  if (negative < std::ssize(row_length))
    throw std::invalid_argument("ELL-WARP: expected row lengths of at least 0, got " +
                                std::to_string(row_length[negative]) + " for row " + std::to_string(negative));

  std::vector<Index> order(row_length.size());
  std::iota(order.begin(), order.end(), 0);
  if (options.sorted) {
    const Index rows = static_cast<Index>(order.size()), window = rows_a_window(rows, options);
    const Index windows = rows / window + (rows % window != 0);
    parallel_for(windows, [&](Index w) {
      const Index begin = w * window, end = begin + std::min(window, rows - begin);
      std::stable_sort(order.begin() + begin, order.begin() + end,
                       [&](Index a, Index b) { return row_length[a] > row_length[b]; });
    });
  }
  return ell_warp_shape(row_length, std::move(order), options);
}

EllWarpShape ell_warp_shape(std::span<const Index> row_length, std::vector<Index> order,
                            const EllWarpOptions& options) {
  EllWarpShape shape{.row = std::move(order),
                     .slice_begin = {0},
                     .slice_row = {0},
                     .slice_lanes = {},
                     .entries = entries_of(row_length)};
  const Index rows = shape.rows(), window = rows_a_window(rows, options);
  const FixedChunks chunks(rows / window + (rows % window != 0), 1);  // of windows
  std::vector<SlicesOfWindows> of_chunk(chunks.number());
  chunks.for_each([&](std::int64_t chunk, std::int64_t first, std::int64_t last) {
    for (std::int64_t w = first; w < last; ++w) {
      const Index begin = static_cast<Index>(w) * window;
      append_slices(row_length, shape.row, begin, begin + std::min(window, rows - begin), options, of_chunk[chunk]);
    }
  });
  for (const SlicesOfWindows& some : of_chunk) {
    const std::int64_t before = shape.slice_begin.back();
    for (const std::int64_t end : some.end) shape.slice_begin.push_back(before + end);
    shape.slice_row.insert(shape.slice_row.end(), some.end_row.begin(), some.end_row.end());
    shape.slice_lanes.insert(shape.slice_lanes.end(), some.lanes.begin(), some.lanes.end());
  }
  return shape;
}

EllWarpLayout ell_warp_layout(std::span<const Index> row_length, std::span<const Index> column,
                              const EllWarpOptions& options) {
  EllWarpLayout layout{options, ell_warp_shape(row_length, options), {}, {}};
  const EllWarpShape& shape = layout.shape;
  if (!column.empty()) {
    require_columns(column, shape, options);
    layout.column.resize(shape.stored_entries());
  }
  layout.slot_of_entry.resize(shape.entries);
  const Placement placement(row_length, column, layout);
  parallel_ranges(shape.slices(), 16, [&](std::int64_t begin, std::int64_t end) { placement.place(begin, end); });
  return layout;
}

std::vector<Index> row_lengths(std::span<const Index> row_begin) {
  std::vector<Index> length;
  resize_by_team(length, row_begin.size() - 1);
  parallel_ranges(std::ssize(length), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) length[row] = row_begin[row + 1] - row_begin[row];
  });
  return length;
}

std::vector<Index> inverse_permutation(std::span<const Index> permutation) {
  std::vector<Index> inverse;
  resize_by_team(inverse, permutation.size());
  parallel_ranges(std::ssize(permutation), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) inverse[permutation[i]] = static_cast<Index>(i);
  });
  return inverse;
}

}  // namespace cardiowarp
