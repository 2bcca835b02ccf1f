#include "solver/preconditioners/colored_halves.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// Rows of a color that are sorted among themselves.
constexpr Index window = 1024;

Index to_multiple_of_lanes(Index n) {
  return (n + ColoredHalves::lanes - 1) / ColoredHalves::lanes * ColoredHalves::lanes;
}

/// The entries of each row in L and in U.
struct Lengths {
  std::vector<Index> lower, upper;  ///< [rows]
};

Lengths lengths_of(const CsrPattern& pattern, std::span<const Index> color) {
  const auto rows = static_cast<std::size_t>(pattern.rows());
  Lengths lengths{std::vector<Index>(rows), std::vector<Index>(rows)};
  parallel_ranges(pattern.rows(), 1024, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = begin; row < end; ++row)
      for (Index e = pattern.row_begin[row]; e < pattern.row_begin[row + 1]; ++e) {
        const Index column = pattern.column[e];
        if (column != row) ++(color[column] < color[row] ? lengths.lower : lengths.upper)[row];
      }
  });
  return lengths;
}

/// The rows of each color one after the other, sorted in windows.
void place_rows(ColoredHalves& halves, std::span<const Index> color, const Lengths& lengths) {
  const Index colors = color.empty() ? 0 : *std::max_element(color.begin(), color.end()) + 1;
  std::vector<Index> rows_of(colors);
  for (const Index c : color) ++rows_of[c];
  halves.begin.assign(1, 0);
  for (const Index number : rows_of) halves.begin.push_back(halves.begin.back() + to_multiple_of_lanes(number));
  halves.row.assign(halves.positions(), ColoredHalves::no_row);
  std::vector<Index> next = halves.begin;
  for (Index row = 0; row < static_cast<Index>(color.size()); ++row) halves.row[next[color[row]]++] = row;
  for (Index c = 0; c < colors; ++c)
    for (Index begin = halves.begin[c]; begin < next[c]; begin += window)
      std::stable_sort(halves.row.begin() + begin, halves.row.begin() + std::min(begin + window, next[c]),
                       [&](Index a, Index b) {
                         return lengths.lower[a] != lengths.lower[b] ? lengths.lower[a] > lengths.lower[b]
                                                                     : lengths.upper[a] > lengths.upper[b];
                       });
}

/// The slices of a half with its padding, without its entries.
ColoredHalf empty_half(const ColoredHalves& halves, const std::vector<Index>& length) {
  constexpr Index lanes = ColoredHalves::lanes;
  ColoredHalf half;
  std::int64_t stored = 0;
  half.first.assign(1, 0);
  for (Index position = 0; position < halves.positions(); position += lanes) {
    Index longest = 0;
    for (Index lane = 0; lane < lanes; ++lane)
      if (const Index row = halves.row[position + lane]; row >= 0) longest = std::max(longest, length[row]);
    stored += std::int64_t{lanes} * longest;
    assert(stored <= std::numeric_limits<Index>::max());
    half.first.push_back(static_cast<Index>(stored));
  }
  half.column.resize(stored);
  half.slot.assign(stored, ColoredHalf::no_slot);
  parallel_ranges(static_cast<std::int64_t>(half.first.size()) - 1, 32, [&](std::int64_t begin, std::int64_t end) {
    for (auto slice = begin; slice < end; ++slice)
      for (Index k = half.first[slice]; k < half.first[slice + 1]; ++k)
        half.column[k] = static_cast<Index>(slice) * lanes + k % lanes;
  });
  return half;
}

}  // namespace

std::vector<Index> greedy_colors(const CsrPattern& pattern) {
  const Index rows = pattern.rows();
  std::vector<Index> color(rows, -1);
  std::vector<Index> taken_by;  // [colors] the last row that had a neighbor of the color
  for (Index row = 0; row < rows; ++row) {
    for (Index e = pattern.row_begin[row]; e < pattern.row_begin[row + 1]; ++e)
      if (const Index of_neighbor = color[pattern.column[e]]; of_neighbor >= 0) taken_by[of_neighbor] = row;
    const auto free = std::find_if(taken_by.begin(), taken_by.end(), [&](Index taken) { return taken != row; });
    color[row] = static_cast<Index>(free - taken_by.begin());
    if (free == taken_by.end()) taken_by.push_back(-1);
  }
  return color;
}

Index ColoredHalves::rows_of(Index color) const {
  return static_cast<Index>(
      std::count_if(row.begin() + begin[color], row.begin() + begin[color + 1], [](Index of) { return of >= 0; }));
}

ColoredHalves colored_halves(const CsrPattern& pattern, std::span<const std::int64_t> slot_of_entry,
                             std::span<const Index> color) {
  constexpr Index lanes = ColoredHalves::lanes;
  const Lengths lengths = lengths_of(pattern, color);
  ColoredHalves halves;
  place_rows(halves, color, lengths);
  halves.lower = empty_half(halves, lengths.lower);
  halves.upper = empty_half(halves, lengths.upper);
  halves.diagonal_slot.assign(halves.positions(), ColoredHalf::no_slot);

  std::vector<Index> position_of(color.size());
  for (Index position = 0; position < halves.positions(); ++position)
    if (halves.row[position] >= 0) position_of[halves.row[position]] = position;

  /// The entry of the row whose column is `column`.
  const auto entry_of = [&](Index row, Index column) {
    Index e = pattern.row_begin[row];
    while (pattern.column[e] != column) ++e;
    return e;
  };
  parallel_ranges(halves.positions(), 256, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::pair<Index, Index>> in_row;  // position of the column, entry
    for (auto position = first; position < last; ++position) {
      const Index row = halves.row[position];
      if (row < 0) continue;
      in_row.clear();
      for (Index e = pattern.row_begin[row]; e < pattern.row_begin[row + 1]; ++e)
        in_row.emplace_back(position_of[pattern.column[e]], e);
      std::sort(in_row.begin(), in_row.end());  // with the columns rise the colors
      const auto slice = position / lanes, lane = position % lanes;
      auto next_lower = halves.lower.first[slice] + lane, next_upper = halves.upper.first[slice] + lane;
      for (const auto& [column, entry] : in_row) {
        if (column == position) {
          halves.diagonal_slot[position] = static_cast<Index>(slot_of_entry[entry]);
          continue;
        }
        const bool is_lower = column < position;
        ColoredHalf& half = is_lower ? halves.lower : halves.upper;
        auto& next = is_lower ? next_lower : next_upper;
        half.column[next] = column;
        half.slot[next] = static_cast<Index>(slot_of_entry[is_lower ? entry : entry_of(halves.row[column], row)]);
        next += lanes;
      }
    }
  });
  return halves;
}

SsorPlan ssor_plan(SsorKind kind, const CsrPattern& pattern, std::span<const std::int64_t> slot_of_entry) {
  const std::vector<Index> color = greedy_colors(pattern);
  const Index colors = color.empty() ? 0 : *std::max_element(color.begin(), color.end()) + 1;
  if (colors > ColoredHalves::most_colors)
    throw std::invalid_argument("ssor needs rows that take at most " + std::to_string(ColoredHalves::most_colors) +
                                " colors, each another than those of its neighbors; here they take " +
                                std::to_string(colors) + " (jacobi needs none)");
  return {kind, colored_halves(pattern, slot_of_entry, color)};
}

}  // namespace cardiowarp
