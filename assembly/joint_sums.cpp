#include "assembly/joint_sums.hpp"

#include <cassert>

namespace cardiowarp {

JointSumsPlan joint_sums_plan(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                              const MatrixLayout& layout, const AssemblyOptions& options) {
  assert(options.ell_warp.renumbering == EllWarpRenumbering::none && !options.through_csr);
  require_countable_slots(layout.slots + sparsity.rows());
  constexpr int of_matrix = 16, of_residual = 4;
  const auto elements = static_cast<Index>(tetrahedra.size());
  JointSumsPlan plan;
  plan.sums =
      summation_plan(joint_contributions(entry_contributions(tetrahedra, sparsity, layout.slot_of_entry, layout.slots),
                                         node_contributions(tetrahedra, sparsity), of_matrix),
                     elements, of_matrix + of_residual, options.ell_warp);
  plan.border = static_cast<Index>(layout.slots);
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  plan.block_size = options.block_size;
  return plan;
}

std::int64_t JointSumsPlan::bytes() const {
  return sums.bytes() + inverted_diagonal_bytes(static_cast<std::int64_t>(diagonal_slot.size()));
}

}  // namespace cardiowarp
