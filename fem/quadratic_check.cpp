#include "fem/quadratic_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

using Ends = std::array<Index, 2>;  ///< of an edge, ascending

Ends ends_of(Index a, Index b) { return a < b ? Ends{a, b} : Ends{b, a}; }

constexpr Index nobody = -1;
constexpr Ends of_no_edge{nobody, nobody};

/// The edge of each node that is on one.
std::vector<Ends> edges_of_nodes(const Mesh& mesh) {
  std::vector<Ends> edge(mesh.nodes.size(), of_no_edge);
  std::vector<bool> is_corner(mesh.nodes.size(), false);
  for (const Tetrahedron& corners : mesh.tetrahedra)
    for (const Index node : corners) is_corner[node] = true;
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element)
    for (int k = 0; k < 6; ++k) {
      const Tetrahedron& corner = mesh.tetrahedra[element];
      const Index node = mesh.edge_nodes[element][k];
      const Ends ends = ends_of(corner[edge_corners[k][0]], corner[edge_corners[k][1]]);
      if (is_corner[node])
        throw InputError(
            fmt::format("element {} has node {} on the edge between nodes {} and {}, but it is a corner of another "
                        "element: expected elements that meet corner to corner",
                        element, node, ends[0], ends[1]));
      if (edge[node] == of_no_edge) edge[node] = ends;
      if (edge[node] != ends)
        throw InputError(fmt::format(
            "element {} has node {} on the edge between nodes {} and {}, another element on that between {} and {}",
            element, node, ends[0], ends[1], edge[node][0], edge[node][1]));
    }
  return edge;
}

/// Nodes that are on an edge, by their edges.
std::vector<std::pair<Ends, Index>> nodes_by_edge(const std::vector<Ends>& edge_of_node) {
  std::vector<std::pair<Ends, Index>> sorted;
  for (std::size_t node = 0; node < edge_of_node.size(); ++node)
    if (edge_of_node[node] != of_no_edge) sorted.emplace_back(edge_of_node[node], static_cast<Index>(node));
  std::sort(sorted.begin(), sorted.end());
  const auto twin =
      std::adjacent_find(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twin != sorted.end())
    throw InputError(fmt::format("the edge between nodes {} and {} has node {} in one element and node {} in another",
                                 twin->first[0], twin->first[1], twin->second, (twin + 1)->second));
  return sorted;
}

void check_triangles(const Mesh& mesh, const std::vector<std::pair<Ends, Index>>& node_of_edge) {
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      const Ends ends = ends_of(mesh.triangles[i][k], mesh.triangles[i][(k + 1) % 3]);
      const Index node = mesh.triangle_edge_nodes[i][k];
      const auto found = std::lower_bound(node_of_edge.begin(), node_of_edge.end(), std::pair(ends, nobody));
      if (found == node_of_edge.end() || found->first != ends || found->second == node) continue;
      throw InputError(fmt::format("triangle {} has node {} on the edge between nodes {} and {}, the elements node {}",
                                   i, node, ends[0], ends[1], found->second));
    }
}

/// The barycentric coordinates of the ten nodes.
constexpr std::array<Barycentric, quadratic_nodes> places_of_nodes() {
  std::array<Barycentric, quadratic_nodes> place{};
  for (int i = 0; i < 4; ++i) place[i][i] = 1;
  for (int k = 0; k < 6; ++k)
    for (const int corner : edge_corners[k]) place[4 + k][corner] = 0.5;
  return place;
}

/// det ∂x/∂λ of an element where it is smallest among its nodes and integration points.
Real smallest_determinant(const QuadraticCorners& position) {
  Real smallest = quadratic_geometry(position, {0.25, 0.25, 0.25, 0.25}).determinant;
  const auto look = [&](const Barycentric& at) {
    const Real here = quadratic_geometry(position, at).determinant;
    if (!(here >= smallest)) smallest = here;
  };
  for (const Barycentric& node : places_of_nodes()) look(node);
  for (const QuadraturePoint& point : fourteen_points()) look(point.at);
  return smallest;
}

bool is_curved(const QuadraticCorners& position) {
  constexpr Real rounding = 1e-6;  // of coordinates in single precision
  for (int k = 0; k < 6; ++k) {
    const Vector3 a = position[edge_corners[k][0]], b = position[edge_corners[k][1]];
    if (norm(position[4 + k] - 0.5 * (a + b)) > rounding * norm(b - a)) return true;
  }
  return false;
}

struct Shapes {
  Real volume = 0;
  Index curved = 0;
  std::int64_t folded = -1;  ///< the first one
};

}  // namespace

void turn_edge_nodes(EdgeNodes& nodes) {
  std::swap(nodes[1], nodes[4]);  // 12 and 13
  std::swap(nodes[2], nodes[3]);  // 20 and 03
}

void check_edge_nodes(const Mesh& mesh, MeshReport& report) {
  check_triangles(mesh, nodes_by_edge(edges_of_nodes(mesh)));
  const auto add = [&](Shapes& shapes, std::int64_t element) {
    const QuadraticCorners position = positions_of(mesh, element);
    const auto volumes = quadratic_volumes(position);
    shapes.volume = std::accumulate(volumes.begin(), volumes.end(), shapes.volume);
    if (!is_curved(position)) return;
    ++shapes.curved;
    if (!(smallest_determinant(position) > 0) && shapes.folded < 0) shapes.folded = element;
  };
  const auto join = [](Shapes& all, const Shapes& some) {
    all.volume += some.volume;
    all.curved += some.curved;
    if (all.folded < 0) all.folded = some.folded;
  };
  const auto shapes = joined_blocks<Shapes>(static_cast<std::int64_t>(mesh.tetrahedra.size()), add, join);
  if (shapes.folded >= 0) {
    const Tetrahedron& t = mesh.tetrahedra[shapes.folded];
    throw InputError(
        fmt::format("element {} (corners {}, {}, {}, {}) is folded by its curved edges: det ∂x/∂λ is {:.3g} mm^3 where "
                    "it is smallest, expected more than 0",
                    shapes.folded, t[0], t[1], t[2], t[3],
                    smallest_determinant(positions_of(mesh, static_cast<std::size_t>(shapes.folded)))));
  }
  report.volume_mm3 = shapes.volume;
  report.curved_elements = shapes.curved;
}

}  // namespace cardiowarp
