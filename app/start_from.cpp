#include "app/start_from.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>

#include "app/checkpoint/checkpoint_folder.hpp"
#include "app/checkpoint/checksum.hpp"
#include "app/checkpoint/configuration_difference.hpp"
#include "app/config/config.hpp"
#include "app/config/config_names.hpp"
#include "app/config/yaml_tree.hpp"
#include "app/files/result_file.hpp"
#include "app/process/log.hpp"
#include "app/simulation/problem.hpp"
#include "fem/cells/run_time_model.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

std::uint64_t checksum_of(const CheckpointSections& sections) {
  Checksum checksum;
  for (const auto& [name, bytes] : sections) {
    checksum.add(std::string_view(name));
    checksum.add(std::span<const std::byte>(bytes));
  }
  return checksum.value();
}

/// A value of the configuration that a checkpoint was written with; empty where it has none.
std::string value_in(const RunIdentity& identity, const std::string& section, const std::string& key = {}) {
  const YamlNode root = parse_yaml(identity.configuration, "resolved.yaml");
  const YamlNode* node = root.find(section);
  if (node && !key.empty()) node = node->find(key);
  return node ? node->text : std::string();
}

Quadrature quadrature_of(const RunIdentity& identity) {
  const std::string given = value_in(identity, "quadrature");
  for (const auto& [name, quadrature] : quadrature_names)
    if (name == given) return quadrature;
  throw InputError(fmt::format("checkpoint: it has no quadrature that this program knows, but '{}'", given));
}

/// The folder of results that `folder` is, or is the checkpoints of.
fs::path results_of(const fs::path& folder) {
  return folder.filename() == "checkpoints" && checkpoints_in(folder).empty() ? folder.parent_path() : folder;
}

/// Throws InputError where the run would remove the checkpoint as one of an earlier run.
void require_kept(const fs::path& file, const Config& config) {
  std::error_code ignored;
  if (fs::equivalent(file.parent_path(), config.output.directory / "checkpoints", ignored))
    throw InputError(
        fmt::format("--from: '{}' is in output.directory, whose checkpoints a run from the start removes: choose "
                    "another output.directory, or go on with --resume",
                    file.string()));
}

/// The point of each corner of each element where a node has a point for each parameter set around it, in their order.
std::vector<std::array<std::size_t, 4>> points_of_corners(const Mesh& mesh,
                                                          const std::vector<std::uint16_t>& cell_model) {
  constexpr int bits = 16;
  const auto key_of = [&](std::size_t element, int corner) {
    return static_cast<std::uint64_t>(mesh.tetrahedra[element][corner]) << bits | cell_model[element];
  };
  std::vector<std::uint64_t> keys;
  keys.reserve(4 * mesh.tetrahedra.size());
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    for (int i = 0; i < 4; ++i) keys.push_back(key_of(e, i));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::array<std::size_t, 4>> points(mesh.tetrahedra.size());
  parallel_for(points.size(), [&](std::size_t e) {
    for (int i = 0; i < 4; ++i) points[e][i] = std::lower_bound(keys.begin(), keys.end(), key_of(e, i)) - keys.begin();
  });
  return points;
}

/// The models of the cells of a run, as cell_models_of() has them.
std::vector<std::string> models_in(const RunIdentity& identity) {
  std::vector<std::string> names{value_in(identity, "cell_model", "name")};
  const YamlNode root = parse_yaml(identity.configuration, "resolved.yaml");
  if (const YamlNode* regions = root.find("regions"))
    for (const YamlNode& region : regions->children)
      if (const YamlNode* model = region.find("cell_model"))
        if (const YamlNode* name = model->find("name"); name && std::ranges::find(names, name->text) == names.end())
          names.push_back(name->text);
  return names;
}

void require_admissible(const StartState& start, const Problem& problem) {
  const std::vector<Real> lowest = lowest_admissible_phi(problem);
  const Scaling scaling = problem.scaling();
  for (std::size_t node = 0; node < lowest.size(); ++node)
    if (!(start.phi[node] > lowest[node]))
      throw InputError(
          fmt::format("--from: potential of node {} in '{}': expected more than {:.6g} mV{}, got {:.6g} mV", node,
                      start.origin.file, scaling.mv_from_phi(lowest[node]), range_in_words(problem.cell_models),
                      scaling.mv_from_phi(start.phi[node])));
}

}  // namespace

SourceState source_state(const fs::path& file, CheckpointSections sections) {
  SourceState source;
  source.origin = {file.string(), 0, checksum_of(sections)};
  StateArchive archive(std::move(sections), file);
  source.identity.exchange(archive);
  archive.value("simulation/time_ms", source.origin.time_ms);
  archive.values("integrator/phi", source.phi);
  archive.values("integrator/states", source.states);
  return source;
}

