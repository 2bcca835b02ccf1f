#include "app/simulation/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "app/config/config.hpp"
#include "app/config/config_names.hpp"
#include "app/config/sections.hpp"
#include "app/config/time_grid.hpp"
#include "app/simulation/boundary.hpp"
#include "app/simulation/cell_precision.hpp"
#include "app/simulation/conducting.hpp"
#include "app/simulation/junction_nodes.hpp"
#include "app/simulation/mesh_arrays.hpp"
#include "app/simulation/nodal_cells.hpp"
#include "app/simulation/probes.hpp"
#include "app/simulation/selection.hpp"
#include "app/simulation/stimulated_nodes.hpp"
#include "fem/cells/models.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "fem/tag_names.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

Vector3 unit(Vector3 direction) { return (1 / norm(direction)) * direction; }

void require_fibers(const Config& config, const Mesh& mesh) {
  if (mesh.fibers.empty())
    throw InputError(fmt::format("{}: mesh, but '{}' has no fibers: {}", config.fibers.place, config.mesh.file.string(),
                                 where_fibers_are_expected(mesh, config.mesh.file)));
}

/// `tag 2 (lv): 340, tag 5: 12`: how many of these elements have which tag, the most frequent first.
std::string tags_of(const Mesh& mesh, const std::vector<Index>& elements) {
  std::map<int, std::size_t> count_of;
  for (const Index element : elements) ++count_of[mesh.element_tags[element]];
  std::vector<std::pair<int, std::size_t>> tags(count_of.begin(), count_of.end());
  std::ranges::stable_sort(tags, std::ranges::greater(), &std::pair<int, std::size_t>::second);
  constexpr std::size_t most = 5;
  std::vector<std::string> words;
  for (const auto& [tag, count] : std::span(tags).first(std::min(tags.size(), most))) {
    const std::string* name = name_of_tag(mesh.volume_names, tag);
    words.push_back(fmt::format("tag {}{}: {}", tag, name == nullptr ? "" : " (" + *name + ")", count));
  }
  if (tags.size() > most) words.push_back(fmt::format("{} more tags", tags.size() - most));
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Whether each element has a fiber of its own, from a file or by rule.
bool has_own_fibers(const FibersConfig& fibers) {
  return fibers.source == FiberSource::mesh || fibers.source == FiberSource::rule;
}

/// Gives elements without a direction the fiber 0, once all regions are applied. Throws InputError where one of them
/// needs a fiber, as its tissue is anisotropic.
void settle_fibers(const Config& config, Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  const auto elements = static_cast<std::int64_t>(problem.diffusivity.size());
  const auto lacks_fiber = [&](std::int64_t i) { return !is_direction(problem.diffusivity[i].fiber); };
  std::vector<Index> refused;
  for (std::int64_t element = first_index(elements, lacks_fiber); element < elements; ++element) {
    if (!lacks_fiber(element)) continue;
    if (problem.diffusivity[element].anisotropic != 0) refused.push_back(static_cast<Index>(element));
    problem.diffusivity[element].fiber = {};
  }
  if (refused.empty()) return;
  const Index first = refused.front();
  const Vector3& f = mesh.fibers[first];
  throw InputError(fmt::format(
      "{}: mesh, but the fiber of element {} of '{}' is ({}, {}, {}), as in {} of {} elements of anisotropic tissue "
      "({}): expected a direction there, or a diffusivity without an anisotropic part (regions)",
      config.fibers.place, first, config.mesh.file.string(), f.x, f.y, f.z, refused.size(),
      std::ranges::count_if(problem.diffusivity, [](const Diffusivity& D) { return D.anisotropic != 0; }),
      tags_of(mesh, refused)));
}

/// [elements] `isotropic` and `anisotropic` with the fiber of each element.
std::vector<Diffusivity> diffusivities(const Config& config, const Mesh& mesh, Real isotropic, Real anisotropic) {
  const bool of_mesh = has_own_fibers(config.fibers);
  if (of_mesh) require_fibers(config, mesh);
  const Vector3 constant = config.fibers.source == FiberSource::constant ? unit(config.fibers.direction) : Vector3{};
  std::vector<Diffusivity> result;
  resize_by_team(result, mesh.tetrahedra.size());
  parallel_for(result.size(), [&](std::size_t element) {
    result[element] = {isotropic, anisotropic, of_mesh ? mesh.fibers[element] : constant};
  });
  return result;
}

/// A kind of cell of a tissue, with the parameters that arrays of the mesh give.
template <class Cell>
struct Kind {
  Cell cell;
  std::vector<VariedParameter> varied = {};

  friend bool operator==(const Kind&, const Kind&) = default;
};

/// `kind` with parameters from arrays.
template <class Cell>
void add_arrays(const ParameterArrays& arrays, const Mesh& mesh, Kind<Cell>& kind) {
  if constexpr (std::is_same_v<Cell, IonicCell>) {
    const auto parameters = kind.cell.model->parameters();
    for (const auto& [name, of] : arrays) {
      const auto parameter = std::ranges::find(parameters, name, &ParameterDescription::name);
      const auto values = std::ranges::find(mesh.values, of.array.name, &MeshValues::name);
      kind.varied.push_back({static_cast<std::size_t>(parameter - parameters.begin()),
                             static_cast<std::size_t>(values - mesh.values.begin()), of.scales, of.array.place});
    }
  }
}

/// What a region makes of the cells that were there. A number takes the place of an array, and a model or a set that of
/// all arrays.
template <class Cell>
Kind<Cell> changed(const Kind<Cell>& before, const RegionConfig& region, std::string_view outside, const Mesh& mesh) {
  const CellModelOverride& change = region.cell_model;
  const std::string_view was = name_of(AnyCell(before.cell));
  if (!change.empty() && !change.model && was != outside)
    throw InputError(
        fmt::format("{}: expected cell_model.name beside what the region changes of cells, as some of its "
                    "elements have cells of {}, to which an earlier region has changed them",
                    region.where.place, was));
  Kind<Cell> kind{std::get<Cell>(*overridden(before.cell, change)), {}};
  if constexpr (std::is_same_v<Cell, IonicCell>) kind.cell = in_precision(kind.cell, precision_of(*before.cell.model));
  if (!change.model && change.set.empty())
    for (const VariedParameter& of : before.varied) {
      const std::string name(parameters_of(AnyCell(before.cell))[of.parameter].name);
      if (!change.parameters.contains(name) && !change.arrays.contains(name)) kind.varied.push_back(of);
    }
  add_arrays(change.arrays, mesh, kind);
  return kind;
}

/// The diffusivities of all elements and their kinds of cells, which go into `kinds`; regions applied in order.
template <class Cell>
void set_materials(const Config& config, std::vector<Kind<Cell>>& kinds, Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  const DiffusivityConfig& base = config.diffusivity;
  const Scaling scaling = scaling_of(config.cell_model.cell);
  problem.diffusivity = diffusivities(config, mesh, scaling.diffusivity(base.isotropic_mm2_per_ms),
                                      scaling.diffusivity(base.anisotropic_mm2_per_ms));
  kinds = {{std::get<Cell>(*config.cell_model.cell), {}}};
  if constexpr (std::is_same_v<Cell, IonicCell>)
    kinds.front().cell = in_precision(kinds.front().cell, settled_cell_precision(config));
  add_arrays(config.cell_model.arrays, mesh, kinds.front());
  resize_by_team(problem.cell_model, mesh.tetrahedra.size());

  for (const RegionConfig& region : config.regions) {
    const std::vector<Index> elements = select_elements(mesh, region.where);
    // A region changes what was there before it: one new kind for each old one it touches.
    std::vector<int> replacement(kinds.size(), -1);
    for (const Index element : elements) {
      Diffusivity& diffusivity = problem.diffusivity[element];
      if (region.diffusivity) {
        diffusivity.isotropic = scaling.diffusivity(region.diffusivity->isotropic_mm2_per_ms);
        diffusivity.anisotropic = scaling.diffusivity(region.diffusivity->anisotropic_mm2_per_ms);
      }
      // As velocities go with the square root of the diffusivity.
      diffusivity.isotropic *= region.velocity_factor * region.velocity_factor;
      diffusivity.anisotropic *= region.velocity_factor * region.velocity_factor;
      int& replaced_by = replacement[problem.cell_model[element]];
      if (replaced_by < 0) {
        const Kind<Cell> kind =
            changed(kinds[problem.cell_model[element]], region, name_of(config.cell_model.cell), mesh);
        const auto known = std::find(kinds.begin(), kinds.end(), kind);
        replaced_by = static_cast<int>(known - kinds.begin());
        if (known == kinds.end()) kinds.push_back(kind);
      }
      problem.cell_model[element] = static_cast<std::uint16_t>(replaced_by);
    }
    if (kinds.size() > std::numeric_limits<std::uint16_t>::max())
      throw InputError(fmt::format("{}: more than {} different parameter sets", region.where.place,
                                   std::numeric_limits<std::uint16_t>::max()));
  }
  if (has_own_fibers(config.fibers)) settle_fibers(config, problem);
}

/// Kinds that a later region has replaced everywhere are dropped.
template <class Cell>
void drop_unused_kinds(std::vector<Kind<Cell>>& kinds, Problem& problem) {
  if (kinds.size() == 1) return;
  std::vector<int> kept(kinds.size(), -1);
  std::vector<Kind<Cell>> used;
  for (std::uint16_t& model : problem.cell_model) {
    if (kept[model] < 0) {
      kept[model] = static_cast<int>(used.size());
      used.push_back(kinds[model]);
    }
    model = static_cast<std::uint16_t>(kept[model]);
  }
  kinds = std::move(used);
}

/// The cells of a problem, and where they differ from node to node.
template <class Cell>
void set_cells(const Config& config, Problem& problem) {
  std::vector<Kind<Cell>> kinds;
  set_materials(config, kinds, problem);
  drop_unused_kinds(kinds, problem);
  std::vector<Cell> cells;
  std::vector<std::vector<VariedParameter>> varied;
  for (const Kind<Cell>& kind : kinds) {
    cells.push_back(kind.cell);
    varied.push_back(kind.varied);
  }
  if constexpr (std::is_same_v<Cell, IonicCell>)
    if (std::ranges::any_of(varied, [](const auto& of) { return !of.empty(); }))
      problem.nodal_cells = std::make_shared<NodalCells>(nodal_cells(*problem.mesh, cells, varied, problem.cell_model));
  problem.cell_models = std::move(cells);
}

void require_admissible_start(const Problem& problem) {
  const std::vector<Real> lowest = lowest_admissible_phi(problem);
  for (std::size_t node = 0; node < lowest.size(); ++node)
    if (problem.phi[node] <= lowest[node])
      throw InputError(fmt::format("initial potential of node {}: expected more than {:.6g} mV{}, got {:.6g} mV", node,
                                   problem.scaling().mv_from_phi(lowest[node]), range_in_words(problem.cell_models),
                                   problem.scaling().mv_from_phi(problem.phi[node])));
}

/// [kinds of cell] where their models or sets begin.
std::vector<CellStart> starts_of(const TissueCells& cells) {
  if (const std::vector<IonicCell>* ionic = as_ionic(cells)) {
    std::vector<CellStart> starts;
    for (const IonicCell& cell : *ionic) starts.push_back({cell.start().potential_mv, cell.start().states});
    return starts;
  }
  CellStart rest{scaling_of(cells).rest_mv, {}};
  for (const CellState& state : states_of(cells)) rest.states.push_back(state.rest);
  return std::vector<CellStart>(cells.size(), rest);
}

/// The potential of the nodes; one between cells that begin otherwise has that of the element with the lowest number.
void set_initial_potential(const std::optional<Real>& given_mv, const std::vector<CellStart>& starts,
                           Problem& problem) {
  const Scaling scaling = problem.scaling();
  problem.phi.assign(problem.mesh->nodes.size(),
                     scaling.phi_from_mv(given_mv.value_or(starts[problem.cell_model.front()].potential_mv)));
  if (given_mv || starts.size() == 1) return;
  for (std::size_t element = problem.cell_model.size(); element-- > 0;)
    for (const Index node : problem.mesh->tetrahedra[element])
      problem.phi[node] = scaling.phi_from_mv(starts[problem.cell_model[element]].potential_mv);
}

void set_initial_values(const InitialConfig& initial, std::vector<CellStart> starts, Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  const std::size_t elements = mesh.tetrahedra.size();
  const Scaling scaling = problem.scaling();
  const auto states = states_of(problem.cell_models);
  const auto number_of = [&](const std::string& name) { return state_number(states, name); };
  set_initial_potential(initial.potential_mv, starts, problem);
  for (CellStart& start : starts)
    for (const auto& [state, value] : initial.states) start.states[number_of(state)] = value;
  resize_by_team(problem.states, state_count(problem.cell_models) * elements);
  parallel_for(problem.states.size(), [&](std::size_t i) {
    const std::vector<Real>& of_cell = starts[problem.cell_model[i % elements]].states;
    problem.states[i] = i / elements < of_cell.size() ? of_cell[i / elements] : 0;
  });
  for (const InitialRegionConfig& region : initial.regions) {
    if (region.potential_mv)
      for (const Index node : select_nodes(mesh, region.where))
        problem.phi[node] = scaling.phi_from_mv(*region.potential_mv);
    if (region.states.empty()) continue;
    for (const Index element : select_elements(mesh, region.where))
      for (const auto& [state, value] : region.states) problem.states[number_of(state) * elements + element] = value;
  }
}

/// Whether two stimuli have the same nodes, as the trains of a protocol do, which follow each other.
bool is_same_place(const StimulusConfig& one, const StimulusConfig& other) {
  const auto junctions_of = [](const StimulusConfig& given) {
    return given.network ? given.network->made.get() : nullptr;
  };
  return one.edge == other.edge && where_text(one.where) == where_text(other.where) &&
         junctions_of(one) == junctions_of(other);
}

}  // namespace

