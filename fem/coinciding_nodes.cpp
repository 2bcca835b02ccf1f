#include "fem/coinciding_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

/// A node with its coordinates in thousandths of the shortest edge.
struct PlacedNode {
  Real x, y, z;
  Index component;

  bool is_where(const PlacedNode& other) const { return x == other.x && y == other.y && z == other.z; }
  bool operator<(const PlacedNode& other) const {
    return std::tie(x, y, z, component) < std::tie(other.x, other.y, other.z, other.component);
  }
};

}  // namespace

Index coinciding_nodes(const Mesh& mesh, const Components& components, Real shortest_edge_mm) {
  const Real unit_mm = shortest_edge_mm / 1000;
  std::vector<PlacedNode> nodes;
  nodes.reserve(mesh.nodes.size());
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const Vector3& p = mesh.nodes[node];
    nodes.push_back({std::round(p.x / unit_mm), std::round(p.y / unit_mm), std::round(p.z / unit_mm),
                     components.component_of_node[node]});
  }
  std::ranges::sort(nodes, [](const PlacedNode& a, const PlacedNode& b) { return a < b; });
  std::size_t coinciding = 0;
  for (std::size_t begin = 0, end = 0; begin < nodes.size(); begin = end) {
    while (end < nodes.size() && nodes[end].is_where(nodes[begin])) ++end;
    if (nodes[begin].component != nodes[end - 1].component) coinciding += end - begin;
  }
  return static_cast<Index>(coinciding);
}

}  // namespace cardiowarp
