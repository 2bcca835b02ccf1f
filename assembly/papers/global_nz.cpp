#include "assembly/papers/global_nz.hpp"

#include <fmt/format.h>

#include <limits>

#include "assembly/cell_contributions.hpp"
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

/// Where the elements are among their numbers; empty where each is at its own place.
std::vector<Index> places_of(const GlobalNzPlan& plan) {
  if (!plan.options.metis) return {};
  return inverse_permutation(plan.blocks.order);
}

}  // namespace

GlobalNzPlan global_nz_plan(const Mesh& mesh, const Sparsity& sparsity, const MatrixLayout& layout,
                            const GlobalNzOptions& options) {
  require_countable_slots(layout.slots + sparsity.rows());
  const std::vector<Tetrahedron>& tetrahedra = mesh.tetrahedra;
  const auto stride = static_cast<std::int64_t>(tetrahedra.size()) + 1;
  if (general_numbers * stride > std::numeric_limits<Index>::max())
    throw InputError(
        fmt::format("mesh too large for assembly.strategy: global_nz_general: {} numbers of elements, at most {} fit",
                    general_numbers * stride, std::numeric_limits<Index>::max()));
  GlobalNzPlan plan;
  plan.options = options;
  plan.elements = static_cast<Index>(stride - 1);
  plan.slots = layout.slots;
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  plan.blocks.element_begin = {0};
  plan.lists.begin = {0};
  if (options.elements == GlobalElements::prefetched)
    plan.blocks =
        options.metis ? blocks_of_metis(tetrahedra, "global_nz_prefetched_general") : blocks_in_order(tetrahedra);
  if (options.elements == GlobalElements::nodal) plan.of_corner = positions_by_element(mesh.nodes, mesh.tetrahedra);

  const std::vector<Index> places = places_of(plan);
  const auto place = [&](Index element) { return places.empty() ? element : places[element]; };
  const auto place_of_entry = [&](Index element, int local) {
    return static_cast<Index>(symmetric_place(local / 4, local % 4) * stride + place(element));
  };
  const auto place_of_residual = [&](Index element, int node) {
    return static_cast<Index>((10 + node) * stride + place(element));
  };
  const Contributions at_nodes = node_contributions(tetrahedra, sparsity);
  if (options.sums == GlobalSums::packed) {
    constexpr int first_residual = 16;
    Contributions all =
        joint_contributions(entry_contributions(tetrahedra, sparsity, layout.slot_of_entry, layout.slots), at_nodes,
                            std::uint8_t{first_residual});
    for (std::size_t c = 0; c < all.element.size(); ++c)
      all.element[c] = all.local[c] < first_residual ? place_of_entry(all.element[c], all.local[c])
                                                     : place_of_residual(all.element[c], all.local[c] - first_residual);
    plan.lists = reduction_lists(all.length, all.element);
    plan.entries = plan.nodes = ell_warp_layout({}, {}, {});
    return plan;
  }
  plan.diagonal_lanes.assign(layout.slots / warp_lanes + 1, 0);
  TeamVector<std::int64_t> row_of_entry = layout.slot_of_entry;
  for (const Index entry : sparsity.diagonal) {
    const std::int64_t slot = layout.slot_of_entry[entry];
    plan.diagonal_lanes[slot / warp_lanes] |= 1u << slot % warp_lanes;
    row_of_entry[entry] = -1;
  }
  plan.entries = places_layout(entry_contributions(tetrahedra, sparsity, row_of_entry, layout.slots),
                               static_cast<Index>(stride) - 1, place_of_entry);
  plan.nodes = places_layout(at_nodes, 4 * plan.elements,
                             [&](Index element, int local) { return static_cast<Index>(4 * place(element) + local); });
  return plan;
}

std::int64_t GlobalNzPlan::bytes() const {
  const auto rows = static_cast<std::int64_t>(diagonal_slot.size());
  const std::int64_t of_numbers = std::int64_t{elements} * static_cast<std::int64_t>(general_numbers * sizeof(Real));
  if (options.sums == GlobalSums::packed)
    return of_numbers + static_cast<std::int64_t>(lists.word.size() * sizeof(std::int32_t)) +
           std::int64_t{lists.sums} * static_cast<std::int64_t>(sizeof(Real)) + inverted_diagonal_bytes(rows);
  const auto places = static_cast<std::int64_t>(entries.column.size() + nodes.column.size());
  return places * static_cast<std::int64_t>(sizeof(Index)) + of_numbers +
         static_cast<std::int64_t>(entries.shape.row.size() * sizeof(Real)) +
         rows * static_cast<std::int64_t>(2 * sizeof(Real) + sizeof(Index));
}

std::int64_t GlobalNzPlan::element_bytes() const {
  constexpr std::size_t of_corners = sizeof(Tetrahedron),
                        of_element = sizeof(Diffusivity) + sizeof(std::uint16_t) + (2 + general_numbers) * sizeof(Real),
                        of_node = sizeof(Vector3) + 2 * sizeof(Real);
  std::int64_t bytes = std::int64_t{elements} * static_cast<std::int64_t>(of_element);
  if (options.elements == GlobalElements::prefetched)
    return bytes + std::int64_t{elements} * static_cast<std::int64_t>(sizeof(std::uint64_t) + sizeof(Index)) +
           static_cast<std::int64_t>(blocks.node.size() * (of_node + sizeof(Index)));
  bytes += std::int64_t{elements} * static_cast<std::int64_t>(of_corners);
  const auto rows = static_cast<std::int64_t>(diagonal_slot.size());
  if (options.elements == GlobalElements::nodal)
    return bytes + static_cast<std::int64_t>(of_corner.size() * sizeof(Real)) +
           rows * static_cast<std::int64_t>(2 * sizeof(Real));
  return bytes + rows * static_cast<std::int64_t>(of_node);
}

double GlobalNzPlan::padding() const {
  const auto over = [](std::int64_t stored, std::int64_t needed) {
    return needed == 0 ? 1 : static_cast<double>(stored) / static_cast<double>(needed);
  };
  if (options.sums == GlobalSums::packed) {
    const auto words = static_cast<std::int64_t>(lists.word.size());
    return over(words, words - lists.padding());
  }
  return over(static_cast<std::int64_t>(entries.column.size() + nodes.column.size()),
              entries.shape.entries + nodes.shape.entries);
}

}  // namespace cardiowarp