void begin_with_starts(const InitialConfig& initial, std::vector<CellStart> starts, Problem& problem) {
  const std::vector<Real> before = std::exchange(problem.phi, {});
  set_initial_values(initial, std::move(starts), problem);
  for (const Index node : problem.prescribed) problem.phi[node] = before[node];
  require_admissible_start(problem);
}

void place_stimulus(const Mesh& mesh, const StimulusConfig& given, Stimulus& made, Real edges) {
  if (!given.network) {
    StimulatedNodes where = stimulated_nodes(mesh, given.where, given.edge);
    made.nodes = std::move(where.nodes);
    made.share = std::move(where.share);
    made.delay_ms = {};
    return;
  }
  assert(given.network->made);
  JunctionNodes at = nodes_at(mesh, *given.network->made, given.network->place, edges);
  made.nodes = std::move(at.nodes);
  made.share = {};
  made.delay_ms = std::move(at.delay_ms);
}

Real first_pulse_ms(const PulseTrain& pulses, const TimeConfig& config) {
  if (config.meets_edges()) return std::clamp<Real>(config.end_ms - pulses.start_ms, 0, pulses.duration_ms);
  const TimeGrid time{config.end_ms, config.step_ms};
  const PulseTrain first{pulses.start_ms, pulses.duration_ms};
  Real on_ms = 0;
  const auto before = static_cast<std::int64_t>(pulses.start_ms / time.step_ms) - 1;
  for (std::int64_t step = std::max<std::int64_t>(before, 1); step <= time.steps(); ++step) {
    if (first.on(time.time_ms(step))) on_ms += time.time_ms(step) - time.time_ms(step - 1);
    if (time.time_ms(step) > pulses.start_ms + pulses.duration_ms) break;
  }
  return on_ms;
}

