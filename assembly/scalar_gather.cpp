#include "assembly/scalar_gather.hpp"

#include <fmt/format.h>

#include <limits>

#include "assembly/diffusion_matrix.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

/// A layout whose columns are elements, with the rows in the given order.
EllWarpLayout gather_layout(const Contributions& contributions, Index elements) {
  EllWarpLayout layout =
      ell_warp_layout(contributions.length, {}, {.renumbering = EllWarpRenumbering::rows, .sorted = false});
  layout.column = contribution_elements(contributions, layout, elements);
  layout.slot_of_entry = {};
  return layout;
}

}  // namespace

std::int64_t ScalarGatherPlan::bytes() const {
  const std::size_t gathers = entry_elements.column.size() + node_elements.column.size();
  constexpr std::size_t product_of_slot = sizeof(Real) + sizeof(Index), of_slot = product_of_slot + 2 * sizeof(Real),
                        of_node = 5 * sizeof(Real) + 2 * sizeof(Index) + 2 * sizeof(Real);
  return static_cast<std::int64_t>(gathers * sizeof(Index) + diffusion.size() * of_slot +
                                   volume.size() * sizeof(TangentResidual) + diagonal_slot.size() * of_node);
}

ScalarGatherPlan scalar_gather_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                    const Sparsity& sparsity, const MatrixLayout& layout) {
  if (layout.slots + sparsity.rows() > std::numeric_limits<Index>::max())
    throw InputError(fmt::format("mesh too large: {} stored matrix entries and {} nodes, at most {} together fit",
                                 layout.slots, sparsity.rows(), std::numeric_limits<Index>::max()));
  const auto elements = static_cast<Index>(mesh.tetrahedra.size());
  ScalarGatherPlan plan;
  plan.diagonal_lanes.assign(layout.slots / warp_lanes + 1, 0);
  TeamVector<std::int64_t> row_of_entry = layout.slot_of_entry;
  for (const Index entry : sparsity.diagonal) {
    const auto slot = static_cast<Index>(layout.slot_of_entry[entry]);
    plan.diagonal_slot.push_back(slot);
    plan.diagonal_lanes[slot / warp_lanes] |= 1u << slot % warp_lanes;
    row_of_entry[entry] = -1;
  }
  plan.entry_elements =
      gather_layout(entry_contributions(mesh.tetrahedra, sparsity, row_of_entry, layout.slots), elements);
  plan.node_elements = gather_layout(node_contributions(mesh.tetrahedra, sparsity), elements);

  plan.diffusion = diffusion_matrix(mesh, diffusivity, sparsity, layout);
  plan.volume = element_volumes(mesh);
  return plan;
}

}  // namespace cardiowarp
