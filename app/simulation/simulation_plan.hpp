#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <variant>

#include "app/simulation/problem.hpp"
#include "app/simulation/renumbering.hpp"
#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/scalar_gather.hpp"
#include "assembly/scalar_rows.hpp"
#include "assembly/slice_gather.hpp"
#include "assembly/sparsity.hpp"
#include "assembly/spmv_assembly.hpp"
#include "solver/linear_solver.hpp"

namespace cardiowarp {

/// Everything that mesh and options fix before the first step, worked out on the host for whichever backend.
struct SimulationPlan {
  std::unique_ptr<RenumberedProblem> renumbered;
  Sparsity sparsity;
  MatrixLayout matrix;
  std::variant<ScalarRowsPlan, ScalarGatherPlan, SliceGatherPlan, SpmvAssemblyPlan> assembly;
  SolverPlan solver;

  const Problem& problem() const { return renumbered->problem; }
};

/// Of a problem in the order that suits the device, which decides what `automatic` means. Throws InputError where the
/// mesh is too large for the numbers, and where choose_solver() or plan_solver() refuse a wish.
SimulationPlan plan_simulation(const Problem& problem, const Device& device);

/// Of a problem in the order it has.
SimulationPlan plan_in_given_order(std::unique_ptr<RenumberedProblem> problem, const Device& device);

/// Memory that a simulation of the plan allocates where it computes; cuSPARSE's workspace and the factor of block
/// Jacobi are left out.
std::size_t backend_bytes(const SimulationPlan& plan);

template <Backend B>
std::unique_ptr<Assembly<B>> make_assembly(B& backend, const SimulationPlan& plan) {
  const Problem& problem = plan.problem();
  if (const auto* spmv = std::get_if<SpmvAssemblyPlan>(&plan.assembly))
    return std::make_unique<SpmvAssembly<B, AlievPanfilov>>(backend, *spmv, *problem.mesh, problem.diffusivity,
                                                            problem.cell_models, problem.cell_model);
  if (const auto* rows = std::get_if<ScalarRowsPlan>(&plan.assembly))
    return std::make_unique<ScalarRows<B, AlievPanfilov>>(backend, *rows, plan.sparsity, problem.mesh->tetrahedra,
                                                          problem.cell_models, problem.cell_model);
  if (const auto* slices = std::get_if<SliceGatherPlan>(&plan.assembly))
    return std::make_unique<SliceGather<B, AlievPanfilov>>(backend, *slices, problem.mesh->tetrahedra,
                                                           problem.cell_models, problem.cell_model);
  return std::make_unique<ScalarGather<B, AlievPanfilov>>(backend, std::get<ScalarGatherPlan>(plan.assembly),
                                                          problem.mesh->tetrahedra, problem.cell_models,
                                                          problem.cell_model);
}

}  // namespace cardiowarp
