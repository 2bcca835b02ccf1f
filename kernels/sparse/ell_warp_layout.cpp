#include "kernels/sparse/ell_warp_layout.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/backend/thread_team.hpp"

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

/// Appends the slices of the positions [begin, end).
void append_slices(std::span<const Index> row_length, Index begin, Index end, const EllWarpOptions& options,
                   EllWarpShape& shape) {
  const auto longest_of = [&](Index rows) {
    Index longest = 0;
    for (Index position = begin; position < begin + rows; ++position)
      longest = std::max(longest, row_length[shape.row[position]]);
    return longest;
  };
  while (begin < end) {
    const Index lanes = lanes_of_row(longest_of(std::min(warp_lanes, end - begin)), options);
    const Index rows = std::min(warp_lanes / lanes, end - begin), longest = longest_of(rows);
    begin += rows;
    shape.slice_lanes.push_back(lanes);
    shape.slice_row.push_back(begin);
    shape.slice_begin.push_back(shape.slice_begin.back() + std::int64_t{warp_lanes} * entries_a_lane(longest, lanes));
  }
}

/// First CSR entry of each row.
std::vector<std::int64_t> row_begins(std::span<const Index> row_length) {
  std::vector<std::int64_t> begin(row_length.size());
  std::exclusive_scan(row_length.begin(), row_length.end(), begin.begin(), std::int64_t{0});
  return begin;
}

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
  const auto negative = std::find_if(row_length.begin(), row_length.end(), [](Index length) { return length < 0; });
  if (negative != row_length.end())
    throw std::invalid_argument("ELL-WARP: expected row lengths of at least 0, got " + std::to_string(*negative) +
                                " for row " + std::to_string(negative - row_length.begin()));

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
                     .entries = std::accumulate(row_length.begin(), row_length.end(), std::int64_t{0})};
  const Index rows = shape.rows(), window = rows_a_window(rows, options);
  for (Index begin = 0; begin < rows; begin += std::min(window, rows - begin))
    append_slices(row_length, begin, begin + std::min(window, rows - begin), options, shape);
  return shape;
}

EllWarpLayout ell_warp_layout(std::span<const Index> row_length, std::span<const Index> column,
                              const EllWarpOptions& options) {
  EllWarpLayout layout{options, ell_warp_shape(row_length, options), {}, {}};
  const EllWarpShape& shape = layout.shape;
  const bool with_columns = !column.empty();
  const bool renumbered = options.renumbering != EllWarpRenumbering::none;
  if (with_columns) {
    require_columns(column, shape, options);
    resize_by_team(layout.column, shape.stored_entries());
  }
  resize_by_team(layout.slot_of_entry, shape.entries);

  const std::vector<std::int64_t> row_begin = row_begins(row_length);
  const std::vector<Index> new_of_old = renumbered ? inverse_permutation(shape.row) : std::vector<Index>();
  const auto new_column = [&](std::int64_t entry) { return renumbered ? new_of_old[column[entry]] : column[entry]; };
  const auto sort_by_column = [&](std::vector<std::int64_t>& entries) {
    const auto before = [&](std::int64_t a, std::int64_t b) { return new_column(a) < new_column(b); };
    if (!std::is_sorted(entries.begin(), entries.end(), before)) std::sort(entries.begin(), entries.end(), before);
  };

  const auto lay_out = [&](Index slice, std::vector<std::int64_t>& entry_of_row) {
    const Index lanes = shape.slice_lanes[slice];
    const std::int64_t slice_begin = shape.slice_begin[slice];
    const Index slots_a_row = static_cast<Index>((shape.slice_begin[slice + 1] - slice_begin) / warp_lanes) * lanes;
    for (Index position = shape.slice_row[slice]; position < shape.slice_row[slice + 1]; ++position) {
      const Index row = shape.row[position], length = row_length[row];
      if (length == 0) continue;
      entry_of_row.resize(length);
      std::iota(entry_of_row.begin(), entry_of_row.end(), row_begin[row]);
      if (with_columns && options.renumbering == EllWarpRenumbering::rows_and_columns_sorted)
        sort_by_column(entry_of_row);
      for (Index k = 0; k < slots_a_row; ++k) {
        const std::int64_t entry = entry_of_row[std::min(k, length - 1)];
        const std::int64_t slot = slice_begin + slot_in_slice(position - shape.slice_row[slice], lanes, k);
        if (k < length) layout.slot_of_entry[entry] = slot;
        if (with_columns) layout.column[slot] = new_column(entry);
      }
    }
  };
  parallel_ranges(shape.slices(), 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> entry_of_row;  // in the order in which they are stored
    for (std::int64_t slice = begin; slice < end; ++slice) lay_out(static_cast<Index>(slice), entry_of_row);
  });
  return layout;
}

std::vector<Index> row_lengths(std::span<const Index> row_begin) {
  std::vector<Index> length(row_begin.size() - 1);
  for (std::size_t row = 0; row < length.size(); ++row) length[row] = row_begin[row + 1] - row_begin[row];
  return length;
}

std::vector<Index> inverse_permutation(std::span<const Index> permutation) {
  std::vector<Index> inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = static_cast<Index>(i);
  return inverse;
}

}  // namespace cardiowarp
