#include "assembly/local_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "assembly/diffusion_matrix.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {

LocalSumsPlan local_sums_plan(bool by_row, ElementKind kind, const Mesh& mesh,
                              const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                              const MatrixLayout& layout) {
  require_countable_slots(layout.slots);
  require_countable_slots(std::int64_t{20} * static_cast<std::int64_t>(mesh.tetrahedra.size()));
  const std::vector<Index> length = row_lengths(sparsity.row_begin);
  const Index longest = length.empty() ? 0 : *std::max_element(length.begin(), length.end());
  if (by_row && longest > most_local_entries)
    throw InputError(fmt::format(
        "assembly.strategy: local_row needs rows of at most {} entries, the longest has {} (auto takes the gather that "
        "suits)",
        most_local_entries, longest));
  LocalSumsPlan plan;
  plan.by_row = by_row;
  plan.kind = kind;
  plan.elements = static_cast<std::int64_t>(mesh.tetrahedra.size());
  plan.slot.assign(layout.slot_of_entry.begin(), layout.slot_of_entry.end());
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  for (Index row = 0; row < sparsity.rows(); ++row)
    plan.diagonal.push_back(static_cast<std::uint16_t>(sparsity.diagonal[row] - sparsity.row_begin[row]));
  if (!by_row) {
    std::vector<std::int64_t> row_of_entry(sparsity.entries());
    std::iota(row_of_entry.begin(), row_of_entry.end(), std::int64_t{0});
    Contributions all =
        joint_contributions(entry_contributions(mesh.tetrahedra, sparsity, row_of_entry, sparsity.entries()),
                            node_contributions(mesh.tetrahedra, sparsity), 0);
    plan.begin.assign(all.length.size() + 1, 0);
    std::partial_sum(all.length.begin(), all.length.end(), plan.begin.begin() + 1);
    plan.element = std::move(all.element);
    plan.local = std::move(all.local);
  }
  if (kind == ElementKind::two_numbers) {
    plan.diffusion = diffusion_matrix(mesh, diffusivity, sparsity, layout);
    plan.volume = element_volumes(mesh);
  }
  return plan;
}

std::int64_t LocalSumsPlan::bytes() const {
  const auto rows = static_cast<std::int64_t>(diagonal.size()), entries = static_cast<std::int64_t>(slot.size());
  constexpr std::int64_t of_element = sizeof(Tetrahedron) + sizeof(std::uint16_t) + 2 * sizeof(Real),
                         of_incidence = 4 * (sizeof(Index) + sizeof(Sparsity::Slots));
  std::int64_t bytes = elements * of_element + entries * static_cast<std::int64_t>(sizeof(Real) + sizeof(Index)) +
                       rows * static_cast<std::int64_t>(4 * sizeof(Real));
  bytes += by_row ? elements * of_incidence
                  : static_cast<std::int64_t>(element.size() * (sizeof(Index) + sizeof(std::uint8_t)) +
                                              begin.size() * sizeof(Index));
  if (kind == ElementKind::general)
    return bytes + elements * static_cast<std::int64_t>(sizeof(Diffusivity)) +
           rows * static_cast<std::int64_t>(sizeof(Vector3));
  return bytes + elements * static_cast<std::int64_t>(sizeof(Real)) +
         entries * static_cast<std::int64_t>(sizeof(Real) + sizeof(Index));
}

}  // namespace cardiowarp
