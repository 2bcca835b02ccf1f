#include "app/simulation/boundary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "app/config/initial_config.hpp"
#include "app/simulation/selection.hpp"
#include "app/simulation/tissue.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

constexpr int nobody = -1;

std::string value_text(Real value, const std::string& unit) {
  return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
}

}  // namespace

PrescribedValues prescribed_values(const Mesh& mesh, std::span<const PrescribedPlace> places, const std::string& unit,
                                   SharedNodes shared) {
  PrescribedValues result;
  if (places.empty()) return result;
  std::vector<int> place_of(mesh.nodes.size(), nobody);
  for (std::size_t k = 0; k < places.size(); ++k)
    for (const Index node : places[k].nodes) {
      if (place_of[node] == nobody) place_of[node] = static_cast<int>(k);
      const PrescribedPlace& first = places[place_of[node]];
      if (first.value == places[k].value || shared == SharedNodes::of_first_place) continue;
      const Vector3 at = mesh.nodes[node];
      throw InputError(
          fmt::format("{}: expected one value at each node, got {} and {} ({}) at node {}, ({:.6g}, {:.6g}, {:.6g}) mm",
                      places[k].place, value_text(places[k].value, unit), value_text(first.value, unit), first.place,
                      node, at.x, at.y, at.z));
    }
  for (std::size_t node = 0; node < place_of.size(); ++node) {
    if (place_of[node] == nobody) continue;
    result.node.push_back(static_cast<Index>(node));
    result.value.push_back(places[place_of[node]].value);
  }
  if (result.node.size() == mesh.nodes.size())
    throw InputError(fmt::format("{}: expected to leave a node whose value is computed, got all {} of the mesh{}",
                                 places[0].place, mesh.nodes.size(),
                                 places.size() == 1 ? "" : " by this and the other entries"));
  return result;
}

void set_boundary(const std::vector<BoundaryConfig>& boundary, Tissue& tissue) {
  std::vector<PrescribedPlace> places;
  for (const BoundaryConfig& entry : boundary)
    places.push_back({select_nodes(*tissue.mesh, entry.where), entry.potential_mv, entry.where.place});
  set_boundary(prescribed_values(*tissue.mesh, places, "mV"), tissue);
}

void set_boundary(const PrescribedValues& values_mv, Tissue& tissue) {
  tissue.prescribed.clear();
  const Scaling scaling = tissue.scaling();
  for (std::size_t k = 0; k < values_mv.node.size(); ++k)
    tissue.phi[values_mv.node[k]] = scaling.phi_from_mv(values_mv.value[k]);
  keep_potential(values_mv.node, tissue);
}

void keep_potential(const std::vector<Index>& nodes, Tissue& tissue) {
  if (nodes.empty()) return;
  std::vector<Index> all;
  std::ranges::set_union(tissue.prescribed, nodes, std::back_inserter(all));
  tissue.prescribed = std::move(all);
  std::vector<bool> is_prescribed(tissue.phi.size(), false);
  for (const Index node : tissue.prescribed) is_prescribed[node] = true;
  for (Stimulus& stimulus : tissue.stimuli) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < stimulus.nodes.size(); ++i) {
      if (is_prescribed[stimulus.nodes[i]]) continue;
      stimulus.nodes[kept] = stimulus.nodes[i];
      if (!stimulus.share.empty()) stimulus.share[kept] = stimulus.share[i];
      if (!stimulus.delay_ms.empty()) stimulus.delay_ms[kept] = stimulus.delay_ms[i];
      ++kept;
    }
    stimulus.nodes.resize(kept);
    if (!stimulus.share.empty()) stimulus.share.resize(kept);
    if (!stimulus.delay_ms.empty()) stimulus.delay_ms.resize(kept);
  }
}

std::string prescribed_in_words(const Tissue& tissue) {
  if (tissue.prescribed.empty()) return "";
  return fmt::format("{} node{}", tissue.prescribed.size(), tissue.prescribed.size() == 1 ? "" : "s");
}

}  // namespace cardiowarp
