#include "assembly/scalar_gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assembly/diffusion_matrix.hpp"
#include "fem/input_error.hpp"
#include "fem/tetrahedron.hpp"

namespace cardiowarp {
namespace {

/// Rows sorted by their number of elements: a pattern whose columns are elements.
EllWarpLayout gather_layout(const Contributions& contributions, Index elements, EllWarpRenumbering renumbering) {
  EllWarpLayout layout =
      ell_warp_layout(contributions.length, {}, {.renumbering = renumbering, .window = default_window});
  layout.column = contribution_elements(contributions, layout, elements);
  layout.slot_of_entry = {};
  return layout;
}

/// The edges in the order in which their upper entries are stored.
struct Edges {
  std::vector<EntryPair> slots;             ///< [edges]
  std::vector<std::int64_t> edge_of_entry;  ///< [CSR entries] −1 where an entry is not above the diagonal
};

Edges number_edges(const Sparsity& sparsity, const MatrixLayout& layout) {
  constexpr Index none = -1;
  std::vector<EntryPair> of_slot(layout.slots, EntryPair{none, none});
#pragma omp parallel for schedule(static)
  for (Index row = 0; row < sparsity.rows(); ++row)
    for (Index e = sparsity.row_begin[row]; e < sparsity.row_begin[row + 1]; ++e) {
      const Index column = sparsity.column[e];
      if (column <= row) continue;
      const auto mirror = std::find(sparsity.column.begin() + sparsity.row_begin[column],
                                    sparsity.column.begin() + sparsity.row_begin[column + 1], row);
      const auto slot = static_cast<Index>(layout.slot_of_entry[e]);
      of_slot[slot] = {slot, static_cast<Index>(layout.slot_of_entry[mirror - sparsity.column.begin()])};
    }
  Edges edges;
  std::vector<Index> edge_of_slot(layout.slots, none);
  for (std::size_t slot = 0; slot < of_slot.size(); ++slot) {
    if (of_slot[slot].upper == none) continue;
    edge_of_slot[slot] = static_cast<Index>(edges.slots.size());
    edges.slots.push_back(of_slot[slot]);
  }
  edges.edge_of_entry.reserve(sparsity.entries());
  for (const std::int64_t slot : layout.slot_of_entry) edges.edge_of_entry.push_back(edge_of_slot[slot]);
  return edges;
}

}  // namespace

ScalarGatherPlan scalar_gather_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                    const Sparsity& sparsity, const MatrixLayout& layout) {
  require_countable_slots(layout.slots);
  const auto elements = static_cast<Index>(mesh.tetrahedra.size());
  ScalarGatherPlan plan;
  {
    const Edges edges = number_edges(sparsity, layout);
    plan.edge_elements = gather_layout(entry_contributions(mesh.tetrahedra, sparsity, edges.edge_of_entry,
                                                           static_cast<std::int64_t>(edges.slots.size())),
                                       elements, EllWarpRenumbering::rows);
    for (const Index edge : plan.edge_elements.shape.row) plan.edge_slots.push_back(edges.slots[edge]);
  }
  plan.node_elements = gather_layout(node_contributions(mesh.tetrahedra, sparsity), elements, EllWarpRenumbering::none);
  for (const Index entry : sparsity.diagonal)
    plan.diagonal_slot.push_back(static_cast<Index>(layout.slot_of_entry[entry]));

  const std::vector<Real> diffusion = diffusion_matrix(mesh, diffusivity, sparsity);
  plan.diffusion.assign(layout.slots, 0);
  for (std::size_t entry = 0; entry < diffusion.size(); ++entry)
    plan.diffusion[layout.slot_of_entry[entry]] = diffusion[entry];
  for (const Tetrahedron& nodes : mesh.tetrahedra)
    plan.volume.push_back(tetrahedron_geometry(mesh.nodes, nodes).volume);
  return plan;
}

}  // namespace cardiowarp
