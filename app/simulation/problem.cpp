#include "app/simulation/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "app/config/config.hpp"
#include "app/config/config_names.hpp"
#include "app/config/time_grid.hpp"
#include "app/simulation/boundary.hpp"
#include "app/simulation/conducting.hpp"
#include "app/simulation/mesh_arrays.hpp"
#include "app/simulation/probes.hpp"
#include "app/simulation/selection.hpp"
#include "app/simulation/stimulated_nodes.hpp"
#include "fem/input_error.hpp"
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

/// The diffusivities of all elements and their parameter sets, which go into `sets`; regions applied in order.
template <class Cell>
void set_materials(const Config& config, std::vector<Cell>& sets, Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  const DiffusivityConfig& base = config.diffusivity;
  const Scaling scaling = scaling_of(config.cell_model.cell);
  problem.diffusivity = diffusivities(config, mesh, scaling.diffusivity(base.isotropic_mm2_per_ms),
                                      scaling.diffusivity(base.anisotropic_mm2_per_ms));
  sets = {std::get<Cell>(config.cell_model.cell)};
  resize_by_team(problem.cell_model, mesh.tetrahedra.size());

  for (const RegionConfig& region : config.regions) {
    const std::vector<Index> elements = select_elements(mesh, region.where);
    // A region changes what was there before it: one new parameter set for each old one it touches.
    std::vector<int> replacement(sets.size(), -1);
    for (const Index element : elements) {
      Diffusivity& diffusivity = problem.diffusivity[element];
      if (region.diffusivity) {
        diffusivity.isotropic = scaling.diffusivity(region.diffusivity->isotropic_mm2_per_ms);
        diffusivity.anisotropic = scaling.diffusivity(region.diffusivity->anisotropic_mm2_per_ms);
      }
      int& replaced_by = replacement[problem.cell_model[element]];
      if (replaced_by < 0) {
        const Cell changed = std::get<Cell>(overridden(sets[problem.cell_model[element]], region.cell_model));
        const auto known = std::find(sets.begin(), sets.end(), changed);
        replaced_by = static_cast<int>(known - sets.begin());
        if (known == sets.end()) sets.push_back(changed);
      }
      problem.cell_model[element] = static_cast<std::uint16_t>(replaced_by);
    }
    if (sets.size() > std::numeric_limits<std::uint16_t>::max())
      throw InputError(fmt::format("{}: more than {} different parameter sets", region.where.place,
                                   std::numeric_limits<std::uint16_t>::max()));
  }
  if (has_own_fibers(config.fibers)) settle_fibers(config, problem);
}

/// Parameter sets that a later region has replaced everywhere are dropped.
template <class Cell>
void drop_unused_cell_models(std::vector<Cell>& sets, Problem& problem) {
  if (sets.size() == 1) return;
  std::vector<int> kept(sets.size(), -1);
  std::vector<Cell> used;
  for (std::uint16_t& model : problem.cell_model) {
    if (kept[model] < 0) {
      kept[model] = static_cast<int>(used.size());
      used.push_back(sets[model]);
    }
    model = static_cast<std::uint16_t>(kept[model]);
  }
  sets = std::move(used);
}

void require_admissible_start(const Problem& problem) {
  const std::vector<Real> lowest = lowest_admissible_phi(problem);
  for (std::size_t node = 0; node < lowest.size(); ++node)
    if (problem.phi[node] <= lowest[node])
      throw InputError(fmt::format("initial potential of node {}: expected more than {:.6g} mV{}, got {:.6g} mV", node,
                                   problem.scaling().mv_from_phi(lowest[node]), range_in_words(problem.cell_models),
                                   problem.scaling().mv_from_phi(problem.phi[node])));
}

/// Where the cells of a tissue begin: [kinds of cell] their potential and states.
struct Start {
  Real potential_mv;
  std::vector<Real> states;
};
std::vector<Start> starts_of(const TissueCells& cells) {
  if (const auto* ionic = std::get_if<std::vector<IonicCell>>(&cells)) {
    std::vector<Start> starts;
    for (const IonicCell& cell : *ionic) starts.push_back({cell.start().potential_mv, cell.start().states});
    return starts;
  }
  Start rest{scaling_of(cells).rest_mv, {}};
  for (const CellState& state : states_of(cells)) rest.states.push_back(state.rest);
  return std::vector<Start>(std::visit([](const auto& kinds) { return kinds.size(); }, cells), rest);
}

/// The potential of the nodes; one between cells that begin otherwise has that of the element with the lowest number.
void set_initial_potential(const std::optional<Real>& given_mv, const std::vector<Start>& starts, Problem& problem) {
  const Scaling scaling = problem.scaling();
  problem.phi.assign(problem.mesh->nodes.size(),
                     scaling.phi_from_mv(given_mv.value_or(starts[problem.cell_model.front()].potential_mv)));
  if (given_mv || starts.size() == 1) return;
  for (std::size_t element = problem.cell_model.size(); element-- > 0;)
    for (const Index node : problem.mesh->tetrahedra[element])
      problem.phi[node] = scaling.phi_from_mv(starts[problem.cell_model[element]].potential_mv);
}

void set_initial_values(const InitialConfig& initial, Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  const std::size_t elements = mesh.tetrahedra.size();
  const Scaling scaling = problem.scaling();
  const auto states = states_of(problem.cell_models);
  const auto number_of = [&](const std::string& name) { return state_number(states, name); };
  std::vector<Start> starts = starts_of(problem.cell_models);
  set_initial_potential(initial.potential_mv, starts, problem);
  for (Start& start : starts)
    for (const auto& [state, value] : initial.states) start.states[number_of(state)] = value;
  resize_by_team(problem.states, states.size() * elements);
  parallel_for(problem.states.size(), [&](std::size_t i) {
    problem.states[i] = starts[problem.cell_model[i % elements]].states[i / elements];
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

}  // namespace

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
  std::visit(
      [&]<class Cell>(const Cell&) {
        std::vector<Cell> sets;
        set_materials(config, sets, problem);
        drop_unused_cell_models(sets, problem);
        problem.cell_models = std::move(sets);
      },
      config.cell_model.cell);
  set_initial_values(config.initial, problem);
  for (const StimulusConfig& stimulus : config.stimuli) {
    const TimeConfig& time = config.time;
    if (stimulus.start_ms < time.end_ms && first_pulse_ms({stimulus.start_ms, stimulus.duration_ms}, time) == 0)
      throw InputError(fmt::format(
          "{}: stimulus '{}' is on in no step: its {:.6g} ms from {:.6g} ms lie between two steps of {:.6g} ms",
          stimulus.where.place, stimulus.name, stimulus.duration_ms, stimulus.start_ms, time.step_ms));
    StimulatedNodes where = stimulated_nodes(mesh, stimulus.where, stimulus.edge);
    problem.stimuli.push_back(
        {std::move(where.nodes),
         {stimulus.start_ms, stimulus.duration_ms, stimulus.period_ms.value_or(0), stimulus.count},
         problem.scaling().stimulus(stimulus.amplitude_mv_per_ms),
         std::move(where.share)});
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
  problem.sends_potential = config.output.in_single() && config.output.potential;
  problem.quadrature = quadrature_for(config, mesh);
  return problem;
}

Real least_linear_tolerance(const Methods& methods) {
  if (methods.time.linear_follows) return methods.time.linear_error(methods.newton);
  if (methods.newton.forcing == ForcingChoice::fixed) return methods.linear_solver.relative_tolerance;
  return 100 * methods.newton.tolerance;
}

}  // namespace cardiowarp
