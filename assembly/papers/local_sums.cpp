#include "assembly/papers/local_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "assembly/constant_parts.hpp"
#include "fem/input_error.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

namespace {

/// Which entries of its row each incidence of a node adds to, [N × incidences].
std::vector<std::uint16_t> incident_entries(const Mesh& mesh, const Sparsity& sparsity) {
  const std::size_t of_each = mesh.is_quadratic() ? quadratic_nodes : 4;
  std::vector<std::uint16_t> result(of_each * sparsity.incidence.element.size());
  if (!mesh.is_quadratic()) {
    for (std::size_t k = 0; k < sparsity.incident_slots.size(); ++k)
      std::ranges::copy(sparsity.incident_slots[k], result.begin() + static_cast<std::ptrdiff_t>(4 * k));
    return result;
  }
  const std::vector<QuadraticNodes> nodes_of = quadratic_nodes_of(mesh);
  parallel_for(sparsity.rows(), [&](Index row) {
    const auto first = sparsity.column.begin() + sparsity.row_begin[row],
               end = sparsity.column.begin() + sparsity.row_begin[row + 1];
    for (Index k = sparsity.incidence.begin[row]; k < sparsity.incidence.begin[row + 1]; ++k)
      for (std::size_t j = 0; j < of_each; ++j)
        result[of_each * k + j] =
            static_cast<std::uint16_t>(std::find(first, end, nodes_of[sparsity.incidence.element[k]][j]) - first);
  });
  return result;
}

template <std::size_t N>
Contributions all_contributions(const std::vector<std::array<Index, N>>& nodes_of, const Sparsity& sparsity) {
  std::vector<std::int64_t> row_of_entry(sparsity.entries());
  std::iota(row_of_entry.begin(), row_of_entry.end(), std::int64_t{0});
  return joint_contributions(entry_contributions(nodes_of, sparsity, row_of_entry, sparsity.entries()),
                             node_contributions(nodes_of, sparsity), 0);
}

}  // namespace

LocalSumsPlan local_sums_plan(bool by_row, ElementKind kind, const Mesh& mesh,
                              const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                              const MatrixLayout& layout) {
  require_countable_slots(layout.slots);
  const std::int64_t nodes = mesh.is_quadratic() ? quadratic_nodes : 4;
  require_countable_slots(nodes * (nodes + 1) * static_cast<std::int64_t>(mesh.tetrahedra.size()));
  const std::vector<Index> length = row_lengths(sparsity.row_begin);
  const Index longest = length.empty() ? 0 : *std::max_element(length.begin(), length.end()),
              most = mesh.is_quadratic() ? most_local_entries<quadratic_nodes> : most_local_entries<4>;
  if (by_row && longest > most)
    throw InputError(fmt::format(
        "assembly.strategy: local_row needs rows of at most {} entries, the longest has {} (auto takes the gather that "
        "suits)",
        most, longest));
  LocalSumsPlan plan;
  plan.by_row = by_row;
  plan.kind = kind;
  plan.elements = static_cast<std::int64_t>(mesh.tetrahedra.size());
  plan.slot.assign(layout.slot_of_entry.begin(), layout.slot_of_entry.end());
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  for (Index row = 0; row < sparsity.rows(); ++row)
    plan.diagonal.push_back(static_cast<std::uint16_t>(sparsity.diagonal[row] - sparsity.row_begin[row]));
  if (by_row) {
    plan.incident_entry = incident_entries(mesh, sparsity);
  } else {
    Contributions all = mesh.is_quadratic() ? all_contributions(quadratic_nodes_of(mesh), sparsity)
                                            : all_contributions(mesh.tetrahedra, sparsity);
    plan.begin.assign(all.length.size() + 1, 0);
    std::partial_sum(all.length.begin(), all.length.end(), plan.begin.begin() + 1);
    plan.element = std::move(all.element);
    plan.local = std::move(all.local);
  }
  ConstantParts constant = constant_parts(kind, mesh, diffusivity, sparsity, layout);
  plan.diffusion = std::move(constant.diffusion);
  plan.volume = std::move(constant.volume);
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
