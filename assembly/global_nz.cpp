#include "assembly/global_nz.hpp"

#include <fmt/format.h>

#include <limits>

#include "assembly/contributions.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// The places of the contributions as the pattern of a matrix, with its rows in the given order. place(element, local)
/// is of a contribution.
template <class PlaceOf>
EllWarpLayout places_layout(Contributions contributions, Index padding, const PlaceOf& place) {
  EllWarpLayout layout =
      ell_warp_layout(contributions.length, {}, {.renumbering = EllWarpRenumbering::rows, .sorted = false});
  for (std::size_t c = 0; c < contributions.element.size(); ++c)
    contributions.element[c] = place(contributions.element[c], contributions.local[c]);
  layout.column = contribution_elements(contributions, layout, padding);
  layout.slot_of_entry = {};
  return layout;
}

}  // namespace

GlobalNzPlan global_nz_plan(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                            const MatrixLayout& layout) {
  require_countable_slots(layout.slots + sparsity.rows());
  const auto stride = static_cast<std::int64_t>(tetrahedra.size()) + 1;
  if (general_numbers * stride > std::numeric_limits<Index>::max())
    throw InputError(
        fmt::format("mesh too large for assembly.strategy: global_nz_general: {} numbers of elements, at most {} fit",
                    general_numbers * stride, std::numeric_limits<Index>::max()));
  GlobalNzPlan plan;
  plan.elements = static_cast<Index>(stride - 1);
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  plan.diagonal_lanes.assign(layout.slots / warp_lanes + 1, 0);
  TeamVector<std::int64_t> row_of_entry = layout.slot_of_entry;
  for (const Index entry : sparsity.diagonal) {
    const std::int64_t slot = layout.slot_of_entry[entry];
    plan.diagonal_lanes[slot / warp_lanes] |= 1u << slot % warp_lanes;
    row_of_entry[entry] = -1;
  }
  plan.entries = places_layout(entry_contributions(tetrahedra, sparsity, row_of_entry, layout.slots),
                               static_cast<Index>(stride) - 1, [&](Index element, int local) {
                                 return static_cast<Index>(symmetric_place(local / 4, local % 4) * stride + element);
                               });
  plan.nodes = places_layout(node_contributions(tetrahedra, sparsity), 4 * plan.elements,
                             [](Index element, int local) { return static_cast<Index>(4 * element + local); });
  return plan;
}

std::int64_t GlobalNzPlan::bytes() const {
  const auto places = static_cast<std::int64_t>(entries.column.size() + nodes.column.size());
  const auto rows = static_cast<std::int64_t>(diagonal_slot.size());
  return places * static_cast<std::int64_t>(sizeof(Index)) +
         std::int64_t{elements} * static_cast<std::int64_t>(general_numbers * sizeof(Real)) +
         static_cast<std::int64_t>(entries.shape.row.size() * sizeof(Real)) +
         rows * static_cast<std::int64_t>(2 * sizeof(Real) + sizeof(Index));
}

std::int64_t GlobalNzPlan::element_bytes() const {
  constexpr std::size_t of_element = sizeof(Tetrahedron) + sizeof(Diffusivity) + sizeof(std::uint16_t) +
                                     (2 + general_numbers) * sizeof(Real),
                        of_node = sizeof(Vector3) + 2 * sizeof(Real);
  return std::int64_t{elements} * static_cast<std::int64_t>(of_element) +
         static_cast<std::int64_t>(diagonal_slot.size() * of_node);
}

}  // namespace cardiowarp
