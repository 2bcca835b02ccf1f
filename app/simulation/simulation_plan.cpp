#include "app/simulation/simulation_plan.hpp"

#include "app/simulation/backend_simulation.hpp"
#include "kernels/backend/sizing_backend.hpp"

namespace cardiowarp {

SimulationPlan plan_simulation(const Problem& problem, const Device& device) {
  return plan_in_given_order(renumber_for_locality(problem, device), device);
}

SimulationPlan plan_in_given_order(std::unique_ptr<RenumberedProblem> problem, const Device& device) {
  SimulationPlan plan;
  plan.renumbered = std::move(problem);
  const Mesh& mesh = plan.renumbered->mesh;
  plan.sparsity = build_sparsity(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()), plan.renumbered->column_key);
  plan.matrix = matrix_layout(plan.sparsity, plan.problem().matrix);
  AssemblyOptions& assembly = plan.renumbered->problem.assembly;
  if (assembly.strategy == AssemblyStrategy::automatic) assembly.strategy = AssemblyStrategy::scalar_gather;
  if (assembly.strategy == AssemblyStrategy::spmv)
    plan.assembly = spmv_assembly_plan(mesh.tetrahedra, plan.sparsity, plan.matrix, assembly);
  else if (plan.matrix.options.format == MatrixFormat::csr && !device.is_gpu)
    plan.assembly = scalar_rows_plan(mesh, plan.problem().diffusivity, plan.sparsity);
  else if (device.is_gpu && slice_gather_suits(plan.matrix, plan.sparsity))
    plan.assembly = slice_gather_plan(mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix);
  else
    plan.assembly = scalar_gather_plan(mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix);
  plan.solver = plan_solver(device, plan.renumbered->solver, plan.matrix);
  return plan;
}

std::size_t backend_bytes(const SimulationPlan& plan) {
  const BackendSimulation<SizingBackend> simulation(plan);
  return simulation.backend().bytes();
}

}  // namespace cardiowarp
