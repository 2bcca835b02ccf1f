#pragma once
#include <concepts>
#include <memory>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "app/simulation/problem.hpp"
#include "assembly/papers/element_scatter.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/papers/global_nz.hpp"
#include "assembly/papers/lazy_ell.hpp"
#include "assembly/papers/local_sums.hpp"
#include "assembly/quadratic_elements.hpp"
#include "assembly/papers/shared_nz.hpp"
#include "assembly/papers/shared_nz_general.hpp"
#include "assembly/sparsity.hpp"

namespace cardiowarp {

// The assembly strategies of papers 003 and 004 (assembly/options.hpp) in a run: their plans, and the assemblies made
// of these. simulation_plan.hpp asks for them where the strategy is one of them.

/// The plan of one of these strategies.
struct PaperAssemblyPlan {
  std::variant<SharedNzPlan, SharedNzGeneralPlan, GlobalNzPlan, LocalSumsPlan, ElementScatterPlan, LazyEllPlan> of;

  /// What an assembly must move.
  std::int64_t bytes() const {
    return std::visit([](const auto& plan) { return plan.bytes(); }, of);
  }
  /// [slots] The diffusion matrix, where the plan has it and in the order of the slots of K; else empty.
  std::span<const Real> diffusion() const {
    return std::visit(
        [](const auto& plan) -> std::span<const Real> {
          using Plan = std::decay_t<decltype(plan)>;
          if constexpr (std::same_as<Plan, SharedNzPlan> || std::same_as<Plan, GlobalNzPlan>)
            return {};  // the first has it in the order of its parts
          else
            return plan.diffusion;
        },
        of);
  }
  /// What its elements must move by themselves; 0 where they are evaluated with the sums.
  std::int64_t element_bytes() const {
    const auto* global = std::get_if<GlobalNzPlan>(&of);
    return global ? global->element_bytes() : 0;
  }
};

/// Whether a strategy is one of these.
bool is_of_the_papers(AssemblyStrategy strategy);

/// Whether a strategy is one of GlobalNZ, for general elements.
constexpr bool is_global_nz(AssemblyStrategy strategy) {
  return strategy >= AssemblyStrategy::global_nz_general && strategy <= AssemblyStrategy::global_nz_packed_general;
}

/// How a strategy of GlobalNZ stores and sums its numbers.
GlobalNzOptions global_nz_options(AssemblyStrategy strategy);

/// The plan of a strategy for centroids that have `weight` of their elements' volumes, which is 1 for general elements.
/// Throws InputError where the mesh does not suit the strategy, with the numbers.
PaperAssemblyPlan plan_paper_assembly(const Problem& problem, Real weight, const Sparsity& sparsity,
                                      const MatrixLayout& layout, const Device& device);

/// The plan for a quadratic mesh. Throws InputError where the mesh does not suit the strategy, with the numbers.
PaperAssemblyPlan plan_quadratic_paper_assembly(const Problem& problem, const Sparsity& sparsity,
                                                const MatrixLayout& layout, const Device& device);

/// The assembly of a plan for a quadratic mesh.
template <Backend B, CellModel Cell>
std::unique_ptr<Assembly<B>> make_quadratic_paper_assembly(B& backend, const PaperAssemblyPlan& plan,
                                                           const Problem& problem, const Sparsity& sparsity,
                                                           const std::vector<Cell>& cells) {
  using Arrays = QuadraticElementArrays<B, Cell>;
  const Mesh& mesh = *problem.mesh;
  const auto& diffusivity = problem.diffusivity;
  const auto& cell_model = problem.cell_model;
  if (const auto* parts = std::get_if<SharedNzGeneralPlan>(&plan.of))
    return std::make_unique<SharedNzGeneral<B, Cell, Arrays>>(backend, *parts, mesh, diffusivity, cells, cell_model);
  if (const auto* local = std::get_if<LocalSumsPlan>(&plan.of))
    return std::make_unique<LocalSums<B, Cell, Arrays>>(backend, *local, sparsity, mesh, diffusivity, cells,
                                                        cell_model);
  if (const auto* scatter = std::get_if<ElementScatterPlan>(&plan.of))
    return std::make_unique<ElementScatter<B, Cell, Arrays>>(backend, *scatter, mesh, diffusivity, cells, cell_model);
  return std::make_unique<LazyEll<B, Cell, Arrays, quadratic_nodes>>(backend, std::get<LazyEllPlan>(plan.of), sparsity,
                                                                     mesh, diffusivity, cells, cell_model);
}

/// The assembly of a plan for a linear mesh.
template <Backend B, CellModel Cell>
std::unique_ptr<Assembly<B>> make_paper_assembly(B& backend, const PaperAssemblyPlan& plan, const Problem& problem,
                                                 const Sparsity& sparsity, const std::vector<Cell>& cells) {
  const Mesh& mesh = *problem.mesh;
  const auto& diffusivity = problem.diffusivity;
  const auto& cell_model = problem.cell_model;
  if (const auto* parts = std::get_if<SharedNzPlan>(&plan.of))
    return std::make_unique<SharedNz<B, Cell>>(backend, *parts, mesh.tetrahedra, cells, cell_model);
  if (const auto* general = std::get_if<SharedNzGeneralPlan>(&plan.of))
    return std::make_unique<SharedNzGeneral<B, Cell>>(backend, *general, mesh, diffusivity, cells, cell_model);
  if (const auto* global = std::get_if<GlobalNzPlan>(&plan.of))
    return std::make_unique<GlobalNz<B, Cell>>(backend, *global, mesh, diffusivity, cells, cell_model);
  if (const auto* local = std::get_if<LocalSumsPlan>(&plan.of))
    return std::make_unique<LocalSums<B, Cell>>(backend, *local, sparsity, mesh, diffusivity, cells, cell_model);
  if (const auto* scatter = std::get_if<ElementScatterPlan>(&plan.of))
    return std::make_unique<ElementScatter<B, Cell>>(backend, *scatter, mesh, diffusivity, cells, cell_model);
  return std::make_unique<LazyEll<B, Cell>>(backend, std::get<LazyEllPlan>(plan.of), sparsity, mesh, diffusivity, cells,
                                            cell_model);
}

}  // namespace cardiowarp
