#include "kernels/libraries/metis_parts.hpp"

#include <metis.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/backend/device_error.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// A graph as METIS takes it: the neighbors of vertex i are neighbor[first[i]] up to, but without, first[i + 1].
struct Graph {
  std::vector<idx_t> first, neighbor;
};

/// Each pair of different rows that an entry connects, from both sides and once.
Graph graph_of(const CsrPattern& matrix) {
  const Index rows = matrix.rows();
  const auto for_each_pair = [&](const auto& take) {
    for (Index row = 0; row < rows; ++row)
      for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
        if (matrix.column[e] != row) take(row, matrix.column[e]);
  };
  std::vector<std::int64_t> begin(rows + std::size_t{1});
  for_each_pair([&](Index row, Index column) {
    ++begin[row + 1];
    ++begin[column + 1];
  });
  for (Index row = 0; row < rows; ++row) begin[row + 1] += begin[row];
  std::vector<idx_t> both(begin[rows]);  // an entry and its mirror image give the same neighbor twice
  std::vector<std::int64_t> filled(begin.begin(), begin.end() - 1);
  for_each_pair([&](Index row, Index column) {
    both[filled[row]++] = column;
    both[filled[column]++] = row;
  });
  parallel_for(rows, [&](Index row) {
    const auto from = both.begin() + begin[row], to = both.begin() + filled[row];
    std::sort(from, to);
    filled[row] = std::unique(from, to) - both.begin();
  });

  std::int64_t neighbors = 0;
  for (Index row = 0; row < rows; ++row) neighbors += filled[row] - begin[row];
  if (neighbors > std::numeric_limits<idx_t>::max())
    throw DeviceError("METIS cannot number the " + std::to_string(neighbors) + " neighbors of the rows");
  Graph graph{{0}, {}};
  graph.first.reserve(rows + std::size_t{1});
  graph.neighbor.reserve(neighbors);
  for (Index row = 0; row < rows; ++row) {
    graph.neighbor.insert(graph.neighbor.end(), both.begin() + begin[row], both.begin() + filled[row]);
    graph.first.push_back(static_cast<idx_t>(graph.neighbor.size()));
  }
  return graph;
}

/// Runs of rows whose lengths differ by one at most.
std::vector<Index> runs(Index rows, Index parts) {
  std::vector<Index> part(rows);
  for (Index row = 0; row < rows; ++row) part[row] = static_cast<Index>(std::int64_t{row} * parts / rows);
  return part;
}

std::string failure_text(int status) {
  switch (status) {
    case METIS_ERROR_INPUT:
      return "it does not take the graph";
    case METIS_ERROR_MEMORY:
      return "it has no memory left";
    default:
      return "status " + std::to_string(status);
  }
}

/// What METIS is to do.
struct Task {
  idx_t parts;
  std::vector<real_t> share;  ///< [parts] of the rows; empty: equal ones
  idx_t objective, most_longer_permille;
};

/// [rows] the part of each row. The graph has an edge.
std::vector<Index> cut(Graph& graph, Task task) {
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_OBJTYPE] = task.objective;
  options[METIS_OPTION_UFACTOR] = task.most_longer_permille;
  auto vertices = static_cast<idx_t>(graph.first.size() - 1);
  idx_t constraints = 1, result = 0;
  std::vector<idx_t> part(vertices);
  const int status = METIS_PartGraphKway(
      &vertices, &constraints, graph.first.data(), graph.neighbor.data(), nullptr, nullptr, nullptr, &task.parts,
      task.share.empty() ? nullptr : task.share.data(), nullptr, options, &result, part.data());
  if (status != METIS_OK)
    throw DeviceError("METIS could not cut " + std::to_string(vertices) + " rows into " + std::to_string(task.parts) +
                      " parts: " + failure_text(status));
  return {part.begin(), part.end()};
}

void require_lengths(std::span<const Index> length, Index rows) {
  std::int64_t sum = 0;
  for (const Index rows_of_part : length) {
    if (rows_of_part < 1)
      throw std::invalid_argument("METIS: expected parts of at least one row, got " + std::to_string(rows_of_part));
    sum += rows_of_part;
  }
  if (sum != rows)
    throw std::invalid_argument("METIS: expected lengths that add up to " + std::to_string(rows) + " rows, got " +
                                std::to_string(sum));
}

}  // namespace

bool has_metis() { return true; }

std::vector<Index> metis_parts(const CsrPattern& matrix, Index parts) {
  if (parts < 1) throw std::invalid_argument("METIS: expected at least one part, got " + std::to_string(parts));
  const Index rows = matrix.rows();
  // METIS divides by the logarithm of the number of parts, and asks for more vertices than parts.
  if (parts == 1 || parts >= rows) return runs(rows, parts);
  Graph graph = graph_of(matrix);
  if (graph.neighbor.empty()) return runs(rows, parts);
  return cut(graph, {parts, {}, METIS_OBJTYPE_CUT, 30});
}

std::vector<Index> metis_parts(const CsrPattern& matrix, std::span<const Index> length) {
  const Index rows = matrix.rows();
  require_lengths(length, rows);
  const auto parts = static_cast<Index>(length.size());
  std::vector<Index> run_of_row;
  run_of_row.reserve(rows);
  for (Index part = 0; part < parts; ++part) run_of_row.insert(run_of_row.end(), length[part], part);
  if (parts <= 1 || parts >= rows) return run_of_row;
  Graph graph = graph_of(matrix);
  if (graph.neighbor.empty()) return run_of_row;
  // Where parts are short METIS cuts better if a few rows more may be in them.
  constexpr idx_t least_permille = 5, rows_more = 3;
  Task task{parts, {}, METIS_OBJTYPE_VOL, std::max<idx_t>(least_permille, 1000 * rows_more / length.front())};
  for (const Index of_part : length) task.share.push_back(static_cast<real_t>(of_part) / static_cast<real_t>(rows));
  return cut(graph, std::move(task));
}

}  // namespace cardiowarp
