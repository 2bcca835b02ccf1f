#include "app/simulation/conducting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "app/simulation/boundary.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// [nodes] whether a conducting element has the node.
std::vector<char> nodes_with_tissue(const Tissue& tissue) {
  const Mesh& mesh = *tissue.mesh;
  std::vector<char> has_tissue(mesh.nodes.size(), 0);
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    if (!conducts(tissue.diffusivity[element])) continue;
    for (const Index node : mesh.tetrahedra[element]) has_tissue[node] = 1;
    if (!mesh.is_quadratic()) continue;
    for (const Index node : mesh.edge_nodes[element]) has_tissue[node] = 1;
  }
  return has_tissue;
}

}  // namespace

bool all_conduct(const Tissue& tissue) {
  const auto elements = static_cast<std::int64_t>(tissue.diffusivity.size());
  return first_index(elements, [&](std::int64_t e) { return !conducts(tissue.diffusivity[e]); }) == elements;
}

void prescribe_nodes_without_tissue(Tissue& tissue) {
  if (all_conduct(tissue)) return;
  const std::vector<char> has_tissue = nodes_with_tissue(tissue);
  if (std::ranges::count(has_tissue, 1) == 0)
    throw InputError(
        fmt::format("regions: expected tissue that conducts, got none: all {} elements are in regions with "
                    "conducts: false, or a diffusivity of 0",
                    tissue.diffusivity.size()));
  std::vector<Index> nodes;
  for (std::size_t node = 0; node < has_tissue.size(); ++node)
    if (has_tissue[node] == 0) nodes.push_back(static_cast<Index>(node));
  keep_potential(nodes, tissue);
}

Components conducting_components(const Tissue& tissue) {
  const std::vector<char> has_tissue = nodes_with_tissue(tissue);
  Mesh conducting;
  conducting.nodes = tissue.mesh->nodes;
  for (std::size_t element = 0; element < tissue.diffusivity.size(); ++element) {
    if (!conducts(tissue.diffusivity[element])) continue;
    conducting.tetrahedra.push_back(tissue.mesh->tetrahedra[element]);
    if (tissue.mesh->is_quadratic()) conducting.edge_nodes.push_back(tissue.mesh->edge_nodes[element]);
  }
  Components components = connected_components(conducting);
  // Nodes without tissue are components of one node, behind all others but for those of the same size.
  std::vector<Index> place(components.all.size(), -1);
  std::vector<Component> kept;
  for (std::size_t node = 0; node < has_tissue.size(); ++node) {
    const Index component = components.component_of_node[node];
    if (has_tissue[node] != 0) place[component] = 0;
  }
  for (std::size_t k = 0; k < place.size(); ++k) {
    if (place[k] < 0) continue;
    place[k] = static_cast<Index>(kept.size());
    kept.push_back(components.all[k]);
  }
  components.all = std::move(kept);
  for (Index& component : components.component_of_node) component = std::max<Index>(place[component], 0);
  return components;
}

}  // namespace cardiowarp
