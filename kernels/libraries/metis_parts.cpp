#include "kernels/libraries/metis_parts.hpp"

#include <metis.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// A graph as METIS takes it: the neighbours of vertex i are neighbour[first[i]] up to, but without, first[i + 1].
struct Graph {
  std::vector<idx_t> first, neighbour;
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
  std::vector<idx_t> both(begin[rows]);  // an entry and its mirror image give the same neighbour twice
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

  std::int64_t neighbours = 0;
  for (Index row = 0; row < rows; ++row) neighbours += filled[row] - begin[row];
  if (neighbours > std::numeric_limits<idx_t>::max())
    throw std::runtime_error("METIS cannot number the " + std::to_string(neighbours) + " neighbours of the rows");
  Graph graph{{0}, {}};
  graph.first.reserve(rows + std::size_t{1});
  graph.neighbour.reserve(neighbours);
  for (Index row = 0; row < rows; ++row) {
    graph.neighbour.insert(graph.neighbour.end(), both.begin() + begin[row], both.begin() + filled[row]);
    graph.first.push_back(static_cast<idx_t>(graph.neighbour.size()));
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

}  // namespace

bool has_metis() { return true; }

std::vector<Index> metis_parts(const CsrPattern& matrix, Index parts) {
  if (parts < 1) throw std::invalid_argument("METIS: expected at least one part, got " + std::to_string(parts));
  const Index rows = matrix.rows();
  // METIS divides by the logarithm of the number of parts, and asks for more vertices than parts.
  if (parts == 1 || parts >= rows) return runs(rows, parts);
  Graph graph = graph_of(matrix);
  if (graph.neighbour.empty()) return runs(rows, parts);

  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  idx_t vertices = rows, constraints = 1, number = parts, cut = 0;
  std::vector<idx_t> part(rows);
  const int status = METIS_PartGraphKway(&vertices, &constraints, graph.first.data(), graph.neighbour.data(), nullptr,
                                         nullptr, nullptr, &number, nullptr, nullptr, options, &cut, part.data());
  if (status != METIS_OK)
    throw std::runtime_error("METIS could not cut " + std::to_string(rows) + " rows into " + std::to_string(parts) +
                             " parts: " + failure_text(status));
  return {part.begin(), part.end()};
}

}  // namespace cardiowarp
