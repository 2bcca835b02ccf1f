#include "assembly/quadratic_assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assembly/contributions.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr int matrix_numbers = quadratic_nodes * quadratic_nodes;

/// Contributions are counted in a first pass over the elements of each row, and put where they belong in a second. All
/// that go to one entry come from the elements of its row's node, so that nodes are independent of each other.
void plan_entries(QuadraticPlan& plan, const Sparsity& sparsity, const MatrixLayout& layout) {
  const auto elements = static_cast<std::uint32_t>(plan.nodes.size());
  std::vector<std::uint32_t> next(layout.slots + 1, 0);
  // visit(slot, element, i, j) for each number (i, j) of an element that goes to the row of a node.
  const auto for_each_in_row = [&](Index row, std::vector<std::int64_t>& slot_of_column, const auto& visit) {
    for (Index entry = sparsity.row_begin[row]; entry < sparsity.row_begin[row + 1]; ++entry)
      slot_of_column[sparsity.column[entry]] = layout.slot_of_entry[entry];
    for (Index k = sparsity.incidence.begin[row]; k < sparsity.incidence.begin[row + 1]; ++k) {
      const Index element = sparsity.incidence.element[k];
      const QuadraticNodes& nodes = plan.nodes[element];
      const auto i = static_cast<int>(std::find(nodes.begin(), nodes.end(), row) - nodes.begin());
      for (int j = 0; j < quadratic_nodes; ++j) visit(slot_of_column[nodes[j]], element, i, j);
    }
  };
  const auto for_all = [&](const auto& visit) {
    parallel_ranges(sparsity.rows(), 256, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t> slot_of_column(sparsity.rows());
      for (Index row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row)
        for_each_in_row(row, slot_of_column, visit);
    });
  };
  for_all([&](std::int64_t slot, Index, int, int) { ++next[slot + 1]; });
  for (std::size_t slot = 0; slot + 1 < next.size(); ++slot) next[slot + 1] += next[slot];
  plan.entry_begin = next;
  resize_by_team(plan.entry, static_cast<std::size_t>(matrix_numbers) * elements);
  for_all([&](std::int64_t slot, Index element, int i, int j) {
    plan.entry[next[slot]++] =
        static_cast<std::uint32_t>(quadratic_place(i, j)) * elements + static_cast<std::uint32_t>(element);
  });
}

void plan_nodes(QuadraticPlan& plan, const Sparsity& sparsity, const MatrixLayout& layout) {
  const auto elements = static_cast<std::uint32_t>(plan.nodes.size());
  plan.node_begin = sparsity.incidence.begin;
  resize_by_team(plan.node, sparsity.incidence.element.size());
  plan.diagonal_slot.resize(sparsity.rows());
  parallel_for(sparsity.rows(), [&](Index row) {
    plan.diagonal_slot[row] = static_cast<Index>(layout.slot_of_entry[sparsity.diagonal[row]]);
    for (Index k = sparsity.incidence.begin[row]; k < sparsity.incidence.begin[row + 1]; ++k) {
      const Index element = sparsity.incidence.element[k];
      const QuadraticNodes& nodes = plan.nodes[element];
      const auto i = static_cast<std::uint32_t>(std::find(nodes.begin(), nodes.end(), row) - nodes.begin());
      plan.node[k] = (quadratic_entries + i) * elements + static_cast<std::uint32_t>(element);
    }
  });
}

/// The numbers of each element's diffusion, summed as those of an iteration are.
void plan_diffusion(QuadraticPlan& plan, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity) {
  const std::size_t elements = plan.nodes.size();
  std::vector<Real> number;
  resize_by_team(number, quadratic_entries * elements);
  parallel_for(elements, [&](std::size_t element) {
    const auto of_element = quadratic_diffusion(positions_of(mesh, element), diffusivity[element]);
    for (std::size_t k = 0; k < of_element.size(); ++k) number[k * elements + element] = of_element[k];
  });
  resize_by_team(plan.diffusion, plan.entry_begin.size() - 1);
  const std::vector<Real> nothing(plan.diffusion.size(), 0);
  const QuadraticEntries sum{plan.entry_begin.data(), plan.entry.data(), number.data(), nothing.data(),
                             plan.diffusion.data()};
  parallel_for(plan.diffusion.size(), [&](std::size_t slot) { sum(static_cast<Index>(slot)); });
}

}  // namespace

QuadraticPlan quadratic_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity, const Sparsity& sparsity,
                             const MatrixLayout& layout) {
  require_countable_slots(layout.slots);
  const auto elements = static_cast<std::int64_t>(mesh.tetrahedra.size());
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max() / matrix_numbers;
  if (elements > most)
    throw InputError(
        fmt::format("mesh too large: {} quadratic tetrahedra, at most {} can be assembled", elements, most));
  QuadraticPlan plan;
  plan.nodes = quadratic_nodes_of(mesh);
  resize_by_team(plan.volume, static_cast<std::size_t>(quadratic_points) * elements);
  parallel_for(elements, [&](std::int64_t element) {
    std::ranges::copy(quadratic_volumes(positions_of(mesh, element)), plan.volume.begin() + quadratic_points * element);
  });
  plan_entries(plan, sparsity, layout);
  plan_nodes(plan, sparsity, layout);
  plan_diffusion(plan, mesh, diffusivity);
  return plan;
}

}  // namespace cardiowarp
