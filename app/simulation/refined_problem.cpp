#include "app/simulation/refined_problem.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/boundary.hpp"
#include "app/simulation/conducting.hpp"
#include "app/simulation/nodal_cells.hpp"
#include "app/simulation/selection.hpp"
#include "app/simulation/stimulated_nodes.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

using Edges = std::vector<std::array<Index, 2>>;

/// The nodes of a list, and those in the middle of two of them.
StimulatedNodes with_middles(const std::vector<Index>& listed, std::size_t coarse_nodes, const Edges& edges) {
  std::vector<char> is_listed(coarse_nodes, 0);
  for (const Index node : listed) is_listed[node] = 1;
  StimulatedNodes result{listed, {}};
  for (std::size_t edge = 0; edge < edges.size(); ++edge)
    if (is_listed[edges[edge][0]] != 0 && is_listed[edges[edge][1]] != 0)
      result.nodes.push_back(static_cast<Index>(coarse_nodes + edge));
  result.share.assign(result.nodes.size(), 1);
  return result;
}

/// The cells at the nodes of the refined mesh. One in the middle of an edge has that of an end, as it does not lie on a
/// rounded value.
std::shared_ptr<const NodalCells> refined_cells(const NodalCells& coarse, const Edges& edges) {
  auto fine = std::make_shared<NodalCells>(coarse);
  for (std::size_t kind = 0; kind < fine->row.size(); ++kind)
    for (const auto& [a, b] : edges) {
      if (coarse.row[kind].empty()) break;
      // An end without elements of the kind has the kind itself.
      fine->row[kind].push_back(coarse.row[kind][a] == kind ? coarse.row[kind][b] : coarse.row[kind][a]);
    }
  return fine;
}

/// The values of `boundary` on the refined mesh; beside the nodes of a list, the ones in the middle of two that it has.
PrescribedValues refined_boundary(const std::vector<BoundaryConfig>& boundary, const Mesh& coarse, const Mesh& fine,
                                  const Edges& edges) {
  std::vector<PrescribedPlace> places;
  for (const BoundaryConfig& entry : boundary) {
    const bool is_listed = std::holds_alternative<NodeFile>(entry.where.region) || !entry.where.within.is_everything();
    std::vector<Index> nodes = is_listed
                                   ? with_middles(select_nodes(coarse, entry.where), coarse.nodes.size(), edges).nodes
                                   : select_nodes(fine, entry.where);
    places.push_back({std::move(nodes), entry.potential_mv, entry.where.place});
  }
  return prescribed_values(fine, places, "mV");
}

/// Whether a stimulus acts at whole nodes that are found on the coarse mesh, not at shares of elements.
bool is_of_coarse_nodes(const StimulusConfig& given, const Mesh& coarse) {
  if (given.where.within.is_everything()) return std::holds_alternative<NodeFile>(given.where.region);
  return given.edge == StimulusEdge::nodes || !selects_volume(coarse, given.where) ||
         elements_within(coarse, given.where).empty();
}

}  // namespace

Problem refined_problem(const Config& config, const Problem& problem) {
  const Mesh& coarse = *problem.mesh;
  const auto fine = std::make_shared<const Mesh>(refine_mesh(coarse, 1));
  const Edges edges = refined_edges(coarse);
  constexpr std::size_t children = 8;
  Problem refined = problem;
  refined.mesh = fine;
  refined.cell_model = for_children(problem.cell_model, children);
  if (problem.nodal_cells) refined.nodal_cells = refined_cells(*problem.nodal_cells, edges);
  refined.diffusivity = for_children(problem.diffusivity, children);
  refined.states = for_children(problem.states, children);
  refined.phi.reserve(fine->nodes.size());
  for (const auto& [a, b] : edges) refined.phi.push_back((problem.phi[a] + problem.phi[b]) / 2);
  for (std::size_t k = 0; k < problem.stimuli.size(); ++k) {
    const StimulusConfig& given = config.stimuli[k];
    if (given.network) {
      place_stimulus(*fine, given, refined.stimuli[k], 2);  // what was near on the coarse mesh is near here
      continue;
    }
    StimulatedNodes where = is_of_coarse_nodes(given, coarse)
                                ? with_middles(problem.stimuli[k].nodes, coarse.nodes.size(), edges)
                                : stimulated_nodes(*fine, given.where, given.edge);
    refined.stimuli[k].nodes = std::move(where.nodes);
    refined.stimuli[k].share = std::move(where.share);
  }
  set_boundary(refined_boundary(config.boundary, coarse, *fine, edges), refined);
  prescribe_nodes_without_tissue(refined);
  refined.probes.clear();
  refined.ecg = {};
  refined.beats = {};
  return refined;
}

}  // namespace cardiowarp
