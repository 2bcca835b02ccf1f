#include "assembly/vertex_points.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// The point of a node that has a kind of cell, or the end of the node's points.
Index find_point(const VertexPoints& points, Index node, std::uint16_t cell) {
  Index point = points.begin[node];
  while (point < points.begin[node + 1] && points.cell_model[point] != cell) ++point;
  return point;
}

/// The different kinds of cells of some elements, in the order in which they appear.
void find_kinds(std::span<const Index> elements, const std::vector<std::uint16_t>& cell_model,
                std::vector<std::uint16_t>& kinds) {
  kinds.clear();
  for (const Index element : elements)
    if (std::find(kinds.begin(), kinds.end(), cell_model[element]) == kinds.end()) kinds.push_back(cell_model[element]);
}

constexpr std::int64_t least_nodes = 1024;  // a thread

}  // namespace

VertexPoints vertex_points(const Incidence& incidence, const std::vector<Real>& volume,
                           const std::vector<std::uint16_t>& cell_model) {
  const Index nodes = incidence.nodes();
  VertexPoints points;
  points.begin.assign(nodes + 1, 0);
  parallel_ranges(nodes, least_nodes, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::uint16_t> kinds;
    for (Index node = static_cast<Index>(begin); node < static_cast<Index>(end); ++node) {
      find_kinds(incidence.elements_of(node), cell_model, kinds);
      points.begin[node + 1] = static_cast<Index>(kinds.size());
    }
  });
  std::inclusive_scan(points.begin.begin(), points.begin.end(), points.begin.begin());
  points.cell_model.resize(points.begin.back());
  points.volume.assign(points.begin.back(), 0);
  parallel_ranges(nodes, least_nodes, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::uint16_t> kinds;
    for (Index node = static_cast<Index>(begin); node < static_cast<Index>(end); ++node) {
      const std::span<const Index> elements = incidence.elements_of(node);
      find_kinds(elements, cell_model, kinds);
      std::copy(kinds.begin(), kinds.end(), points.cell_model.begin() + points.begin[node]);
      for (const Index element : elements)
        points.volume[find_point(points, node, cell_model[element])] += volume[element] / 4;
    }
  });
  return points;
}

std::vector<Real> at_vertex_points(const VertexPoints& points, const Incidence& incidence,
                                   const std::vector<std::uint16_t>& cell_model, const std::vector<Real>& of_elements) {
  const std::size_t elements = cell_model.size(), count = points.points();
  const std::size_t values = elements == 0 ? 0 : of_elements.size() / elements;
  std::vector<Real> result;
  resize_by_team(result, values * count);
  parallel_ranges(incidence.nodes(), least_nodes, [&](std::int64_t begin, std::int64_t end) {
    for (std::size_t k = 0; k < values; ++k) {
      // The mean is updated element by element, so that it is exactly the elements' value if they all have the same.
      const Index first = points.begin[begin];
      std::vector<Index> seen(points.begin[end] - first, 0);
      for (Index node = static_cast<Index>(begin); node < static_cast<Index>(end); ++node)
        for (const Index element : incidence.elements_of(node)) {
          const Index point = find_point(points, node, cell_model[element]);
          Real& mean = result[k * count + point];
          mean += (of_elements[k * elements + element] - mean) / static_cast<Real>(++seen[point - first]);
        }
    }
  });
  return result;
}

std::vector<Tetrahedron> points_of_corners(const VertexPoints& points, const std::vector<Tetrahedron>& tetrahedra,
                                           const std::vector<std::uint16_t>& cell_model) {
  std::vector<Tetrahedron> result;
  resize_by_team(result, tetrahedra.size());
  parallel_for(result.size(), [&](std::size_t e) {
    for (int i = 0; i < 4; ++i) result[e][i] = find_point(points, tetrahedra[e][i], cell_model[e]);
  });
  return result;
}

}  // namespace cardiowarp