Quadrature quadrature_for(const Config& config, const Mesh& mesh) {
  const bool of_quadratic = config.quadrature == Quadrature::fourteen_points;
  if (mesh.is_quadratic() && !of_quadratic && !config.quadrature_place.empty())
    throw InputError(fmt::format("{}: expected fourteen_points, or none, for a mesh of quadratic tetrahedra, got '{}'",
                                 config.quadrature_place, name_of(config.quadrature, quadrature_names)));
  if (!mesh.is_quadratic() && of_quadratic)
    throw InputError(
        fmt::format("{}: expected centroid, vertices or vertices_and_centroid for a mesh of linear tetrahedra, got "
                    "'fourteen_points'",
                    config.quadrature_place));
  if (mesh.is_quadratic() && is_ionic(config.cell_model.cell))
    throw InputError(fmt::format(
        "cell_model: {} has its cells at the nodes of linear tetrahedra, but '{}' has quadratic ones: expected "
        "a mesh of linear ones, or one of aliev_panfilov, mitchell_schaeffer, bueno_orovio",
        name_of(config.cell_model.cell), config.mesh.file.string()));
  return mesh.is_quadratic() ? Quadrature::fourteen_points : config.quadrature;
}

Problem build_problem(const Config& config, const Mesh& mesh) {
  Problem problem;
  problem.mesh = borrowed(mesh);
  std::visit([&]<class Cell>(const Cell&) { set_cells<Cell>(config, problem); }, *config.cell_model.cell);
  set_initial_values(config.initial, starts_of(problem.cell_models), problem);
  const StimulusConfig* before = nullptr;
  for (const StimulusConfig& stimulus : config.stimuli) {
    const TimeConfig& time = config.time;
    if (stimulus.start_ms < time.end_ms && first_pulse_ms({stimulus.start_ms, stimulus.duration_ms}, time) == 0)
      throw InputError(fmt::format(
          "{}: stimulus '{}' is on in no step: its {:.6g} ms from {:.6g} ms lie between two steps of {:.6g} ms",
          stimulus.where.place, stimulus.name, stimulus.duration_ms, stimulus.start_ms, time.step_ms));
    Stimulus made;
    if (before && is_same_place(*before, stimulus))
      made = problem.stimuli.back();
    else
      place_stimulus(mesh, stimulus, made);
    before = &stimulus;
    made.pulses = {stimulus.start_ms, stimulus.duration_ms, stimulus.period_ms.value_or(0), stimulus.count};
    made.amplitude = problem.scaling().stimulus(stimulus.amplitude_mv_per_ms);
    problem.stimuli.push_back(std::move(made));
  }
  set_boundary(config.boundary, problem);
  prescribe_nodes_without_tissue(problem);
  require_admissible_start(problem);
  problem.probes = locate_probes(mesh, config.probes);
  problem.beats = beat_wish(config.output, config.time.end_ms);
  problem.ecg = ecg_of(config, mesh, problem.scaling().ms_per_tau);
  problem.time = {config.time.scheme,
                  config.time.adaptive.enabled ? config.time.adaptive.tolerance : TimeMethod::equal_steps,
                  config.newton_follows_step, config.linear_solver.follows_step};
  problem.newton = config.newton;
  problem.linear_solver = {config.linear_solver.follows_step ? 0 : config.linear_solver.tolerance,
                           config.linear_solver.max_iterations};
  problem.preconditioner = config.linear_solver.preconditioner;
  problem.polynomial = config.linear_solver.polynomial;
  problem.precision = config.linear_solver.precision;
  problem.path = config.linear_solver.path;
  problem.matrix_operator = config.linear_solver.matrix_operator;
  problem.matrix = config.linear_solver.matrix;
  problem.assembly = config.assembly;
  problem.sends_potential = config.output.in_single() && (config.output.potential || config.output.phi_e);
  problem.quadrature = quadrature_for(config, mesh);
  return problem;
}

Real least_linear_tolerance(const Methods& methods) {
  if (methods.time.linear_follows) return methods.time.linear_error(methods.newton);
  if (methods.newton.forcing == ForcingChoice::fixed) return methods.linear_solver.relative_tolerance;
  return 100 * methods.newton.tolerance;
}

}  // namespace cardiowarp
