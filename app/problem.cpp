#include "app/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "app/selection.hpp"
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
        throw InputError(
            fmt::format("{}: fibers.source: mesh, but '{}' has no fibres (a .lon file beside .pts, or a cell array "
                        "'fiber' in .vtu)",
                        config.file.string(), config.mesh.file.string()));
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
      if (region.isotropic_mm2_per_ms) diffusivity.isotropic = scaled_diffusivity(*region.isotropic_mm2_per_ms);
      if (region.anisotropic_mm2_per_ms) diffusivity.anisotropic = scaled_diffusivity(*region.anisotropic_mm2_per_ms);
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

/// Regions override parts of the diffusivity, so only the sum of all can be judged.
void require_positive_diffusivity(const Problem& problem) {
  for (std::size_t element = 0; element < problem.diffusivity.size(); ++element) {
    const Diffusivity& D = problem.diffusivity[element];
    if (!(D.isotropic > 0 && D.isotropic + D.anisotropic > 0))
      throw InputError(
          fmt::format("diffusivity of element {}: expected isotropic > 0 and isotropic + anisotropic > 0 after all "
                      "regions, got {:.6g} "
                      "and {:.6g} mm²/ms",
                      element, D.isotropic / ms_per_tau, D.anisotropic / ms_per_tau));
  }
}

/// Regions may set μ2, so the range is each element's own.
void require_admissible_start(const Problem& problem) {
  for (std::size_t element = 0; element < problem.cell_model.size(); ++element)
    for (const Index node : problem.mesh->tetrahedra[element]) {
      const AlievPanfilov& cell = problem.cell_models[problem.cell_model[element]];
      if (!cell.admissible(problem.phi[node]))
        throw InputError(
            fmt::format("initial potential of node {}: expected more than {:.6g} mV (μ2 = {:.6g}), got {:.6g} mV", node,
                        mv_from_phi(-cell.mu2), cell.mu2, mv_from_phi(problem.phi[node])));
    }
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

Problem build_problem(const Config& config, const Mesh& mesh) {
  Problem problem;
  problem.mesh = &mesh;
  set_materials(config, problem);
  require_positive_diffusivity(problem);
  set_initial_values(config.initial, problem);
  require_admissible_start(problem);
  for (const StimulusConfig& stimulus : config.stimuli)
    problem.stimuli.push_back(
        {select_nodes(mesh, stimulus.where),
         {stimulus.start_ms, stimulus.duration_ms, stimulus.period_ms.value_or(0), stimulus.count},
         scaled_stimulus(stimulus.amplitude_mv_per_ms)});
  problem.probes = locate_probes(mesh, config.probes);
  problem.newton = config.newton;
  problem.linear_solver = {config.linear_solver.tolerance, config.linear_solver.max_iterations};
  return problem;
}

std::pair<Real, Real> front_thickness_mm(const Problem& problem) {
  Real thinnest = std::numeric_limits<Real>::infinity(), thickest = 0;
  for (std::size_t element = 0; element < problem.diffusivity.size(); ++element) {
    const Diffusivity& D = problem.diffusivity[element];
    const Real c = problem.cell_models[problem.cell_model[element]].c;
    for (const Real along : {D.isotropic, D.isotropic + D.anisotropic * dot(D.fiber, D.fiber)}) {
      const Real thickness = std::sqrt(2 * along / c);
      thinnest = std::min(thinnest, thickness);
      thickest = std::max(thickest, thickness);
    }
  }
  return {thinnest, thickest};
}

std::vector<std::string> problem_warnings(const Config& config, const Problem& problem) {
  std::vector<std::string> warnings;
  Real steepest = 0;
  for (const AlievPanfilov& cell : problem.cell_models) steepest = std::max(steepest, cell.steepest_reaction());
  if (tau_from_ms(config.time.step_ms) * steepest >= 1)
    warnings.push_back(
        fmt::format("time.step {} ms: the tangent can lose positive definiteness from {:.3g} ms on (1/h > max df/dφ)",
                    config.time.step_ms, ms_per_tau / steepest));
  const bool anisotropic = std::any_of(problem.diffusivity.begin(), problem.diffusivity.end(),
                                       [](const Diffusivity& d) { return d.anisotropic != 0; });
  if (anisotropic && config.fibers.source == FiberSource::none)
    warnings.push_back("fibers.source is none: the anisotropic part of the diffusivity has no effect");
  const bool uniform_start =
      std::adjacent_find(problem.phi.begin(), problem.phi.end(), std::not_equal_to<>()) == problem.phi.end();
  if (problem.stimuli.empty() && uniform_start)
    warnings.push_back("no stimulus and a uniform start: nothing will propagate");
  return warnings;
}

}  // namespace cardiowarp
