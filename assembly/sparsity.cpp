#include "assembly/sparsity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

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

/// Elements of each node, ascending, by counting.
void build_incidence(const std::vector<Tetrahedron>& tetrahedra, Index nodes, Sparsity& sparsity) {
  require_countable_incidences(static_cast<std::int64_t>(tetrahedra.size()));
  sparsity.incidence_begin.assign(nodes + 1, 0);
  for (const Tetrahedron& tetrahedron : tetrahedra)
    for (const Index node : tetrahedron) ++sparsity.incidence_begin[node + 1];
  for (Index node = 0; node < nodes; ++node) sparsity.incidence_begin[node + 1] += sparsity.incidence_begin[node];
  sparsity.incident_element.resize(4 * tetrahedra.size());
  std::vector<Index> next(sparsity.incidence_begin.begin(), sparsity.incidence_begin.end() - 1);
  for (std::size_t element = 0; element < tetrahedra.size(); ++element)
    for (const Index node : tetrahedra[element]) sparsity.incident_element[next[node]++] = static_cast<Index>(element);
}

/// Columns of one row by ascending key, into `columns`.
template <class Key>
void collect_row(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity, Index row, const Key& key,
                 std::vector<Index>& columns) {
  columns.clear();
  for (Index k = sparsity.incidence_begin[row]; k < sparsity.incidence_begin[row + 1]; ++k) {
    const Tetrahedron& nodes = tetrahedra[sparsity.incident_element[k]];
    columns.insert(columns.end(), nodes.begin(), nodes.end());
  }
  std::sort(columns.begin(), columns.end(), [&](Index a, Index b) { return key(a) < key(b); });
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

}  // namespace

void require_countable_incidences(std::int64_t tetrahedra) { checked_index(4 * tetrahedra, "element contributions"); }

Sparsity build_sparsity(const std::vector<Tetrahedron>& tetrahedra, Index nodes, const std::vector<Index>& column_key) {
  const auto key = [&](Index node) { return column_key.empty() ? node : column_key[node]; };
  Sparsity sparsity;
  build_incidence(tetrahedra, nodes, sparsity);

  constexpr std::int64_t least_rows = 16;  // a thread
  // Rows are collected twice, to count and to fill: cheaper in memory than holding them in between.
  std::vector<Index> row_length(nodes);
  parallel_ranges(nodes, least_rows, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Index> columns;
    for (Index row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      collect_row(tetrahedra, sparsity, row, key, columns);
      row_length[row] = static_cast<Index>(columns.size());
    }
  });

  sparsity.row_begin.resize(nodes + 1);
  std::int64_t entries = 0;
  for (Index row = 0; row < nodes; ++row) {
    if (row_length[row] > std::numeric_limits<std::uint16_t>::max())
      throw InputError(fmt::format("row of node {} has {} entries, at most {} are possible", row, row_length[row],
                                   std::numeric_limits<std::uint16_t>::max()));
    entries += row_length[row];
    sparsity.row_begin[row + 1] = checked_index(entries, "matrix entries");
  }

  sparsity.column.resize(entries);
  sparsity.diagonal.resize(nodes);
  sparsity.incident_slots.resize(sparsity.incident_element.size());
  parallel_ranges(nodes, least_rows, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Index> columns;
    for (Index row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      collect_row(tetrahedra, sparsity, row, key, columns);
      std::copy(columns.begin(), columns.end(), sparsity.column.begin() + sparsity.row_begin[row]);
      const auto slot_of = [&](Index node) {
        return static_cast<Index>(
            std::lower_bound(columns.begin(), columns.end(), node, [&](Index a, Index b) { return key(a) < key(b); }) -
            columns.begin());
      };
      sparsity.diagonal[row] = sparsity.row_begin[row] + slot_of(row);
      for (Index k = sparsity.incidence_begin[row]; k < sparsity.incidence_begin[row + 1]; ++k)
        for (int i = 0; i < 4; ++i)
          sparsity.incident_slots[k][i] =
              static_cast<std::uint16_t>(slot_of(tetrahedra[sparsity.incident_element[k]][i]));
    }
  });
  return sparsity;
}

}  // namespace cardiowarp
