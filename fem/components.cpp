#include "fem/components.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fem/mesh.hpp"

namespace cardiowarp {

Components connected_components(const Mesh& mesh) {
  // Union-find: `above` leads from each node to a smaller one of its component, in the end to the smallest.
  std::vector<Index> above(mesh.nodes.size());
  std::iota(above.begin(), above.end(), 0);
  const auto smallest_of = [&](Index node) {
    while (above[node] != node) node = above[node] = above[above[node]];
    return node;
  };
  const auto join = [&](Index& smallest, Index node) {
    Index other = smallest_of(node);
    if (other < smallest) std::swap(smallest, other);
    above[other] = smallest;
  };
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const Tetrahedron& corner = mesh.tetrahedra[element];
    Index smallest = smallest_of(corner[0]);
    for (int k = 1; k < 4; ++k) join(smallest, corner[k]);
    if (!mesh.is_quadratic()) continue;
    for (const Index node : mesh.edge_nodes[element]) join(smallest, node);
  }

  Components components;
  std::vector<Component> found;
  components.component_of_node.resize(mesh.nodes.size());
  for (std::size_t node = 0; node < above.size(); ++node) {
    Index& component = components.component_of_node[node];
    if (const Index smallest = smallest_of(static_cast<Index>(node)); smallest < static_cast<Index>(node)) {
      component = components.component_of_node[smallest];
    } else {
      component = static_cast<Index>(found.size());
      found.emplace_back();
    }
    ++found[component].nodes;
    found[component].centre = found[component].centre + mesh.nodes[node];
  }

  std::vector<Index> order(found.size()), place(found.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return found[a].nodes > found[b].nodes; });
  for (std::size_t k = 0; k < order.size(); ++k) {
    Component component = found[order[k]];
    component.centre = (Real(1) / component.nodes) * component.centre;
    components.all.push_back(component);
    place[order[k]] = static_cast<Index>(k);
  }
  for (Index& component : components.component_of_node) component = place[component];
  return components;
}

}  // namespace cardiowarp
