#pragma once
#include <memory>
#include <variant>
#include <vector>

#include "assembly/papers/plans.hpp"

namespace cardiowarp {

// The assemblies that are made of the plans of the papers, for whichever backend. papers_cpu.cpp and papers_cuda.cu
// compile make_paper_assembly(); nobody else includes this.

/// The assembly of a plan for a quadratic mesh.
template <Backend B, CellModel Cell>
std::unique_ptr<Assembly<B>> make_quadratic_paper_assembly(B& backend, const PaperAssemblyPlan::Plans& plans,
                                                           const TissueToAssemble& tissue,
                                                           const std::vector<Cell>& cells) {
  using Arrays = QuadraticElementArrays<B, Cell>;
  const auto& [mesh, diffusivity, all_cells, cell_model, sparsity] = tissue;
  if (const auto* parts = std::get_if<SharedNzGeneralPlan>(&plans.of))
    return std::make_unique<SharedNzGeneral<B, Cell, Arrays>>(backend, *parts, mesh, diffusivity, cells, cell_model);
  if (const auto* global = std::get_if<QuadraticGlobalNzPlan>(&plans.of))
    return std::make_unique<QuadraticGlobalNz<B, Cell>>(backend, *global, mesh, diffusivity, cells, cell_model);
  if (const auto* local = std::get_if<LocalSumsPlan>(&plans.of))
    return std::make_unique<LocalSums<B, Cell, Arrays>>(backend, *local, sparsity, mesh, diffusivity, cells,
                                                        cell_model);
  if (const auto* scatter = std::get_if<ElementScatterPlan>(&plans.of))
    return std::make_unique<ElementScatter<B, Cell, Arrays>>(backend, *scatter, mesh, diffusivity, cells, cell_model);
  return std::make_unique<LazyEll<B, Cell, Arrays, quadratic_nodes>>(backend, std::get<LazyEllPlan>(plans.of), sparsity,
                                                                     mesh, diffusivity, cells, cell_model);
}

/// The assembly of a plan for a linear mesh.
template <Backend B, CellModel Cell>
std::unique_ptr<Assembly<B>> make_linear_paper_assembly(B& backend, const PaperAssemblyPlan::Plans& plans,
                                                        const TissueToAssemble& tissue,
                                                        const std::vector<Cell>& cells) {
  const auto& [mesh, diffusivity, all_cells, cell_model, sparsity] = tissue;
  if (const auto* parts = std::get_if<SharedNzPlan>(&plans.of))
    return std::make_unique<SharedNz<B, Cell>>(backend, *parts, mesh.tetrahedra, cells, cell_model);
  if (const auto* general = std::get_if<SharedNzGeneralPlan>(&plans.of))
    return std::make_unique<SharedNzGeneral<B, Cell>>(backend, *general, mesh, diffusivity, cells, cell_model);
  if (const auto* global = std::get_if<GlobalNzPlan>(&plans.of))
    return std::make_unique<GlobalNz<B, Cell>>(backend, *global, mesh, diffusivity, cells, cell_model);
  if (const auto* local = std::get_if<LocalSumsPlan>(&plans.of))
    return std::make_unique<LocalSums<B, Cell>>(backend, *local, sparsity, mesh, diffusivity, cells, cell_model);
  if (const auto* scatter = std::get_if<ElementScatterPlan>(&plans.of))
    return std::make_unique<ElementScatter<B, Cell>>(backend, *scatter, mesh, diffusivity, cells, cell_model);
  return std::make_unique<LazyEll<B, Cell>>(backend, std::get<LazyEllPlan>(plans.of), sparsity, mesh, diffusivity,
                                            cells, cell_model);
}

template <Backend B>
std::unique_ptr<Assembly<B>> make_paper_assembly(B& backend, const PaperAssemblyPlan& plan,
                                                 const TissueToAssemble& tissue) {
  return std::visit(
      [&](const auto& cells) {
        return tissue.mesh.is_quadratic() ? make_quadratic_paper_assembly(backend, plan.plans(), tissue, cells)
                                          : make_linear_paper_assembly(backend, plan.plans(), tissue, cells);
      },
      tissue.cells);
}

}  // namespace cardiowarp
