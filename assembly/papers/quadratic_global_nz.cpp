#include "assembly/papers/quadratic_global_nz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "assembly/contributions.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/device.hpp"

namespace cardiowarp {

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

/// Throws InputError, with the numbers, where the nodes of a block of elements do not fit into shared memory.
void require_blocks_fit(const QuadraticBlocks& blocks, const Device& device) {
  constexpr std::size_t bytes_a_node = QuadraticBlockNodes::numbers_a_node * sizeof(Real);
  const std::size_t most = usable_shared_bytes(device) / bytes_a_node;
  if (device.is_gpu && static_cast<std::size_t>(blocks.most_nodes) > most)
    throw InputError(
        fmt::format("assembly.strategy: global_nz_prefetched_general: a block of elements has {} nodes, and at most {} "
                    "fit into the shared memory of this GPU",
                    blocks.most_nodes, most));
}

}  // namespace

QuadraticGlobalNzPlan quadratic_global_nz_plan(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout,
                                               const Device& device, const GlobalNzOptions& options) {
  require_countable_contributions(mesh, layout);
  QuadraticGlobalNzPlan plan;
  plan.options = options;
  plan.points = quadratic_points_of(mesh);
  plan.slots = layout.slots;
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  plan.lists.begin = {0};
  plan.gather = cell_gather(plan.points.nodes, sparsity, layout);
  if (options.sums == GlobalSums::packed) {
    require_countable_slots(layout.slots + sparsity.rows());
    plan.lists = packed_lists(std::exchange(plan.gather, {}), plan.points.elements());
  }
  if (options.elements == GlobalElements::nodal) plan.of_node = positions_by_element(mesh.nodes, plan.points.nodes);
  if (options.elements == GlobalElements::prefetched) {
    plan.blocks = quadratic_blocks(plan.points.nodes);
    require_blocks_fit(plan.blocks, device);
  }
  return plan;
}

}  // namespace cardiowarp
