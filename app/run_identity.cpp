#include "app/run_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/checkpoint/checksum.hpp"
#include "app/checkpoint/configuration_difference.hpp"
#include "app/config/config.hpp"
#include "app/process/build_info.hpp"
#include "app/simulation/nodal_cells.hpp"
#include "app/simulation/problem.hpp"
#include "fem/diffusivity.hpp"
#include "fem/further_tags.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/vector3.hpp"

namespace cardiowarp {
namespace {

template <class T>
void add_bytes(Checksum& checksum, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  checksum.add(std::as_bytes(std::span(values)));
}

/// Nothing is added where each cell has one tag.
void add_further_tags(Checksum& checksum, const FurtherTags& further) {
  if (further.empty()) return;
  add_bytes(checksum, further.set_of_cell);
  for (const std::vector<int>& set : further.sets) add_bytes(checksum, set);
}

std::uint64_t checksum_of(const Mesh& mesh) {
  static_assert(sizeof(Vector3) == 3 * sizeof(Real), "without padding");
  Checksum checksum;
  add_bytes(checksum, mesh.nodes);
  add_bytes(checksum, mesh.tetrahedra);
  add_bytes(checksum, mesh.element_tags);
  add_bytes(checksum, mesh.edge_nodes);
  add_further_tags(checksum, mesh.further_element_tags);
  return checksum.value();
}

std::uint64_t checksum_of(const Tissue& tissue) {
  static_assert(sizeof(Diffusivity) == 5 * sizeof(Real), "without padding");
  Checksum checksum;
  add_bytes(checksum, tissue.cell_model);
  if (tissue.nodal_cells) {
    for (const IonicCell& cell : tissue.nodal_cells->cells) add_bytes(checksum, cell.parameters);
    for (const std::vector<std::uint16_t>& row : tissue.nodal_cells->row) add_bytes(checksum, row);
  }
  add_bytes(checksum, tissue.diffusivity);
  add_bytes(checksum, tissue.phi);
  add_bytes(checksum, tissue.states);
  for (const Stimulus& stimulus : tissue.stimuli) {
    add_bytes(checksum, stimulus.nodes);
    add_bytes(checksum, stimulus.share);
    if (!stimulus.delay_ms.empty()) add_bytes(checksum, stimulus.delay_ms);
  }
  if (!tissue.prescribed.empty()) add_bytes(checksum, tissue.prescribed);
  return checksum.value();
}

std::vector<std::uint16_t> different_cells(const std::vector<std::uint16_t>& cell_model) {
  const bool alike =
      std::adjacent_find(cell_model.begin(), cell_model.end(), std::not_equal_to<>()) == cell_model.end();
  return alike ? std::vector<std::uint16_t>() : cell_model;
}

}  // namespace

void RunIdentity::exchange(StateArchive& archive) {
  archive.text("identity/configuration", configuration);
  archive.value("identity/nodes", nodes);
  archive.value("identity/elements", elements);
  archive.value("identity/mesh", mesh);
  archive.value("identity/tissue", tissue);
  archive.text("identity/backend", backend);
  archive.text("identity/version", version);
  archive.values("identity/cell_model", cell_model);
  bool has_start = start.has_value();
  archive.value("identity/has_start", has_start);
  if (!has_start) return;
  if (!start) start.emplace();
  start->exchange(archive);
}

RunIdentity identity_of(const Config& config, const Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  return {.configuration = resolved_yaml(config),
          .nodes = static_cast<std::int64_t>(mesh.nodes.size()),
          .elements = static_cast<std::int64_t>(mesh.tetrahedra.size()),
          .mesh = checksum_of(mesh),
          .tissue = checksum_of(problem),
          .backend = {},
          .version = build_info().version,
          .cell_model = different_cells(problem.cell_model),
          .start = {}};
}

void require_same_configuration(const RunIdentity& before, const Config& config, Real time_ms) {
  const std::string difference = configuration_difference(before.configuration, resolved_yaml(config), time_ms);
  if (!difference.empty())
    throw InputError(
        fmt::format("--resume: expected the configuration of the checkpoint, got another: {}", difference));
  if (config.time.end_ms < time_ms)
    throw InputError(
        fmt::format("--resume: expected time.end to be at least {:.6g} ms, which the run has reached, got "
                    "{:.6g} ms",
                    time_ms, config.time.end_ms));
}

void require_same_mesh(const RunIdentity& before, const RunIdentity& now, const char* option) {
  if (before.nodes != now.nodes || before.elements != now.elements)
    throw InputError(fmt::format("{}: expected the mesh of the checkpoint, {} nodes and {} tetrahedra, got {} and {}",
                                 option, before.nodes, before.elements, now.nodes, now.elements));
  if (before.mesh != now.mesh)
    throw InputError(
        fmt::format("{}: expected the mesh of the checkpoint, got one with as many nodes and tetrahedra, but other "
                    "positions, numbers or tags",
                    option));
}

void require_same_tissue(const RunIdentity& before, const RunIdentity& now) {
  require_same_mesh(before, now, "--resume");
  if (before.tissue != now.tissue)
    throw InputError(
        "--resume: expected the tissue of the checkpoint, got another: a file that the configuration names (fibers, "
        "nodes) has changed");
}

}  // namespace cardiowarp
