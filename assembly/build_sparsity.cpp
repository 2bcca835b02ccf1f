#include "assembly/build_sparsity.hpp"

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
/// neighboring numbers, as the columns of a row are, leave without collisions. A new row empties it by its number.
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

void require_countable_incidences(std::int64_t tetrahedra, int of_each) {
  checked_index(of_each * tetrahedra, "element contributions");
}

namespace {

// By counting. The threads put the elements of a node in any order, after which they are sorted.
template <std::size_t N>
Incidence incidence_of_cells(const std::vector<std::array<Index, N>>& tetrahedra, Index nodes) {
  require_countable_incidences(static_cast<std::int64_t>(tetrahedra.size()), N);
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
  resize_by_team(incidence.element, N * tetrahedra.size());
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

}  // namespace

Incidence incidence_of(const std::vector<Tetrahedron>& tetrahedra, Index nodes) {
  return incidence_of_cells(tetrahedra, nodes);
}

std::vector<Index> row_begins_of(const std::vector<Index>& row_length, const std::vector<Index>& node_name) {
  std::vector<Index> row_begin(row_length.size() + 1);
  std::int64_t entries = 0;
  for (std::size_t row = 0; row < row_length.size(); ++row) {
    if (row_length[row] > std::numeric_limits<std::uint16_t>::max())
      throw InputError(fmt::format("row of node {} has {} entries, at most {} are possible",
                                   node_name.empty() ? static_cast<Index>(row) : node_name[row], row_length[row],
                                   std::numeric_limits<std::uint16_t>::max()));
    entries += row_length[row];
    row_begin[row + 1] = checked_index(entries, "matrix entries");
  }
  return row_begin;
}

namespace {

template <std::size_t N>
Sparsity unsorted_sparsity_of_cells(const std::vector<std::array<Index, N>>& tetrahedra, Index nodes,
                                    const std::vector<Index>& node_name) {
  constexpr bool linear = N == 4;
  Sparsity sparsity;
  sparsity.incidence = incidence_of_cells(tetrahedra, nodes);
  const Incidence& incidence = sparsity.incidence;
  sparsity.diagonal.resize(nodes);
  if (linear) resize_by_team(sparsity.incident_slots, incidence.element.size());

  // The columns of each chunk's rows, until it is known where they begin.
  const FixedChunks chunks(nodes, least_rows);
  std::vector<std::vector<Index>> column_of_chunk(chunks.number());
  std::vector<Index> row_length(nodes);
  chunks.for_each([&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    RowColumns columns;
    std::vector<Index>& all_columns = column_of_chunk[chunk];
    all_columns.reserve((linear ? 15 : 28) * (end - begin));
    for (Index row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      const Index first = incidence.begin[row], last = incidence.begin[row + 1];
      columns.begin((N - 1) * static_cast<std::size_t>(last - first) + 1);
      for (Index k = first; k < last; ++k) {
        const std::array<Index, N>& of_element = tetrahedra[incidence.element[k]];
        for (std::size_t i = 0; i < N; ++i) {
          const Index number = columns.number(of_element[i]);
          if constexpr (linear) sparsity.incident_slots[k][i] = static_cast<std::uint16_t>(number);
        }
      }
      sparsity.diagonal[row] = columns.number(row);  // also of a node of no element, which is prescribed
      row_length[row] = static_cast<Index>(columns.columns().size());
      all_columns.insert(all_columns.end(), columns.columns().begin(), columns.columns().end());
    }
  });

  sparsity.row_begin = row_begins_of(row_length, node_name);
  resize_by_team(sparsity.column, sparsity.row_begin.back());
  chunks.for_each([&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    std::copy(column_of_chunk[chunk].begin(), column_of_chunk[chunk].end(),
              sparsity.column.begin() + sparsity.row_begin[begin]);
    for (std::int64_t row = begin; row < end; ++row) sparsity.diagonal[row] += sparsity.row_begin[row];
  });
  return sparsity;
}

}  // namespace

Sparsity unsorted_sparsity(const std::vector<Tetrahedron>& tetrahedra, Index nodes,
                           const std::vector<Index>& node_name) {
  return unsorted_sparsity_of_cells(tetrahedra, nodes, node_name);
}

Sparsity unsorted_quadratic_sparsity(const std::vector<QuadraticNodes>& elements, Index nodes,
                                     const std::vector<Index>& node_name) {
  return unsorted_sparsity_of_cells(elements, nodes, node_name);
}

Sparsity sorted_sparsity(const Sparsity& unsorted, const std::vector<Index>& old_node,
                         const std::vector<Index>& column_key) {
  const Index nodes = unsorted.rows();
  const auto old_of = [&](Index node) { return old_node.empty() ? node : old_node[node]; };
  std::vector<Index> new_node(old_node.size());
  parallel_for(old_node.size(), [&](std::size_t node) { new_node[old_node[node]] = static_cast<Index>(node); });
  const auto key = [&](Index node) { return column_key.empty() ? node : column_key[node]; };

  Sparsity sorted;
  std::vector<Index> row_length(nodes);
  sorted.incidence.begin.resize(nodes + 1);
  for (Index row = 0; row < nodes; ++row) {
    const Index old = old_of(row);
    row_length[row] = unsorted.row_begin[old + 1] - unsorted.row_begin[old];
    sorted.incidence.begin[row + 1] =
        sorted.incidence.begin[row] + (unsorted.incidence.begin[old + 1] - unsorted.incidence.begin[old]);
  }
  sorted.row_begin = row_begins_of(row_length);
  sorted.diagonal.resize(nodes);
  resize_by_team(sorted.column, unsorted.column.size());
  resize_by_team(sorted.incidence.element, unsorted.incidence.element.size());
  resize_by_team(sorted.incident_slots, unsorted.incident_slots.size());
  parallel_ranges(nodes, least_rows, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Index> columns;
    std::vector<std::uint64_t> order;
    std::vector<std::uint16_t> slot;  // where each of the old entries goes
    for (Index row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      const Index old = old_of(row), first = unsorted.row_begin[old];
      columns.assign(unsorted.column.begin() + first, unsorted.column.begin() + unsorted.row_begin[old + 1]);
      if (!new_node.empty())
        for (Index& column : columns) column = new_node[column];
      sort_numbers(columns, key, order);
      slot.resize(order.size());
      for (std::size_t place = 0; place < order.size(); ++place) {
        const auto number = static_cast<std::uint32_t>(order[place]);
        slot[number] = static_cast<std::uint16_t>(place);
        sorted.column[sorted.row_begin[row] + static_cast<Index>(place)] = columns[number];
      }
      sorted.diagonal[row] = sorted.row_begin[row] + (slot.empty() ? 0 : slot[unsorted.diagonal[old] - first]);
      Index to = sorted.incidence.begin[row];
      for (Index k = unsorted.incidence.begin[old]; k < unsorted.incidence.begin[old + 1]; ++k, ++to) {
        sorted.incidence.element[to] = unsorted.incidence.element[k];
        if (unsorted.incident_slots.empty()) continue;
        for (int i = 0; i < 4; ++i) sorted.incident_slots[to][i] = slot[unsorted.incident_slots[k][i]];
      }
    }
  });
  return sorted;
}

Sparsity build_sparsity(const std::vector<Tetrahedron>& tetrahedra, Index nodes, const std::vector<Index>& column_key) {
  return sorted_sparsity(unsorted_sparsity(tetrahedra, nodes), {}, column_key);
}

Sparsity build_quadratic_sparsity(const std::vector<QuadraticNodes>& elements, Index nodes,
                                  const std::vector<Index>& column_key) {
  return sorted_sparsity(unsorted_quadratic_sparsity(elements, nodes), {}, column_key);
}

Sparsity build_cubic_sparsity(const std::vector<std::array<Index, 20>>& elements, Index nodes) {
  return sorted_sparsity(unsorted_sparsity_of_cells(elements, nodes, {}), {});
}

}  // namespace cardiowarp
