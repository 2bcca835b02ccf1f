#pragma once
#include <vector>

#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"
#include "fem/scaling.hpp"

namespace cardiowarp {

/// Tolerances at which two runs of the same problem agree to rounding.
inline constexpr NewtonConfig tight_newton{1e-12, 30};
inline constexpr CgConfig tight_cg{1e-14, 5000};

/// A problem on `mesh` with one cell model, one diffusivity (mm²/ms) along the mesh's fibres, at rest and unstimulated.
inline Problem resting_problem(const Mesh& mesh, Real isotropic_mm2_per_ms, Real anisotropic_mm2_per_ms,
                               const AlievPanfilov& cell = {}) {
  Problem problem;
  problem.mesh = &mesh;
  problem.cell_models = {cell};
  problem.cell_model.assign(mesh.tetrahedra.size(), 0);
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    problem.diffusivity.push_back({scaled_diffusivity(isotropic_mm2_per_ms), scaled_diffusivity(anisotropic_mm2_per_ms),
                                   mesh.fibers.empty() ? Vector3{} : mesh.fibers[e]});
  problem.phi.assign(mesh.nodes.size(), 0);
  problem.recovery.assign(mesh.tetrahedra.size(), 0);
  problem.newton = tight_newton;
  problem.linear_solver = tight_cg;
  return problem;
}

/// A plan whose nodes and elements are numbered as in the mesh.
inline SimulationPlan plan_as_numbered(const Problem& problem) {
  auto same = std::make_unique<RenumberedProblem>();
  same->mesh = *problem.mesh;
  same->problem = problem;
  same->problem.mesh = &same->mesh;
  same->problem.matrix = chosen_options(problem.matrix, cpu_device(), {});
  return plan_in_given_order(std::move(same), cpu_device());
}

}  // namespace cardiowarp
