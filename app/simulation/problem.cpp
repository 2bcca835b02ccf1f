#include "app/simulation/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "app/config/time_grid.hpp"
#include "app/simulation/mesh_arrays.hpp"
#include "app/simulation/selection.hpp"
#include "fem/input_error.hpp"
#include "fem/scaling.hpp"

namespace cardiowarp {
namespace {

AlievPanfilov overridden(AlievPanfilov parameters, const CellModelOverride& change) {
  parameters.alpha = change.alpha.value_or(parameters.alpha);
  parameters.gamma = change.gamma.value_or(parameters.gamma);
  parameters.b = change.b.value_or(parameters.b);
  parameters.c = change.c.value_or(parameters.c);
  parameters.mu1 = change.mu1.value_or(parameters.mu1);
  parameters.mu2 = change.mu2.value_or(parameters.mu2);
  return parameters;
}

Vector3 unit(Vector3 direction) { return (1 / norm(direction)) * direction; }

std::vector<Vector3> element_fibers(const Config& config, const Mesh& mesh) {
  switch (config.fibers.source) {
    case FiberSource::constant:
      return std::vector<Vector3>(mesh.tetrahedra.size(), unit(config.fibers.direction));
    case FiberSource::mesh:
      if (mesh.fibers.empty())
        throw InputError(fmt::format("{}: mesh, but '{}' has no fibres: {}", config.fibers.place,
                                     config.mesh.file.string(), where_fibers_are_expected(mesh, config.mesh.file)));
      if (const auto zero = std::find(mesh.fibers.begin(), mesh.fibers.end(), Vector3{}); zero != mesh.fibers.end())
        throw InputError(fmt::format("{}: mesh, but the fibre of element {} of '{}' is (0, 0, 0)", config.fibers.place,
                                     zero - mesh.fibers.begin(), config.mesh.file.string()));
      return mesh.fibers;
    case FiberSource::none:
      break;
  }
  return std::vector<Vector3>(mesh.tetrahedra.size());
}

/// The parameter sets and diffusivities of all elements, regions applied in order.
void set_materials(const Config& config, Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  const std::vector<Vector3> fibers = element_fibers(config, mesh);
  const DiffusivityConfig& base = config.diffusivity;
  problem.diffusivity.reserve(fibers.size());
  for (const Vector3& fiber : fibers)
    problem.diffusivity.push_back(
        {scaled_diffusivity(base.isotropic_mm2_per_ms), scaled_diffusivity(base.anisotropic_mm2_per_ms), fiber});
  problem.cell_models = {config.cell_model.parameters};
  problem.cell_model.assign(fibers.size(), 0);

  for (const RegionConfig& region : config.regions) {
    const std::vector<Index> elements = select_elements(mesh, region.where);
    // A region changes what was there before it: one new parameter set for each old one it touches.
    std::vector<int> replacement(problem.cell_models.size(), -1);
    for (const Index element : elements) {
      Diffusivity& diffusivity = problem.diffusivity[element];
      if (region.diffusivity) {
        diffusivity.isotropic = scaled_diffusivity(region.diffusivity->isotropic_mm2_per_ms);
        diffusivity.anisotropic = scaled_diffusivity(region.diffusivity->anisotropic_mm2_per_ms);
      }
      int& replaced_by = replacement[problem.cell_model[element]];
      if (replaced_by < 0) {
        const AlievPanfilov changed = overridden(problem.cell_models[problem.cell_model[element]], region.cell_model);
        const auto known = std::find(problem.cell_models.begin(), problem.cell_models.end(), changed);
        replaced_by = static_cast<int>(known - problem.cell_models.begin());
        if (known == problem.cell_models.end()) problem.cell_models.push_back(changed);
      }
      problem.cell_model[element] = static_cast<std::uint16_t>(replaced_by);
    }
    if (problem.cell_models.size() > std::numeric_limits<std::uint16_t>::max())
      throw InputError(fmt::format("{}: more than {} different parameter sets", region.where.place,
                                   std::numeric_limits<std::uint16_t>::max()));
  }
}

/// Parameter sets that a later region has replaced everywhere are dropped.
void drop_unused_cell_models(Problem& problem) {
  std::vector<int> kept(problem.cell_models.size(), -1);
  std::vector<AlievPanfilov> used;
  for (std::uint16_t& model : problem.cell_model) {
    if (kept[model] < 0) {
      kept[model] = static_cast<int>(used.size());
      used.push_back(problem.cell_models[model]);
    }
    model = static_cast<std::uint16_t>(kept[model]);
  }
  problem.cell_models = std::move(used);
}

void require_admissible_start(const Problem& problem) {
  const std::vector<Real> lowest = lowest_admissible_phi(problem);
  for (std::size_t node = 0; node < lowest.size(); ++node)
    if (problem.phi[node] <= lowest[node])
      throw InputError(
          fmt::format("initial potential of node {}: expected more than {:.6g} mV (μ2 + φ > 0), got {:.6g} mV", node,
                      mv_from_phi(lowest[node]), mv_from_phi(problem.phi[node])));
}

void set_initial_values(const InitialConfig& initial, Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  problem.phi.assign(mesh.nodes.size(), phi_from_mv(initial.potential_mv));
  problem.recovery.assign(mesh.tetrahedra.size(), initial.recovery);
  for (const InitialRegionConfig& region : initial.regions) {
    if (region.potential_mv)
      for (const Index node : select_nodes(mesh, region.where)) problem.phi[node] = phi_from_mv(*region.potential_mv);
    if (region.recovery)
      for (const Index element : select_elements(mesh, region.where)) problem.recovery[element] = *region.recovery;
  }
}

}  // namespace

Real first_pulse_ms(const PulseTrain& pulses, const TimeConfig& config) {
  if (config.adaptive.enabled) return std::clamp<Real>(config.end_ms - pulses.start_ms, 0, pulses.duration_ms);
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

Problem build_problem(const Config& config, const Mesh& mesh) {
  Problem problem;
  problem.mesh = &mesh;
  set_materials(config, problem);
  drop_unused_cell_models(problem);
  set_initial_values(config.initial, problem);
  require_admissible_start(problem);
  for (const StimulusConfig& stimulus : config.stimuli) {
    const TimeConfig& time = config.time;
    if (stimulus.start_ms < time.end_ms && first_pulse_ms({stimulus.start_ms, stimulus.duration_ms}, time) == 0)
      throw InputError(fmt::format(
          "{}: stimulus '{}' is on in no step: its {:.6g} ms from {:.6g} ms lie between two steps of {:.6g} ms",
          stimulus.where.place, stimulus.name, stimulus.duration_ms, stimulus.start_ms, time.step_ms));
    problem.stimuli.push_back(
        {select_nodes(mesh, stimulus.where),
         {stimulus.start_ms, stimulus.duration_ms, stimulus.period_ms.value_or(0), stimulus.count},
         scaled_stimulus(stimulus.amplitude_mv_per_ms)});
  }
  problem.probes = locate_probes(mesh, config.probes);
  problem.newton = config.newton;
  problem.linear_solver = {config.linear_solver.tolerance, config.linear_solver.max_iterations};
  problem.preconditioner = config.linear_solver.preconditioner;
  problem.path = config.linear_solver.path;
  problem.matrix = config.linear_solver.matrix;
  problem.assembly = config.assembly;
  return problem;
}

std::vector<Real> lowest_admissible_phi(const Problem& problem) {
  std::vector<Real> lowest(problem.mesh->nodes.size(), -std::numeric_limits<Real>::infinity());
  for (std::size_t element = 0; element < problem.cell_model.size(); ++element)
    for (const Index node : problem.mesh->tetrahedra[element])
      lowest[node] = std::max(lowest[node], -problem.cell_models[problem.cell_model[element]].mu2);
  return lowest;
}

std::pair<Real, Real> front_thickness_mm(const Problem& problem, std::size_t element) {
  const Diffusivity& D = problem.diffusivity[element];
  const Real c = problem.cell_models[problem.cell_model[element]].c;
  return std::minmax(
      {std::sqrt(2 * D.isotropic / c), std::sqrt(2 * (D.isotropic + D.anisotropic * dot(D.fiber, D.fiber)) / c)});
}

std::pair<Real, Real> front_thickness_mm(const Problem& problem) {
  Real thinnest = std::numeric_limits<Real>::infinity(), thickest = 0;
  for (std::size_t element = 0; element < problem.diffusivity.size(); ++element) {
    const auto [thin, thick] = front_thickness_mm(problem, element);
    thinnest = std::min(thinnest, thin);
    thickest = std::max(thickest, thick);
  }
  return {thinnest, thickest};
}

}  // namespace cardiowarp
