#include "assembly/quadratic_assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "assembly/contributions.hpp"
#include "assembly/spmv_assembly.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

QuadraticPoints quadratic_points_of(const Mesh& mesh) {
  QuadraticPoints points{quadratic_nodes_of(mesh), {}};
  resize_by_team(points.volume, quadratic_points * mesh.tetrahedra.size());
  parallel_for(mesh.tetrahedra.size(), [&](std::size_t element) {
    std::ranges::copy(quadratic_volumes(positions_of(mesh, element)),
                      points.volume.begin() + static_cast<std::ptrdiff_t>(quadratic_points * element));
  });
  return points;
}

/// The numbers of each element's diffusion, summed in the order in which those of an iteration are.
QuadraticDiffusion quadratic_diffusion_matrix(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                              const Sparsity& sparsity, const MatrixLayout& layout,
                                              bool diagonal_alone) {
  const std::size_t elements = mesh.tetrahedra.size();
  std::vector<std::array<Real, quadratic_entries>> number;
  resize_by_team(number, elements);
  parallel_for(elements, [&](std::size_t element) {
    number[element] = quadratic_diffusion(positions_of(mesh, element), diffusivity[element]);
  });
  QuadraticDiffusion matrix;
  matrix.in_slots.assign(layout.slots, 0);
  for_each_contribution(quadratic_nodes_of(mesh), sparsity, layout.slot_of_entry,
                        [&](std::int64_t slot, Index element, int i, int j) {
                          matrix.in_slots[slot] += number[element][quadratic_place(i, j)];
                        });
  for (const Index entry : sparsity.diagonal) matrix.diagonal.push_back(matrix.in_slots[layout.slot_of_entry[entry]]);
  if (diagonal_alone) matrix.in_slots = {};
  return matrix;
}

QuadraticBlocks quadratic_blocks(const std::vector<QuadraticNodes>& nodes_of) {
  QuadraticBlocks blocks;
  const auto elements = static_cast<Index>(nodes_of.size());
  for (Index first = 0; first < elements; first += elements_a_block) {
    const Index end = std::min(first + elements_a_block, elements);
    std::vector<QuadraticNodes> local(nodes_of.begin() + first, nodes_of.begin() + end);
    const std::vector<Index> node = numbered_among_themselves(local);
    blocks.local.insert(blocks.local.end(), local.begin(), local.end());
    blocks.node.insert(blocks.node.end(), node.begin(), node.end());
    blocks.element_begin.push_back(end);
    blocks.node_begin.push_back(static_cast<Index>(blocks.node.size()));
    blocks.most_nodes = std::max(blocks.most_nodes, static_cast<Index>(node.size()));
  }
  return blocks;
}

namespace {

/// The sums of all entries and nodes as packed lists.
ReductionLists packed_lists(const CellGather& gather, std::int64_t elements) {
  constexpr std::int64_t of_element = quadratic_entries + quadratic_nodes;
  if (of_element * elements >= std::numeric_limits<Index>::max())
    throw InputError(fmt::format(
        "mesh too large for assembly.strategy: global_nz_packed_general: {} numbers of elements, at most {} fit",
        of_element * elements, std::numeric_limits<Index>::max() - 1));
  std::vector<Index> length, number;
  const auto add = [&](const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& place,
                       std::int64_t first) {
    for (std::size_t sum = 0; sum + 1 < begin.size(); ++sum)
      length.push_back(static_cast<Index>(begin[sum + 1] - begin[sum]));
    for (const std::uint32_t of : place) number.push_back(static_cast<Index>(first + of));
  };
  add(gather.entry_begin, gather.entry, 0);
  add(gather.node_begin, gather.node, quadratic_entries * elements);
  return reduction_lists(length, number);
}

}  // namespace

QuadraticPlan quadratic_plan(bool gathers, bool general, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                             const Sparsity& sparsity, const MatrixLayout& layout, const GlobalNzOptions& ways) {
  require_countable_slots(layout.slots);
  const auto elements = static_cast<std::int64_t>(mesh.tetrahedra.size());
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max() / (quadratic_nodes * quadratic_nodes);
  if (elements > most)
    throw InputError(
        fmt::format("mesh too large: {} quadratic tetrahedra, at most {} can be assembled", elements, most));
  QuadraticPlan plan;
  plan.gathers = gathers;
  plan.general = general;
  plan.points = quadratic_points_of(mesh);
  plan.slots = layout.slots;
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  plan.lists.begin = {0};
  plan.ways = ways;
  if (!gathers) return plan;
  QuadraticDiffusion diffusion = quadratic_diffusion_matrix(mesh, diffusivity, sparsity, layout, general);
  plan.diffusion_diagonal = std::move(diffusion.diagonal);
  plan.diffusion = std::move(diffusion.in_slots);
  plan.gather = cell_gather(plan.points.nodes, sparsity, layout);
  if (ways.sums == GlobalSums::packed) require_countable_slots(layout.slots + sparsity.rows());
  if (ways.sums == GlobalSums::packed) plan.lists = packed_lists(std::exchange(plan.gather, {}), elements);
  if (ways.elements == GlobalElements::nodal) plan.of_node = positions_by_element(mesh.nodes, plan.points.nodes);
  if (ways.elements == GlobalElements::prefetched) plan.blocks = quadratic_blocks(plan.points.nodes);
  return plan;
}

}  // namespace cardiowarp
