#include "assembly/papers/plans.hpp"

#include <fmt/format.h>

#include <concepts>
#include <type_traits>
#include <utility>

namespace cardiowarp {
namespace {

using Plans = PaperAssemblyPlan::Plans;

ScatterWay way_of(AssemblyStrategy strategy) {
  using enum AssemblyStrategy;
  if (strategy == atomics || strategy == atomics_general) return ScatterWay::atomics;
  if (strategy == elem_color || strategy == elem_color_general) return ScatterWay::elem_color;
  return ScatterWay::two_level_color;
}

/// How a strategy of GlobalNZ stores and sums its numbers.
GlobalNzOptions global_nz_options(AssemblyStrategy strategy) {
  using enum AssemblyStrategy;
  if (strategy == global_nz_prefetched_general) return {.elements = GlobalElements::prefetched};
  if (strategy == global_nz_nodal_general) return {.elements = GlobalElements::nodal};
  if (strategy == global_nz_packed_general) return {.sums = GlobalSums::packed};
  return {};
}

/// The centroids have `weight` of their elements' volumes; general elements have none stored.
template <class Plan>
Plans weighed(Plan plan, Real weight) {
  for (Real& volume : plan.volume) volume *= weight;
  return {std::move(plan)};
}

Plans plans_for(AssemblyStrategy strategy, Real weight, const TissueToAssemble& tissue, const MatrixLayout& layout,
                const Device& device) {
  using enum AssemblyStrategy;
  const auto& [mesh, diffusivity, cells, cell_model, sparsity] = tissue;
  const ElementKind kind = takes_general_elements(strategy) ? ElementKind::general : ElementKind::two_numbers;
  switch (strategy) {
    case shared_nz:
    case shared_nz_general:
      if (mesh.is_quadratic()) return {quadratic_shared_nz_plan(mesh, diffusivity, sparsity, layout, device, {kind})};
      if (kind == ElementKind::general) return {shared_nz_general_plan(mesh, sparsity, layout, device)};
      return weighed(shared_nz_plan(mesh, diffusivity, sparsity, layout, device), weight);
    case global_nz_general:
    case global_nz_prefetched_general:
    case global_nz_nodal_general:
    case global_nz_packed_general:
      if (mesh.is_quadratic())
        return {quadratic_global_nz_plan(mesh, sparsity, layout, device, global_nz_options(strategy))};
      return {global_nz_plan(mesh, sparsity, layout, global_nz_options(strategy))};
    case local_row:
    case local_row_general:
      return weighed(local_sums_plan(true, kind, mesh, diffusivity, sparsity, layout), weight);
    case local_nz:
    case local_nz_general:
      return weighed(local_sums_plan(false, kind, mesh, diffusivity, sparsity, layout), weight);
    case lazy_ell:
    case lazy_ell_general:
      return weighed(lazy_ell_plan(kind, mesh, diffusivity, sparsity, layout), weight);
    default:
      return weighed(element_scatter_plan({way_of(strategy), kind}, mesh, diffusivity, sparsity, layout), weight);
  }
}

}  // namespace

PaperAssemblyPlan::PaperAssemblyPlan(Plans plans) : plans_(std::make_shared<const Plans>(std::move(plans))) {}

std::int64_t PaperAssemblyPlan::bytes() const {
  return std::visit(
      [](const auto& plan) -> std::int64_t {
        if constexpr (requires { plan.bytes(); })
          return plan.bytes();
        else
          return 0;  // of quadratic elements, which are not measured by bytes
      },
      plans_->of);
}

std::int64_t PaperAssemblyPlan::element_bytes() const {
  const auto* global = std::get_if<GlobalNzPlan>(&plans_->of);
  return global ? global->element_bytes() : 0;
}

std::span<const Real> PaperAssemblyPlan::diffusion() const {
  return std::visit(
      [](const auto& plan) -> std::span<const Real> {
        // SharedNz has it in the order of its parts.
        if constexpr (!std::same_as<std::decay_t<decltype(plan)>, SharedNzPlan> && requires { plan.diffusion; })
          return plan.diffusion;
        else
          return {};
      },
      plans_->of);
}

std::string missing_for_paper_assembly(AssemblyStrategy strategy, const MatrixLayout& layout) {
  if (strategy != AssemblyStrategy::shared_nz || shared_nz_suits(layout)) return "";
  return fmt::format("linear_solver.spmv to be in compressed rows or slices, got '{}'", format_name(layout.options));
}

PaperAssemblyPlan plan_paper_assembly(AssemblyStrategy strategy, Real weight, const TissueToAssemble& tissue,
                                      const MatrixLayout& layout, const Device& device) {
  return PaperAssemblyPlan(plans_for(strategy, weight, tissue, layout, device));
}

}  // namespace cardiowarp
