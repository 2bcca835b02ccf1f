#include "fem/mesh_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "fem/further_tags.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

/// values[k] where keeps[k] is not 0.
template <class T>
std::vector<T> kept(const std::vector<T>& values, const std::vector<std::uint8_t>& keeps) {
  std::vector<T> result;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (keeps[k] != 0) result.push_back(values[k]);
  return result;
}

/// The nodes that stand for others.
class Representatives {
 public:
  explicit Representatives(std::size_t nodes) : first_(nodes) { std::iota(first_.begin(), first_.end(), Index(0)); }

  Index of(Index node) {
    while (first_[static_cast<std::size_t>(node)] != node) node = first_[static_cast<std::size_t>(node)];
    return node;
  }
  void join(Index a, Index b) {
    const Index first = std::min(of(a), of(b)), second = std::max(of(a), of(b));
    first_[static_cast<std::size_t>(second)] = first;
  }

 private:
  std::vector<Index> first_;
};

struct NodeInCell {
  std::array<Real, 3> cell;
  Index node;

  bool operator<(const NodeInCell& other) const { return cell != other.cell ? cell < other.cell : node < other.node; }
};

/// Joins the nodes that are in the same cube of a grid.
void join_in_cubes(const std::vector<Vector3>& nodes, Real edge_mm, const Vector3& origin, Representatives& first) {
  std::vector<NodeInCell> placed;
  placed.reserve(nodes.size());
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const Vector3 p = nodes[node] - origin;
    placed.push_back(
        {{std::floor(p.x / edge_mm), std::floor(p.y / edge_mm), std::floor(p.z / edge_mm)}, static_cast<Index>(node)});
  }
  std::sort(placed.begin(), placed.end());
  for (std::size_t k = 1; k < placed.size(); ++k)
    if (placed[k].cell == placed[k - 1].cell) first.join(placed[k].node, placed[k - 1].node);
}

}  // namespace

Mesh part_of_mesh(const Mesh& mesh, const std::vector<std::uint8_t>& keeps) {
  Mesh part = mesh;
  part.tetrahedra = kept(mesh.tetrahedra, keeps);
  part.element_tags = kept(mesh.element_tags, keeps);
  part.fibers = kept(mesh.fibers, keeps);
  part.edge_nodes = kept(mesh.edge_nodes, keeps);
  part.further_element_tags.set_of_cell = kept(mesh.further_element_tags.set_of_cell, keeps);
  const std::map<int, std::size_t> there = cells_of_tags(part.element_tags, part.further_element_tags);
  std::erase_if(part.volume_names, [&](const auto& name) { return !there.contains(name.second); });
  return part;
}

Index merge_coinciding_nodes(Mesh& mesh, Real distance_mm) {
  // Two places that are nearer than half the edge of a cube are in one cube of at least one of eight grids.
  const Real edge_mm = 2 * distance_mm;
  Representatives first(mesh.nodes.size());
  for (int grid = 0; grid < 8; ++grid)
    join_in_cubes(mesh.nodes, edge_mm, distance_mm * Vector3{Real(grid & 1), Real(grid >> 1 & 1), Real(grid >> 2)},
                  first);
  Index merged = 0;
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    merged += first.of(static_cast<Index>(node)) != static_cast<Index>(node);
  const auto replace = [&](auto& cells) {
    for (auto& cell : cells)
      for (Index& node : cell) node = first.of(node);
  };
  replace(mesh.tetrahedra);
  replace(mesh.edge_nodes);
  replace(mesh.triangles);
  replace(mesh.triangle_edge_nodes);
  return merged;
}

}  // namespace cardiowarp
