#include "assembly/vertex_points.hpp"

#include <algorithm>

namespace cardiowarp {
namespace {

/// The point of a node that has a kind of cell, or the end of the node's points.
Index find_point(const VertexPoints& points, Index node, std::uint16_t cell) {
  Index point = points.begin[node];
  while (point < points.begin[node + 1] && points.cell_model[point] != cell) ++point;
  return point;
}

}  // namespace

VertexPoints vertex_points(const std::vector<Tetrahedron>& tetrahedra, const std::vector<Real>& volume,
                           const std::vector<std::uint16_t>& cell_model, Index nodes) {
  // Kinds of cells at each node: nearly always one, which is kept apart from the few others.
  constexpr int none = -1;
  std::vector<int> first(nodes, none);
  std::vector<std::vector<std::uint16_t>> further(0);
  std::vector<int> further_of(nodes, none);
  for (std::size_t e = 0; e < tetrahedra.size(); ++e)
    for (const Index node : tetrahedra[e]) {
      const std::uint16_t cell = cell_model[e];
      if (first[node] == none) first[node] = cell;
      if (first[node] == cell) continue;
      if (further_of[node] == none) {
        further_of[node] = static_cast<int>(further.size());
        further.emplace_back();
      }
      std::vector<std::uint16_t>& others = further[further_of[node]];
      if (std::find(others.begin(), others.end(), cell) == others.end()) others.push_back(cell);
    }

  VertexPoints points;
  points.begin.reserve(nodes + 1);
  points.begin.push_back(0);
  for (Index node = 0; node < nodes; ++node) {
    if (first[node] != none) points.cell_model.push_back(static_cast<std::uint16_t>(first[node]));
    if (further_of[node] != none)
      for (const std::uint16_t cell : further[further_of[node]]) points.cell_model.push_back(cell);
    points.begin.push_back(points.points());
  }
  points.volume.assign(points.cell_model.size(), 0);
  for (std::size_t e = 0; e < tetrahedra.size(); ++e)
    for (const Index node : tetrahedra[e]) points.volume[find_point(points, node, cell_model[e])] += volume[e] / 4;
  return points;
}

std::vector<Real> at_vertex_points(const VertexPoints& points, const std::vector<Tetrahedron>& tetrahedra,
                                   const std::vector<std::uint16_t>& cell_model, const std::vector<Real>& of_elements) {
  const std::size_t elements = tetrahedra.size(), count = points.points();
  const std::size_t values = elements == 0 ? 0 : of_elements.size() / elements;
  const std::vector<Tetrahedron> point_of = points_of_corners(points, tetrahedra, cell_model);
  std::vector<Real> result(values * count);
  for (std::size_t k = 0; k < values; ++k) {
    // The mean is updated element by element, so that it is exactly the elements' value if they all have the same.
    std::vector<Index> seen(count, 0);
    for (std::size_t e = 0; e < elements; ++e)
      for (const Index point : point_of[e]) {
        Real& mean = result[k * count + point];
        mean += (of_elements[k * elements + e] - mean) / static_cast<Real>(++seen[point]);
      }
  }
  return result;
}

std::vector<Tetrahedron> points_of_corners(const VertexPoints& points, const std::vector<Tetrahedron>& tetrahedra,
                                           const std::vector<std::uint16_t>& cell_model) {
  std::vector<Tetrahedron> result = tetrahedra;
  for (std::size_t e = 0; e < result.size(); ++e)
    for (Index& corner : result[e]) corner = find_point(points, corner, cell_model[e]);
  return result;
}

}  // namespace cardiowarp
