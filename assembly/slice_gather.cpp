#include "assembly/slice_gather.hpp"

#include <algorithm>
#include <limits>

#include "assembly/diffusion_matrix.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// First of each slice, which has 32 times what `of_row(row)`, shared by the lanes of the row, is at most.
template <class OfRow>
std::vector<std::int64_t> slice_begins(const EllWarpShape& shape, bool shared, const OfRow& of_row) {
  std::vector<std::int64_t> begin{0};
  for (Index slice = 0; slice < shape.slices(); ++slice) {
    Index most = 0;
    for (Index row = shape.slice_row[slice]; row < shape.slice_row[slice + 1]; ++row)
      most = std::max(most, of_row(row));
    const Index lanes = shared ? shape.slice_lanes[slice] : 1;
    begin.push_back(begin.back() + std::int64_t{warp_lanes} * ((most + lanes - 1) / lanes));
  }
  return begin;
}

Index elements_of(const Sparsity& sparsity, Index row) {
  return sparsity.incidence.begin[row + 1] - sparsity.incidence.begin[row];
}

std::vector<std::int64_t> sums_begins(const EllWarpShape& shape, const Sparsity& sparsity) {
  return slice_begins(shape, false, [&](Index row) { return sparsity.row_begin[row + 1] - sparsity.row_begin[row]; });
}

/// The most sums that `together` neighboring slices have.
std::int64_t most_sums(const std::vector<std::int64_t>& sums_begin, Index together) {
  const auto slices = static_cast<Index>(sums_begin.size()) - 1;
  std::int64_t most = 0;
  for (Index first = 0; first < slices; first += together)
    most = std::max(most, sums_begin[std::min(first + together, slices)] - sums_begin[first]);
  return most;
}

/// Lists the contributions to one row in the order of the slice.
void list_contributions(const Sparsity& sparsity, Index row, Index row_in_slice, Index lanes, std::uint64_t* of_slice) {
  const Index diagonal = sparsity.diagonal[row] - sparsity.row_begin[row];
  for (Index i = 0; i < elements_of(sparsity, row); ++i) {
    const Index k = sparsity.incidence.begin[row] + i;
    std::uint8_t entry[3];
    int others = 0;
    for (const Index slot : sparsity.incident_slots[k])
      if (slot != diagonal) entry[others++] = static_cast<std::uint8_t>(slot);
    of_slice[slot_in_slice(row_in_slice, lanes, i)] = RowContribution(sparsity.incidence.element[k], entry).bits();
  }
}

}  // namespace

std::int64_t SliceGatherPlan::bytes() const {
  constexpr std::size_t of_slot = 2 * sizeof(Real) + sizeof(Index), of_row = 3 * sizeof(Real) + sizeof(std::uint8_t);
  return static_cast<std::int64_t>(contribution.size() * sizeof(std::uint64_t) + diffusion.size() * of_slot +
                                   volume.size() * sizeof(TangentResidual) + diagonal.size() * of_row);
}

bool slice_gather_suits(const MatrixLayout& layout, const Sparsity& sparsity) {
  static_assert(sums_a_block / warp_lanes <= std::numeric_limits<std::uint8_t>::max());  // which numbers entries
  return layout.options.format == MatrixFormat::ell_warp &&
         layout.options.ell_warp.renumbering != EllWarpRenumbering::none &&
         most_sums(sums_begins(layout.ell_warp().shape, sparsity), slices_a_block) <= sums_a_block;
}

SliceGatherPlan slice_gather_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                  const Sparsity& sparsity, const MatrixLayout& layout, Index slices) {
  const EllWarpShape& shape = layout.ell_warp().shape;
  const auto elements = static_cast<Index>(mesh.tetrahedra.size());
  SliceGatherPlan plan;
  plan.contribution_begin = slice_begins(shape, true, [&](Index row) { return elements_of(sparsity, row); });
  plan.sums_begin = sums_begins(shape, sparsity);
  plan.slices = slices;
  plan.block_sums = static_cast<Index>(most_sums(plan.sums_begin, slices));
  resize_by_team(plan.contribution, plan.contribution_begin.back());
  const std::uint64_t padding = RowContribution(elements, {0, 0, 0}).bits();
  parallel_for(shape.slices(), [&](Index slice) {
    std::fill(plan.contribution.begin() + plan.contribution_begin[slice],
              plan.contribution.begin() + plan.contribution_begin[slice + 1], padding);
    for (Index row = shape.slice_row[slice]; row < shape.slice_row[slice + 1]; ++row)
      list_contributions(sparsity, row, row - shape.slice_row[slice], shape.slice_lanes[slice],
                         plan.contribution.data() + plan.contribution_begin[slice]);
  });
  for (Index row = 0; row < sparsity.rows(); ++row)
    plan.diagonal.push_back(static_cast<std::uint8_t>(sparsity.diagonal[row] - sparsity.row_begin[row]));

  plan.diffusion = diffusion_matrix(mesh, diffusivity, sparsity, layout);
  plan.volume = element_volumes(mesh);
  return plan;
}

}  // namespace cardiowarp
