#include "app/advice/failure_place.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "app/config/config.hpp"
#include "app/simulation/problem.hpp"
#include "app/simulation/selection.hpp"
#include "app/simulation/simulation.hpp"
#include "fem/mesh.hpp"
#include "fem/tag_names.hpp"

namespace cardiowarp {
namespace {

std::vector<Index> elements_around(const Mesh& mesh, Index node) {
  std::vector<Index> elements;
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element)
    if (std::ranges::count(mesh.tetrahedra[element], node) > 0 ||
        (mesh.is_quadratic() && std::ranges::count(mesh.edge_nodes[element], node) > 0))
      elements.push_back(static_cast<Index>(element));
  return elements;
}

/// `region scar (tag 2)`, of all regions of the elements.
std::string regions_of(const Mesh& mesh, const std::vector<Index>& elements) {
  std::set<int> tags;
  for (const Index element : elements) {
    tags.insert(mesh.element_tags[element]);
    const auto further = mesh.further_element_tags.of(static_cast<std::size_t>(element));
    tags.insert(further.begin(), further.end());
  }
  std::vector<std::string> regions;
  for (const int tag : tags) {
    const std::string* name = name_of_tag(mesh.volume_names, tag);
    regions.push_back(name == nullptr ? fmt::format("tag {}", tag) : fmt::format("{} (tag {})", *name, tag));
  }
  return fmt::format("region{} {}", regions.size() == 1 ? "" : "s", fmt::join(regions, ", "));
}

/// `regions[0], regions[2]`: the entries of the configuration that set what one of the elements is made of.
std::string entries_that_set(const Config& config, const Mesh& mesh, const std::vector<Index>& elements) {
  std::vector<std::string> entries;
  for (std::size_t k = 0; k < config.regions.size(); ++k) {
    const std::vector<Index> selected = select_elements(mesh, config.regions[k].where);
    if (std::any_of(elements.begin(), elements.end(),
                    [&](Index element) { return std::binary_search(selected.begin(), selected.end(), element); }))
      entries.push_back(fmt::format("regions[{}]", k));
  }
  return fmt::format("{}", fmt::join(entries, ", "));
}

Real longest_edge_mm(const Mesh& mesh, const std::vector<Index>& elements, Index node) {
  Real longest = 0;
  for (const Index element : elements)
    for (const Index one : mesh.tetrahedra[element])
      for (const Index other : mesh.tetrahedra[element])
        if (one == node || mesh.is_quadratic()) longest = std::max(longest, norm(mesh.nodes[other] - mesh.nodes[one]));
  return longest;
}

/// Whether a stimulus that is on adds to an element around the node.
bool acts_on(const Stimulus& stimulus, const Mesh& mesh, const std::vector<Index>& elements, Real step_end_ms) {
  return std::any_of(elements.begin(), elements.end(), [&](Index element) {
    const Tetrahedron& corner = mesh.tetrahedra[element];
    const auto is_stimulated = [&](Index node) {
      const auto found = std::lower_bound(stimulus.nodes.begin(), stimulus.nodes.end(), node);
      if (found == stimulus.nodes.end() || *found != node) return false;
      const Real delay_ms = stimulus.delay_ms.empty() ? 0 : stimulus.delay_ms[found - stimulus.nodes.begin()];
      return stimulus.pulses.on(step_end_ms - delay_ms);
    };
    return std::ranges::any_of(corner, is_stimulated) ||
           (mesh.is_quadratic() && std::ranges::any_of(mesh.edge_nodes[element], is_stimulated));
  });
}

}  // namespace

std::string describe_failure_place(const Config& config, const Problem& problem, const StepFailure& failure,
                                   Real step_end_ms, Real step_ms) {
  const Mesh& mesh = *problem.mesh;
  const std::vector<Index> elements = elements_around(mesh, failure.node);
  const std::string entries = entries_that_set(config, mesh, elements);
  const Real edge_mm = longest_edge_mm(mesh, elements, failure.node);
  const Real thinnest_mm = front_thickness_mm(problem, elements).first;

  // A stimulus that inhibits can do it by itself, whatever the mesh.
  bool inhibits = false;
  std::vector<std::string> remedies;
  for (std::size_t k = 0; k < problem.stimuli.size(); ++k) {
    if (!acts_on(problem.stimuli[k], mesh, elements, step_end_ms)) continue;
    const StimulusConfig& stimulus = config.stimuli[k];
    inhibits = inhibits || stimulus.amplitude_mv_per_ms < 0;
    remedies.push_back(
        fmt::format("a weaker stimulus '{}' ({:.4g} mV/ms, on there)", stimulus.name, stimulus.amplitude_mv_per_ms));
  }
  if (edge_mm > thinnest_mm && !inhibits) remedies.push_back("a finer mesh or a larger diffusivity there");
  if (remedies.empty()) remedies.push_back(fmt::format("a shorter time step than {:.4g} ms", step_ms));
  return fmt::format("{}{}, edges up to {:.3g} mm, front {:.3g} mm thick: {} may help", regions_of(mesh, elements),
                     entries.empty() ? "" : ", set by " + entries, edge_mm, thinnest_mm, fmt::join(remedies, " or "));
}

}  // namespace cardiowarp
