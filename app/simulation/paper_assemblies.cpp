#include "app/simulation/paper_assemblies.hpp"

namespace cardiowarp {
namespace {

ScatterWay way_of(AssemblyStrategy strategy) {
  using enum AssemblyStrategy;
  if (strategy == atomics || strategy == atomics_general) return ScatterWay::atomics;
  if (strategy == elem_color || strategy == elem_color_general) return ScatterWay::elem_color;
  return ScatterWay::two_level_color;
}

/// The centroids have `weight` of their elements' volumes; general elements have none stored.
template <class Plan>
PaperAssemblyPlan weighed(Plan plan, Real weight) {
  for (Real& volume : plan.volume) volume *= weight;
  return {std::move(plan)};
}

ElementKind kind_of(AssemblyStrategy strategy) {
  return takes_general_elements(strategy) ? ElementKind::general : ElementKind::two_numbers;
}

/// The strategies that are one text for linear and quadratic elements.
PaperAssemblyPlan plan_for_any_elements(const Problem& problem, Real weight, const Sparsity& sparsity,
                                        const MatrixLayout& layout) {
  using enum AssemblyStrategy;
  const Mesh& mesh = *problem.mesh;
  const AssemblyStrategy strategy = problem.assembly.strategy;
  const ElementKind kind = kind_of(strategy);
  switch (strategy) {
    case local_row:
    case local_row_general:
      return weighed(local_sums_plan(true, kind, mesh, problem.diffusivity, sparsity, layout), weight);
    case local_nz:
    case local_nz_general:
      return weighed(local_sums_plan(false, kind, mesh, problem.diffusivity, sparsity, layout), weight);
    case lazy_ell:
    case lazy_ell_general:
      return weighed(lazy_ell_plan(kind, mesh, problem.diffusivity, sparsity, layout), weight);
    default:
      return weighed(element_scatter_plan(way_of(strategy), kind, mesh, problem.diffusivity, sparsity, layout), weight);
  }
}

}  // namespace

GlobalNzOptions global_nz_options(AssemblyStrategy strategy) {
  using enum AssemblyStrategy;
  if (strategy == global_nz_prefetched_general) return {.elements = GlobalElements::prefetched};
  if (strategy == global_nz_nodal_general) return {.elements = GlobalElements::nodal};
  if (strategy == global_nz_packed_general) return {.sums = GlobalSums::packed};
  return {};
}

bool is_of_the_papers(AssemblyStrategy strategy) { return strategy >= AssemblyStrategy::shared_nz; }

PaperAssemblyPlan plan_paper_assembly(const Problem& problem, Real weight, const Sparsity& sparsity,
                                      const MatrixLayout& layout, const Device& device) {
  using enum AssemblyStrategy;
  const Mesh& mesh = *problem.mesh;
  const AssemblyStrategy strategy = problem.assembly.strategy;
  switch (strategy) {
    case shared_nz:
      return weighed(shared_nz_plan(mesh, problem.diffusivity, sparsity, layout, device), weight);
    case shared_nz_general:
      return {shared_nz_general_plan(mesh, sparsity, layout, device)};
    case global_nz_general:
    case global_nz_prefetched_general:
    case global_nz_nodal_general:
    case global_nz_packed_general:
      return {global_nz_plan(mesh, sparsity, layout, global_nz_options(strategy))};
    default:
      return plan_for_any_elements(problem, weight, sparsity, layout);
  }
}

PaperAssemblyPlan plan_quadratic_paper_assembly(const Problem& problem, const Sparsity& sparsity,
                                                const MatrixLayout& layout, const Device& device) {
  const AssemblyStrategy strategy = problem.assembly.strategy;
  if (strategy == AssemblyStrategy::shared_nz || strategy == AssemblyStrategy::shared_nz_general)
    return {quadratic_shared_nz_plan(kind_of(strategy), *problem.mesh, problem.diffusivity, sparsity, layout, device)};
  return plan_for_any_elements(problem, 1, sparsity, layout);
}

}  // namespace cardiowarp
