#pragma once
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "app/simulation/nodal_cells.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/ionic/ionic_assembly.hpp"
#include "assembly/operators/element_operator.hpp"
#include "assembly/operators/quadratic_operator.hpp"
#include "assembly/quadratic_spmv.hpp"
#include "fem/cells/models.hpp"

namespace cardiowarp {

// The text of make_assembly() and make_matrix() (simulation_plan.hpp) for whichever backend. Only the sources that
// compile it for a backend include it; simulation_plan.hpp names them.

/// The assembly for the integration points at the centroids. `cells` are the parameter sets of the one cell model that
/// the tissue has.
template <Backend B, CellModel Cell>
std::unique_ptr<Assembly<B>> make_centroid_assembly(B& backend, const SimulationPlan& plan,
                                                    const std::vector<Cell>& cells) {
  const Problem& problem = plan.problem();
  if (const auto* spmv = std::get_if<SpmvAssemblyPlan>(&plan.assembly))
    return std::make_unique<SpmvAssembly<B, Cell>>(backend, *spmv, *problem.mesh, problem.diffusivity, cells,
                                                   problem.cell_model);
  if (const auto* paper = std::get_if<PaperAssemblyPlan>(&plan.assembly))
    return make_paper_assembly(backend, *paper, tissue_to_assemble(plan));
  if (const auto* rows = std::get_if<ScalarRowsPlan>(&plan.assembly))
    return std::make_unique<ScalarRows<B, Cell>>(backend, *rows, plan.sparsity, problem.mesh->tetrahedra, cells,
                                                 problem.cell_model);
  if (const auto* slices = std::get_if<SliceGatherPlan>(&plan.assembly))
    return std::make_unique<SliceGather<B, Cell>>(backend, *slices, problem.mesh->tetrahedra, cells,
                                                  problem.cell_model);
  return std::make_unique<ScalarGather<B, Cell>>(backend, std::get<ScalarGatherPlan>(plan.assembly),
                                                 problem.mesh->tetrahedra, cells, problem.cell_model);
}

/// The assembly of a quadratic mesh.
template <Backend B>
std::unique_ptr<Assembly<B>> make_quadratic_assembly(B& backend, const SimulationPlan& plan) {
  const Problem& problem = plan.problem();
  const TissueCells& cells = problem.cell_models;
  if (plan.operators)
    return std::make_unique<QuadraticOperatorAssembly<B>>(backend, plan.quadratic->points, cells, problem.cell_model);
  if (const auto* spmv = std::get_if<SpmvAssemblyPlan>(&plan.assembly))
    return std::make_unique<QuadraticSpmvAssembly<B>>(
        backend, *spmv, quadratic_point_loop(backend, plan.quadratic->points, cells, problem.cell_model), *problem.mesh,
        problem.diffusivity);
  if (const auto* paper = std::get_if<PaperAssemblyPlan>(&plan.assembly))
    return make_paper_assembly(backend, *paper, tissue_to_assemble(plan));
  return std::make_unique<QuadraticAssembly<B>>(backend, *plan.quadratic, cells, problem.cell_model);
}

/// The assembly for all integration points of a linear mesh that the quadrature of the plan's problem has, at which no
/// node is taken for prescribed.
template <Backend B, CellModel Cell>
std::unique_ptr<Assembly<B>> make_linear_assembly(B& backend, const SimulationPlan& plan,
                                                  const std::vector<Cell>& cells) {
  if (plan.operators)
    return std::make_unique<OperatorAssembly<B, Cell>>(backend, *plan.operators,
                                                       plan.vertices ? &*plan.vertices : nullptr, *plan.problem().mesh,
                                                       cells, plan.problem().cell_model);
  if (!plan.vertices) return make_centroid_assembly(backend, plan, cells);
  if (std::holds_alternative<NoCentroids>(plan.assembly))
    return std::make_unique<DiagonalAssembly<B, Cell>>(backend, *plan.vertices, cells);
  return std::make_unique<AssemblyWithVertices<B, Cell>>(backend, *plan.vertices, cells,
                                                         make_centroid_assembly(backend, plan, cells));
}

/// The assembly of ionic cells, which choose_assembly() has with a lumped mass and a global matrix alone.
template <Backend B>
std::unique_ptr<Assembly<B>> make_linear_assembly(B& backend, const SimulationPlan& plan,
                                                  const std::vector<IonicCell>& cells) {
  const VertexPlan& vertices = plan.vertices.value();
  const Scaling scaling = plan.problem().scaling();
  if (const NodalCells* nodal = plan.problem().nodal_cells.get())
    return std::make_unique<IonicAssembly<B>>(backend, vertices, with_nodal_cells(vertices.points, *nodal),
                                              nodal->cells, scaling);
  return std::make_unique<IonicAssembly<B>>(backend, vertices, vertices.points, cells, scaling);
}

template <Backend B>
std::unique_ptr<GlobalMatrix<B>> make_matrix(B& backend, const SimulationPlan& plan) {
  if (!plan.operators) return make_global_matrix(backend, plan.sparsity, plan.matrix);
  if (plan.quadratic)
    return std::make_unique<QuadraticOperator<B>>(backend, *plan.operators, *plan.problem().mesh,
                                                  plan.problem().diffusivity, plan.sparsity, plan.matrix);
  return std::make_unique<ElementOperator<B>>(backend, *plan.operators, *plan.problem().mesh,
                                              plan.problem().diffusivity, plan.sparsity, plan.matrix);
}

template <Backend B>
std::unique_ptr<Assembly<B>> make_assembly(B& backend, const SimulationPlan& plan) {
  std::unique_ptr<Assembly<B>> assembly =
      plan.quadratic ? make_quadratic_assembly(backend, plan)
                     : std::visit([&](const auto& cells) { return make_linear_assembly(backend, plan, cells); },
                                  *plan.problem().cell_models);
  if (plan.prescribed.empty()) return assembly;
  return std::make_unique<AssemblyWithPrescribed<B>>(backend, plan.prescribed, std::move(assembly));
}

}  // namespace cardiowarp
