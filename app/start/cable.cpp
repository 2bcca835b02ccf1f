#include "app/start/cable.hpp"

#include <cmath>
#include <cstddef>

#include "fem/cells/models.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {

Config config_of_cable(const Config& run, const AnyCell& cell, Real diffusivity_mm2_per_ms) {
  Config config = run;
  config.cell_model = {cell};
  config.diffusivity = {diffusivity_mm2_per_ms, 0};
  config.fibers = {};
  config.regions.clear();
  config.initial = {};
  config.boundary.clear();
  config.stimuli.clear();
  config.probes.clear();
  config.output = {.directory = config.output.directory, .interval_ms = config.output.interval_ms};
  if (config.quadrature == Quadrature::fourteen_points) config.quadrature = Quadrature::vertices;
  // What is there for large systems or for a GPU, and does not change the answer, is not for a cable.
  config.assembly = {};
  config.linear_solver.preconditioner = PreconditionerChoice::jacobi;
  config.linear_solver.path = SolverPath::automatic;
  config.linear_solver.precision = SolverPrecision::double_precision;
  config.linear_solver.matrix = {};
  return config;
}

Problem cable_problem(const Config& config, const Mesh& mesh, Real excited_mm, Real front_mm) {
  Problem problem = build_problem(config, mesh);
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
    problem.phi[node] = (1 - std::tanh((mesh.nodes[node].x - excited_mm) / (2 * front_mm))) / 2;
  return problem;
}

}  // namespace cardiowarp