SourceState read_source_state(const fs::path& file_or_folder, const Config& config) {
  std::error_code ignored;
  const fs::path given = canonical_path(expand_home(file_or_folder));
  if (!fs::exists(given, ignored))
    throw InputError(
        fmt::format("--from: no file or folder '{}': expected a checkpoint, or the output directory of a "
                    "run that has some",
                    given.string()));
  FoundCheckpoint found;
  if (fs::is_directory(given, ignored)) {
    found = newest_checkpoint(results_of(given), "--from");
  } else {
    try {
      found = {given, read_checkpoint_file(given)};
    } catch (const InputError& reason) {
      throw InputError(fmt::format("--from: {}", reason.what()));
    }
  }
  require_kept(found.file, config);
  SourceState source = source_state(found.file, std::move(found.sections));
  const std::string was = value_in(source.identity, "cell_model", "name"), is(name_of(config.cell_model.cell));
  const std::string equations = value_in(source.identity, "cell_model", "checksum");
  const RunTimeModel* const made = run_time_model_of(config.cell_model.cell);
  // A CellML file is known by its equations, wherever it lies.
  if (made ? made->origin().checksum != equations : was != is)
    throw InputError(fmt::format("--from: expected the cell model of the checkpoint, {}, got cell_model.name: {}{}",
                                 was, is, made ? ", whose equations are others" : ""));
  std::vector<std::string> were = models_in(source.identity), are = cell_models_of(config.cell_model, config.regions);
  were.front() = are.front();
  if (were != are)
    throw InputError(fmt::format("--from: expected the cell models of the checkpoint, {}, got {}",
                                 fmt::join(were, ", "), fmt::join(are, ", ")));
  return source;
}

void warn_of_replaced_start(const Config& config) {
  const InitialConfig& initial = config.initial;
  if (initial.potential_mv || !initial.states.empty() || initial.steady || !initial.regions.empty())
    log_warn("initial has no effect with --from, which replaces the whole state at t = 0");
  if (config.prepace) log_warn("prepace has no effect with --from, which replaces the whole state at t = 0");
}

StartState fitted(SourceState source, const RunIdentity& now, const Problem& problem) {
  require_same_mesh(source.identity, now, "--from");
  const Quadrature was = quadrature_of(source.identity);
  const std::size_t number = state_count(problem.cell_models);
  if (source.phi.size() != problem.phi.size() || source.states.size() % number != 0)
    throw InputError(
        fmt::format("--from: '{}': it has not the nodes of its mesh or the states of its cells", source.origin.file));
  StartState start{std::move(source.origin), std::move(source.phi), std::move(source.states)};
  if (models_in(now).size() > 1) {
    const std::string difference = difference_of_models(source.identity.configuration, now.configuration);
    if (!difference.empty() || source.identity.cell_model != now.cell_model)
      throw InputError(
          fmt::format("--from: expected the regions of '{}', as their cells are of several models, got others{}{}",
                      start.origin.file, difference.empty() ? "" : ": ", difference));
  }
  const bool same_rule = was == problem.quadrature;
  const bool same_cells = weights_of(was).vertices == 0 || source.identity.cell_model == now.cell_model;
  start.at_points = same_rule && same_cells;
  if (!start.at_points) {
    start.states = states_of_elements(start.states, number, *problem.mesh, was, source.identity.cell_model);
    log_warn(
        "the cells have their states at other points than in '{}' ({}): each element takes the mean that it "
        "had there",
        start.origin.file,
        same_rule ? "regions differ in their cells"
                  : fmt::format("quadrature: {} there, {} here", name_of(was, quadrature_names),
                                name_of(problem.quadrature, quadrature_names)));
  }
  require_admissible(start, problem);
  return start;
}

void begin_with(const StartState& start, Problem& problem) {
  const std::vector<Real> of_configuration = std::exchange(problem.phi, start.phi);
  for (const Index node : problem.prescribed) problem.phi[node] = of_configuration[node];
  if (start.at_points)
    problem.point_states = std::make_shared<const std::vector<Real>>(start.states);
  else
    problem.states = start.states;
}

std::vector<Real> states_of_elements(const std::vector<Real>& states, std::size_t number, const Mesh& mesh,
                                     Quadrature quadrature, const std::vector<std::uint16_t>& cell_model) {
  const std::size_t elements = mesh.tetrahedra.size(), points = states.size() / number;
  std::vector<Real> result(number * elements);
  if (weights_of(quadrature).centroid > 0) {
    for (std::size_t k = 0; k < number; ++k)
      std::copy_n(states.begin() + static_cast<std::ptrdiff_t>(k * points), elements,
                  result.begin() + static_cast<std::ptrdiff_t>(k * elements));
    return result;
  }
  std::vector<std::array<std::size_t, 4>> corners;
  if (!cell_model.empty()) corners = points_of_corners(mesh, cell_model);
  parallel_for(elements, [&](std::size_t e) {
    for (std::size_t k = 0; k < number; ++k) {
      Real sum = 0;
      for (int i = 0; i < 4; ++i)
        sum += states[k * points + (corners.empty() ? static_cast<std::size_t>(mesh.tetrahedra[e][i]) : corners[e][i])];
      result[k * elements + e] = sum / 4;
    }
  });
  return result;
}

}  // namespace cardiowarp
