#pragma once
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include "assembly/papers/plans.hpp"
#include "fem/cells/models.hpp"

namespace cardiowarp {

// The assemblies that are made of the plans of the papers, for whichever backend. papers_cpu.cpp,
// papers_sizing.cpp and papers_cuda.cu compile make_paper_assembly(); nobody else includes this.

/// The assembly of a plan that is for any elements, with `arrays(volume)` those of the mesh.
template <Backend B, class MakeArrays>
std::unique_ptr<Assembly<B>> make_for_any_elements(B& backend, const PaperAssemblyPlan::Plans& plans,
                                                   const Sparsity& sparsity, const MakeArrays& arrays) {
  using Arrays = std::invoke_result_t<MakeArrays, const std::vector<Real>&>;
  if (const auto* parts = std::get_if<SharedNzGeneralPlan>(&plans.of))
    return std::make_unique<SharedNzGeneral<B, Arrays>>(backend, *parts, arrays(parts->volume));
  if (const auto* local = std::get_if<LocalSumsPlan>(&plans.of))
    return std::make_unique<LocalSums<B, Arrays>>(backend, *local, sparsity, arrays(local->volume));
  if (const auto* scatter = std::get_if<ElementScatterPlan>(&plans.of))
    return std::make_unique<ElementScatter<B, Arrays>>(backend, *scatter, arrays(scatter->volume));
  const auto& lazy = std::get<LazyEllPlan>(plans.of);
  return std::make_unique<LazyEll<B, Arrays>>(backend, lazy, sparsity, arrays(lazy.volume));
}

/// The assembly of a plan for a quadratic mesh.
template <Backend B>
std::unique_ptr<Assembly<B>> make_quadratic_paper_assembly(B& backend, const PaperAssemblyPlan::Plans& plans,
                                                           const TissueToAssemble& tissue) {
  const auto& [mesh, diffusivity, cells, cell_model, sparsity] = tissue;
  if (const auto* global = std::get_if<QuadraticGlobalNzPlan>(&plans.of))
    return std::make_unique<QuadraticGlobalNz<B>>(backend, *global, mesh, diffusivity, cells, cell_model);
  return make_for_any_elements(backend, plans, sparsity, [&](const std::vector<Real>& volume) {
    return QuadraticElementArrays<B>(backend, tissue.mesh, tissue.diffusivity, volume, tissue.cells, tissue.cell_model);
  });
}

/// The assembly of a plan for a linear mesh.
template <Backend B, CellModel Cell>
std::unique_ptr<Assembly<B>> make_linear_paper_assembly(B& backend, const PaperAssemblyPlan::Plans& plans,
                                                        const TissueToAssemble& tissue,
                                                        const std::vector<Cell>& cells) {
  if (const auto* parts = std::get_if<SharedNzPlan>(&plans.of))
    return std::make_unique<SharedNz<B, Cell>>(backend, *parts, tissue.mesh.tetrahedra, cells, tissue.cell_model);
  if (const auto* global = std::get_if<GlobalNzPlan>(&plans.of))
    return std::make_unique<GlobalNz<B, Cell>>(backend, *global, tissue.mesh, tissue.diffusivity, cells,
                                               tissue.cell_model);
  return make_for_any_elements(backend, plans, tissue.sparsity, [&](const std::vector<Real>& volume) {
    return ElementArrays<B, Cell>(backend, tissue.mesh, tissue.diffusivity, volume, cells, tissue.cell_model);
  });
}

template <Backend B>
std::unique_ptr<Assembly<B>> make_paper_assembly(B& backend, const PaperAssemblyPlan& plan,
                                                 const TissueToAssemble& tissue) {
  if (tissue.mesh.is_quadratic()) return make_quadratic_paper_assembly(backend, plan.plans(), tissue);
  return std::visit(
      [&]<class Cell>(const std::vector<Cell>& cells) -> std::unique_ptr<Assembly<B>> {
        if constexpr (CellModel<Cell>) return make_linear_paper_assembly(backend, plan.plans(), tissue, cells);
        throw std::logic_error("an assembly of the papers was planned for ionic cells");
      },
      *tissue.cells);
}

}  // namespace cardiowarp
