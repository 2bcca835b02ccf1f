#pragma once
#include <vector>

#include "app/simulation/problem.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "fem/cells/models.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_check.hpp"

namespace cardiowarp {

/// Tolerances at which two runs of the same problem agree to rounding.
inline constexpr NewtonConfig tight_newton{1e-12, 30};
inline constexpr CgConfig tight_cg{1e-14, 5000};

/// A problem on `mesh` with one cell model, one diffusivity (mm²/ms) along the mesh's fibers, at rest and unstimulated.
template <CellModel Cell = AlievPanfilov>
Problem resting_problem(const Mesh& mesh, Real isotropic_mm2_per_ms, Real anisotropic_mm2_per_ms,
                        const Cell& cell = {}) {
  Problem problem;
  problem.mesh = borrowed(mesh);
  problem.cell_models = std::vector{cell};
  problem.cell_model.assign(mesh.tetrahedra.size(), 0);
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    problem.diffusivity.push_back({cell.scaling.diffusivity(isotropic_mm2_per_ms),
                                   cell.scaling.diffusivity(anisotropic_mm2_per_ms),
                                   mesh.fibers.empty() ? Vector3{} : mesh.fibers[e]});
  problem.phi.assign(mesh.nodes.size(), 0);
  for (const CellState& state : Cell::state_table())
    problem.states.insert(problem.states.end(), mesh.tetrahedra.size(), state.rest);
  problem.newton = tight_newton;
  problem.linear_solver = tight_cg;
  return problem;
}

/// The parameter sets of a problem whose cell model is Cell.
template <CellModel Cell = AlievPanfilov>
const std::vector<Cell>& cells_of(const Problem& problem) {
  return std::get<std::vector<Cell>>(*problem.cell_models);
}

/// Gives the problem a further kind of cell.
inline void add_kind(Problem& problem, const AlievPanfilov& cell) {
  std::vector<AlievPanfilov> kinds = cells_of(problem);
  kinds.push_back(cell);
  problem.cell_models = std::move(kinds);
}

/// A plan whose nodes and elements are numbered as in the mesh.
inline SimulationPlan plan_as_numbered(const Problem& problem) {
  RenumberedProblem same;
  same.problem = problem;
  same.problem.matrix = chosen_options(problem.matrix, cpu_device(), {});
  return plan_in_given_order(std::move(same), cpu_device());
}

}  // namespace cardiowarp
