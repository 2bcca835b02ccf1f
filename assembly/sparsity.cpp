#include "assembly/sparsity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

Index checked_index(std::int64_t count, const char* what) {
  if (count > std::numeric_limits<Index>::max())
    throw InputError(
        fmt::format("mesh too large: {} {}, at most {} fit", count, what, std::numeric_limits<Index>::max()));
  return static_cast<Index>(count);
}

/// The different columns of one row after the other, numbered as they are met: a table with open addressing, which
/// neighbouring numbers, as the columns of a row are, leave without collisions. A new row empties it by its number.
class RowColumns {
 public:
  /// A row that will meet at most `most` columns.
  void begin(std::size_t most) {
    const std::size_t size = std::bit_ceil(2 * most);
    if (table_.size() < size) table_.resize(size);
    mask_ = static_cast<std::uint32_t>(size - 1);
    ++row_;
    columns_.clear();
  }

  /// The number of a column.
  Index number(Index column) {
    for (std::uint32_t at = static_cast<std::uint32_t>(column) & mask_;; at = (at + 1) & mask_) {
      Place& place = table_[at];
      if (place.row != row_) {
        place = {row_, column, static_cast<Index>(columns_.size())};
        columns_.push_back(column);
        return place.number;
      }
      if (place.column == column) return place.number;
    }
  }

  const std::vector<Index>& columns() const { return columns_; }

 private:
  struct Place {
    std::uint32_t row = 0;
    Index column = 0, number = 0;
  };
  std::vector<Place> table_;
  std::uint32_t mask_ = 0, row_ = 0;
  std::vector<Index> columns_;
};

/// The numbers of the columns of a row by ascending key. Numbers whose keys are equal keep their order.
template <class Key>
void sort_numbers(const std::vector<Index>& columns, const Key& key, std::vector<std::uint64_t>& sorted) {
  sorted.clear();
  for (std::size_t number = 0; number < columns.size(); ++number)
    sorted.push_back(static_cast<std::uint64_t>(key(columns[number])) << 32 | number);
  std::sort(sorted.begin(), sorted.end());
}

constexpr std::int64_t least_rows = 64;  // a thread

}  // namespace

void require_countable_incidences(std::int64_t tetrahedra) { checked_index(4 * tetrahedra, "element contributions"); }

// By counting. The threads put the elements of a node in any order, after which they are sorted.
Incidence incidence_of(const std::vector<Tetrahedron>& tetrahedra, Index nodes) {
  require_countable_incidences(static_cast<std::int64_t>(tetrahedra.size()));
  constexpr std::int64_t least_elements = 4096;  // a thread
  const auto elements = static_cast<std::int64_t>(tetrahedra.size());
  std::vector<Index> next(nodes + 1, 0);  // how many each node has, then where its next one goes
  const auto add_one = [&](Index at) { return std::atomic_ref(next[at]).fetch_add(1, std::memory_order_relaxed); };
  parallel_ranges(elements, least_elements, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t element = begin; element < end; ++element)
      for (const Index node : tetrahedra[element]) add_one(node);
  });
  std::exclusive_scan(next.begin(), next.end(), next.begin(), Index{0});
  Incidence incidence{next, {}};
  resize_by_team(incidence.element, 4 * tetrahedra.size());
  parallel_ranges(elements, least_elements, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t element = begin; element < end; ++element)
      for (const Index node : tetrahedra[element]) incidence.element[add_one(node)] = static_cast<Index>(element);
  });
  parallel_for(nodes, [&](Index node) {
    const auto first = incidence.element.begin() + incidence.begin[node],
               last = incidence.element.begin() + incidence.begin[node + 1];
    if (!std::is_sorted(first, last)) std::sort(first, last);
  });
  return incidence;
}

std::vector<Index> pattern_row_lengths(const std::vector<Tetrahedron>& tetrahedra, Index nodes) {
  const Incidence incidence = incidence_of(tetrahedra, nodes);
  std::vector<Index> row_length(nodes);
  parallel_ranges(nodes, least_rows, [&](std::int64_t begin, std::int64_t end) {
    RowColumns columns;
    for (Index row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      const Index first = incidence.begin[row], last = incidence.begin[row + 1];
      columns.begin(3 * static_cast<std::size_t>(last - first) + 1);
      for (Index k = first; k < last; ++k)
        for (const Index node : tetrahedra[incidence.element[k]]) columns.number(node);
      row_length[row] = static_cast<Index>(columns.columns().size());
    }
  });
  return row_length;
}

std::vector<Index> row_begins_of(const std::vector<Index>& row_length) {
  std::vector<Index> row_begin(row_length.size() + 1);
  std::int64_t entries = 0;
  for (std::size_t row = 0; row < row_length.size(); ++row) {
    if (row_length[row] > std::numeric_limits<std::uint16_t>::max())
      throw InputError(fmt::format("row of node {} has {} entries, at most {} are possible", row, row_length[row],
                                   std::numeric_limits<std::uint16_t>::max()));
    entries += row_length[row];
    row_begin[row + 1] = checked_index(entries, "matrix entries");
  }
  return row_begin;
}

Sparsity build_sparsity(const std::vector<Tetrahedron>& tetrahedra, Index nodes, const std::vector<Index>& column_key) {
  const auto key = [&](Index node) { return column_key.empty() ? node : column_key[node]; };
  Sparsity sparsity;
  sparsity.incidence = incidence_of(tetrahedra, nodes);
  const Incidence& incidence = sparsity.incidence;
  sparsity.diagonal.resize(nodes);
  resize_by_team(sparsity.incident_slots, incidence.element.size());

  // The columns of each chunk's rows, until it is known where they begin.
  const FixedChunks chunks(nodes, least_rows);
  std::vector<std::vector<Index>> column_of_chunk(chunks.number());
  std::vector<Index> row_length(nodes);
  chunks.for_each([&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    RowColumns columns;
    std::vector<std::uint64_t> sorted;
    std::vector<std::uint16_t> slot;  // of each number
    for (Index row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      const Index first = incidence.begin[row], last = incidence.begin[row + 1];
      columns.begin(3 * static_cast<std::size_t>(last - first) + 1);
      for (Index k = first; k < last; ++k)
        for (int i = 0; i < 4; ++i) columns.number(tetrahedra[incidence.element[k]][i]);
      sort_numbers(columns.columns(), key, sorted);
      slot.resize(sorted.size());
      for (std::size_t place = 0; place < sorted.size(); ++place) {
        const auto number = static_cast<std::uint32_t>(sorted[place]);
        slot[number] = static_cast<std::uint16_t>(place);
        column_of_chunk[chunk].push_back(columns.columns()[number]);
      }
      for (Index k = first; k < last; ++k)
        for (int i = 0; i < 4; ++i)
          sparsity.incident_slots[k][i] = slot[columns.number(tetrahedra[incidence.element[k]][i])];
      row_length[row] = static_cast<Index>(sorted.size());
      sparsity.diagonal[row] = sorted.empty() ? 0 : slot[columns.number(row)];
    }
  });

  sparsity.row_begin = row_begins_of(row_length);
  resize_by_team(sparsity.column, sparsity.row_begin.back());
  chunks.for_each([&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    std::copy(column_of_chunk[chunk].begin(), column_of_chunk[chunk].end(),
              sparsity.column.begin() + sparsity.row_begin[begin]);
    for (std::int64_t row = begin; row < end; ++row) sparsity.diagonal[row] += sparsity.row_begin[row];
  });
  return sparsity;
}

}  // namespace cardiowarp
