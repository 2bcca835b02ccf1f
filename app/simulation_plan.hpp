#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <variant>

#include "app/problem.hpp"
#include "app/renumbering.hpp"
#include "assembly/assembly.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/scalar_gather.hpp"
#include "assembly/scalar_rows.hpp"
#include "assembly/slice_gather.hpp"
#include "assembly/sparsity.hpp"
#include "assembly/spmv_assembly.hpp"
#include "solver/matrix_parts.hpp"
#include "solver/on_chip_shape.hpp"
#include "solver/persistent_shape.hpp"

namespace cardiowarp {

/// Everything that mesh and options fix before the first step, worked out on the host for whichever backend.
struct SimulationPlan {
  std::unique_ptr<RenumberedProblem> renumbered;
  Sparsity sparsity;
  MatrixLayout matrix;
  std::variant<ScalarRowsPlan, ScalarGatherPlan, SliceGatherPlan, SpmvAssemblyPlan> assembly;
  std::optional<MatrixParts> parts;           ///< on a GPU, where `automatic` became K1rs
  std::optional<OnChipShape> on_chip;         ///< and where these fit into its multiprocessors
  std::optional<PersistentShape> persistent;  ///< or do not, but can be solved in one launch

  const Problem& problem() const { return renumbered->problem; }
};

/// Of a problem in the order that suits the machine; `on_gpu` decides what `automatic` means. Throws InputError where
/// the mesh is too large for the numbers, and for block Jacobi on a GPU.
SimulationPlan plan_simulation(const Problem& problem, bool on_gpu);

/// Of a problem in the order it has.
SimulationPlan plan_in_given_order(std::unique_ptr<RenumberedProblem> problem, bool on_gpu);

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
