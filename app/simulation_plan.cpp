#include "app/simulation_plan.hpp"

#include "app/backend_simulation.hpp"
#include "fem/input_error.hpp"
#include "kernels/sizing_backend.hpp"

namespace cardiowarp {

SimulationPlan plan_simulation(const Problem& problem, bool on_gpu) {
  return plan_in_given_order(renumber_for_locality(problem, on_gpu), on_gpu);
}

SimulationPlan plan_in_given_order(std::unique_ptr<RenumberedProblem> problem, bool on_gpu) {
  if (on_gpu && problem->problem.preconditioner == PreconditionerChoice::block_jacobi)
    throw InputError("linear_solver.preconditioner: expected jacobi on a GPU, got 'block_jacobi'");
  SimulationPlan plan;
  plan.renumbered = std::move(problem);
  const Mesh& mesh = plan.renumbered->mesh;
  plan.sparsity = build_sparsity(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()), plan.renumbered->column_key);
  plan.matrix = matrix_layout(plan.sparsity, plan.problem().matrix);
  AssemblyOptions& assembly = plan.renumbered->problem.assembly;
  if (assembly.strategy == AssemblyStrategy::automatic) assembly.strategy = AssemblyStrategy::scalar_gather;
  if (assembly.strategy == AssemblyStrategy::spmv)
    plan.assembly = spmv_assembly_plan(mesh.tetrahedra, plan.sparsity, plan.matrix, assembly);
  else if (plan.matrix.options.format == MatrixFormat::csr && !on_gpu)
    plan.assembly = scalar_rows_plan(mesh, plan.problem().diffusivity, plan.sparsity);
  else if (on_gpu && slice_gather_suits(plan.matrix, plan.sparsity))
    plan.assembly = slice_gather_plan(mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix);
  else
    plan.assembly = scalar_gather_plan(mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix);
  if (plan.renumbered->chosen_for_gpu) plan.parts = matrix_parts(plan.matrix.ell_warp);
  if (plan.parts) plan.on_chip = on_chip_shape(plan.matrix.ell_warp.shape, *plan.parts);
  if (plan.parts && !plan.on_chip && !fill_any_device(*plan.parts)) plan.parts.reset();
  if (plan.parts && !plan.on_chip) plan.persistent = persistent_shape(*plan.parts);
  return plan;
}

std::size_t backend_bytes(const SimulationPlan& plan) {
  const BackendSimulation<SizingBackend> simulation(plan);
  return simulation.backend().bytes();
}

}  // namespace cardiowarp
