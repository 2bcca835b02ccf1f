#include "app/simulation/select_tissue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "app/simulation/nodal_cells.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr Index not_listed = -1;

template <std::size_t N>
bool all_listed(const std::array<Index, N>& nodes) {
  return std::none_of(nodes.begin(), nodes.end(), [](Index node) { return node == not_listed; });
}

/// [nodes of the whole] their new numbers, not_listed for the others.
std::vector<Index> new_numbers(std::size_t of_whole, const std::vector<Index>& listed) {
  std::vector<Index> new_number(of_whole, not_listed);
  parallel_for(listed.size(), [&](std::size_t i) { new_number[listed[i]] = static_cast<Index>(i); });
  return new_number;
}

template <std::size_t N>
std::vector<std::array<Index, N>> renamed(const std::vector<std::array<Index, N>>& cells,
                                          const std::vector<Index>& new_node, const std::vector<Index>& elements) {
  std::vector<std::array<Index, N>> result;
  resize_by_team(result, elements.size());
  parallel_for(elements.size(), [&](std::size_t e) {
    for (std::size_t i = 0; i < N; ++i) result[e][i] = new_node[cells[elements[e]][i]];
  });
  return result;
}

}  // namespace

std::vector<Tetrahedron> selected_tetrahedra(const Mesh& mesh, const std::vector<Index>& nodes,
                                             const std::vector<Index>& elements) {
  return renamed(mesh.tetrahedra, new_numbers(mesh.nodes.size(), nodes), elements);
}

std::vector<QuadraticNodes> selected_quadratic(const Mesh& mesh, const std::vector<Index>& nodes,
                                               const std::vector<Index>& elements) {
  return renamed(quadratic_nodes_of(mesh), new_numbers(mesh.nodes.size(), nodes), elements);
}

Tissue select_tissue(const Tissue& whole, const std::vector<Index>& nodes, const std::vector<Index>& elements) {
  const std::vector<Index> new_node = new_numbers(whole.mesh->nodes.size(), nodes);
  Mesh mesh;
  mesh.nodes = selected(whole.mesh->nodes, nodes);
  mesh.tetrahedra = renamed(whole.mesh->tetrahedra, new_node, elements);
  if (whole.mesh->is_quadratic()) mesh.edge_nodes = renamed(whole.mesh->edge_nodes, new_node, elements);
  const auto selected_elements = static_cast<std::int64_t>(elements.size());
  const std::int64_t wrong = first_index(selected_elements, [&](std::int64_t e) {
    return !all_listed(mesh.tetrahedra[e]) || (mesh.is_quadratic() && !all_listed(mesh.edge_nodes[e]));
  });
  if (wrong < selected_elements)
    throw std::invalid_argument(fmt::format("element {} has a node that was not selected", elements[wrong]));

  Tissue tissue;
  tissue.mesh = std::make_shared<const Mesh>(std::move(mesh));
  tissue.cell_models = whole.cell_models;
  tissue.cell_model = selected(whole.cell_model, elements);
  if (whole.nodal_cells) tissue.nodal_cells = std::make_shared<NodalCells>(selected_cells(*whole.nodal_cells, nodes));
  tissue.diffusivity = selected(whole.diffusivity, elements);
  tissue.phi = selected(whole.phi, nodes);
  const std::size_t elements_of_whole = whole.mesh->tetrahedra.size();
  const std::size_t states = elements_of_whole == 0 ? 0 : whole.states.size() / elements_of_whole;
  resize_by_team(tissue.states, states * elements.size());
  for (std::size_t k = 0; k < states; ++k)
    parallel_for(elements.size(), [&](std::size_t e) {
      tissue.states[k * elements.size() + e] = whole.states[k * elements_of_whole + elements[e]];
    });
  for (const Stimulus& stimulus : whole.stimuli) {
    Stimulus& here = tissue.stimuli.emplace_back(Stimulus{{}, stimulus.pulses, stimulus.amplitude});
    for (std::size_t i = 0; i < stimulus.nodes.size(); ++i) {
      const Index node = new_node[stimulus.nodes[i]];
      if (node == not_listed) continue;
      here.nodes.push_back(node);
      if (!stimulus.share.empty()) here.share.push_back(stimulus.share[i]);
      if (!stimulus.delay_ms.empty()) here.delay_ms.push_back(stimulus.delay_ms[i]);
    }
  }
  for (const Index node : whole.prescribed)
    if (new_node[node] != not_listed) tissue.prescribed.push_back(new_node[node]);
  std::ranges::sort(tissue.prescribed);
  for (ProbePoint probe : whole.probes) {
    for (Index& node : probe.nodes) node = new_node[node];
    if (probe.is_quadratic())
      for (Index& node : probe.edge_nodes) node = new_node[node];
    if (all_listed(probe.nodes) && all_listed(probe.edge_nodes)) tissue.probes.push_back(probe);
  }
  tissue.ecg = whole.ecg;
  tissue.beats = whole.beats;
  return tissue;
}

}  // namespace cardiowarp
