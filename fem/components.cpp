#include "fem/components.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cardiowarp {

Components connected_components(const Mesh& mesh) {
  // Union-find: `above` leads from each node to a smaller one of its part, in the end to the smallest.
  std::vector<Index> above(mesh.nodes.size());
  std::iota(above.begin(), above.end(), 0);
  const auto smallest_of = [&](Index node) {
    while (above[node] != node) node = above[node] = above[above[node]];
    return node;
  };
  for (const Tetrahedron& corner : mesh.tetrahedra) {
    Index smallest = smallest_of(corner[0]);
    for (int k = 1; k < 4; ++k) {
      Index other = smallest_of(corner[k]);
      if (other < smallest) std::swap(smallest, other);
      above[other] = smallest;
    }
  }

  Components components;
  std::vector<Component> found;
  components.part_of_node.resize(mesh.nodes.size());
  for (std::size_t node = 0; node < above.size(); ++node) {
    Index& part = components.part_of_node[node];
    if (const Index smallest = smallest_of(static_cast<Index>(node)); smallest < static_cast<Index>(node)) {
      part = components.part_of_node[smallest];
    } else {
      part = static_cast<Index>(found.size());
      found.emplace_back();
    }
    ++found[part].nodes;
    found[part].centre = found[part].centre + mesh.nodes[node];
  }

  std::vector<Index> order(found.size()), place(found.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return found[a].nodes > found[b].nodes; });
  for (std::size_t k = 0; k < order.size(); ++k) {
    Component part = found[order[k]];
    part.centre = (Real(1) / part.nodes) * part.centre;
    components.parts.push_back(part);
    place[order[k]] = static_cast<Index>(k);
  }
  for (Index& part : components.part_of_node) part = place[part];
  return components;
}

}  // namespace cardiowarp
