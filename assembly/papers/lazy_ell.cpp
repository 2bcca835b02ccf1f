#include "assembly/papers/lazy_ell.hpp"

#include <algorithm>
#include <utility>

#include "assembly/constant_parts.hpp"
#include "assembly/contributions.hpp"

namespace cardiowarp {

LazyEllPlan lazy_ell_plan(ElementKind kind, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                          const Sparsity& sparsity, const MatrixLayout& layout) {
  require_countable_slots(layout.slots);
  LazyEllPlan plan;
  plan.kind = kind;
  plan.elements = static_cast<std::int64_t>(mesh.tetrahedra.size());
  plan.slot.assign(layout.slot_of_entry.begin(), layout.slot_of_entry.end());
  for (Index row = 0; row < sparsity.rows(); ++row) {
    plan.diagonal.push_back(static_cast<std::uint16_t>(sparsity.diagonal[row] - sparsity.row_begin[row]));
    plan.most = std::max(plan.most, sparsity.incidence.begin[row + 1] - sparsity.incidence.begin[row]);
  }
  ConstantParts constant = constant_parts(kind, mesh, diffusivity, sparsity, layout);
  plan.diffusion = std::move(constant.diffusion);
  plan.volume = std::move(constant.volume);
  return plan;
}

std::int64_t LazyEllPlan::bytes() const {
  constexpr std::int64_t of_appended = 16 * (sizeof(Index) + sizeof(Real)) + 4 * sizeof(Real),
                         of_element = sizeof(Tetrahedron) + sizeof(std::uint16_t) + 2 * sizeof(Real) + 2 * of_appended;
  const auto rows = static_cast<std::int64_t>(diagonal.size()), entries = static_cast<std::int64_t>(slot.size());
  const std::int64_t bytes = elements * of_element +
                             entries * static_cast<std::int64_t>(sizeof(Real) + 2 * sizeof(Index)) +
                             rows * static_cast<std::int64_t>(4 * sizeof(Real) + 2 * sizeof(Index));
  if (kind == ElementKind::general)
    return bytes + elements * static_cast<std::int64_t>(sizeof(Diffusivity)) +
           rows * static_cast<std::int64_t>(sizeof(Vector3));
  return bytes + elements * static_cast<std::int64_t>(sizeof(Real)) + entries * static_cast<std::int64_t>(sizeof(Real));
}

}  // namespace cardiowarp
