#include "kernels/rivals/block_ell.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>

#include "kernels/backend/thread_team.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/warp_lanes.hpp"

namespace cardiowarp {
namespace {

constexpr std::int64_t least_block_rows = 16;  // a thread

void require_valid(const CsrPattern& pattern, Index unknowns) {
  if (unknowns < 1 || unknowns > most_unknowns)
    throw std::invalid_argument("blocks: expected 1 to " + std::to_string(most_unknowns) + " unknowns a node, got " +
                                std::to_string(unknowns));
  if (pattern.rows() % unknowns != 0)
    throw std::invalid_argument("blocks: expected a multiple of " + std::to_string(unknowns) + " rows, got " +
                                std::to_string(pattern.rows()));
}

/// The block columns of a block row, ascending.
void find_block_columns(const CsrPattern& pattern, Index unknowns, Index block_row, std::vector<Index>& columns) {
  columns.clear();
  const Index row = block_row * unknowns, row_after = row + unknowns;
  const Index begin = pattern.row_begin[row], end = pattern.row_begin[row_after];
  for (Index e = begin; e < end; ++e) {
    const Index block_column = pattern.column[e] / unknowns;
    if (columns.empty() || columns.back() != block_column) columns.push_back(block_column);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

/// [block rows] The blocks of each block row.
std::vector<Index> block_row_lengths(const CsrPattern& pattern, Index unknowns) {
  std::vector<Index> length(pattern.rows() / unknowns);
  parallel_ranges(static_cast<std::int64_t>(length.size()), least_block_rows,
                  [&](std::int64_t begin, std::int64_t end) {
                    std::vector<Index> columns;
                    for (std::int64_t block_row = begin; block_row < end; ++block_row) {
                      find_block_columns(pattern, unknowns, static_cast<Index>(block_row), columns);
                      length[block_row] = static_cast<Index>(columns.size());
                    }
                  });
  return length;
}

/// The window of ELL-WARP, a multiple of a warp's rows, that has whole slices and at least `window` block rows.
Index whole_slices(Index window, Index slice_rows, Index block_rows) {
  const std::int64_t step = std::lcm(std::int64_t{slice_rows}, std::int64_t{warp_lanes});
  const std::int64_t rounded = (window + step - 1) / step * step;
  return rounded < block_rows ? static_cast<Index>(rounded) : 0;
}

}  // namespace

std::int64_t BlockEllLayout::product_bytes() const {
  const std::int64_t b = options.unknowns, rows = b * block_rows;
  return (8 * b * b + 4) * block_slots() + 16 * rows + 12 * slices() + 4 * static_cast<std::int64_t>(row.size());
}

Index longest_block_row(const CsrPattern& pattern, Index unknowns) {
  require_valid(pattern, unknowns);
  const std::vector<Index> length = block_row_lengths(pattern, unknowns);
  return length.empty() ? 0 : *std::max_element(length.begin(), length.end());
}

BlockEllOptions bell_options(const CsrPattern& pattern, Index unknowns) {
  require_valid(pattern, unknowns);
  return {.unknowns = unknowns, .slice_rows = std::max(1, pattern.rows() / unknowns), .sorted = false};
}

BlockEllOptions bcsr_options(Index unknowns) { return {.unknowns = unknowns, .slice_rows = 1, .sorted = false}; }

BlockEllLayout block_ell_layout(const CsrPattern& pattern, const BlockEllOptions& options) {
  const Index b = options.unknowns, S = options.slice_rows;
  require_valid(pattern, b);
  if (S < 1) throw std::invalid_argument("blocks: expected slices of 1 block row or more, got " + std::to_string(S));
  if (options.window < 0)
    throw std::invalid_argument("blocks: expected a window of 0 block rows or more, got " +
                                std::to_string(options.window));

  const std::vector<Index> length = block_row_lengths(pattern, b);
  const Index block_rows = static_cast<Index>(length.size());
  BlockEllLayout layout;
  layout.options = options;
  layout.block_rows = block_rows;
  layout.blocks = std::accumulate(length.begin(), length.end(), std::int64_t{0});
  if (options.sorted) layout.row = ell_warp_shape(length, {.window = whole_slices(options.window, S, block_rows)}).row;
  const auto row_at = [&](Index position) { return options.sorted ? layout.row[position] : position; };

  layout.slice_begin.push_back(0);
  for (std::int64_t first = 0; first < block_rows; first += S) {
    Index width = 0;
    for (std::int64_t position = first; position < std::min<std::int64_t>(first + S, block_rows); ++position)
      width = std::max(width, length[row_at(static_cast<Index>(position))]);
    layout.slice_width.push_back(width);
    layout.slice_begin.push_back(layout.slice_begin.back() + std::int64_t{width} * S);
  }
  resize_by_team(layout.column, layout.block_slots());
  layout.slot_of_entry.resize(pattern.entries());

  const auto lay_out = [&](Index position, std::vector<Index>& columns) {
    const Index block_row = row_at(position), slice = position / S, place = position % S;
    const std::int64_t begin = layout.slice_begin[slice];
    find_block_columns(pattern, b, block_row, columns);
    for (Index j = 0; !columns.empty() && j < layout.slice_width[slice]; ++j)
      layout.column[begin + std::int64_t{S} * j + place] = columns[std::min<std::size_t>(j, columns.size() - 1)];
    for (Index r = 0; r < b; ++r) {
      const Index row = block_row * b + r;
      for (Index e = pattern.row_begin[row]; e < pattern.row_begin[row + 1]; ++e) {
        const Index column = pattern.column[e];
        const auto j = std::lower_bound(columns.begin(), columns.end(), column / b) - columns.begin();
        layout.slot_of_entry[e] =
            (begin + std::int64_t{S} * j) * b * b + std::int64_t{S} * (b * r + column % b) + place;
      }
    }
  };
  parallel_ranges(block_rows, least_block_rows, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Index> columns;
    for (std::int64_t position = begin; position < end; ++position) lay_out(static_cast<Index>(position), columns);
  });
  return layout;
}

}  // namespace cardiowarp
