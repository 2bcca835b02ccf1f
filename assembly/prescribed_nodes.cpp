#include "assembly/prescribed_nodes.hpp"

#include <cassert>

namespace cardiowarp {

PrescribedPlan prescribed_plan(const std::vector<Index>& prescribed, const Sparsity& sparsity,
                               const MatrixLayout& layout) {
  assert(std::ranges::is_sorted(prescribed));
  PrescribedPlan plan;
  plan.node = prescribed;
  std::vector<bool> is_prescribed(sparsity.rows(), false);
  for (const Index node : prescribed) is_prescribed[node] = true;
  const auto slot_of = [&](Index entry) { return static_cast<Index>(layout.slot_of_entry[entry]); };
  for (const Index row : prescribed) {
    plan.diagonal_slot.push_back(slot_of(sparsity.diagonal[row]));
    for (Index entry = sparsity.row_begin[row]; entry < sparsity.row_begin[row + 1]; ++entry) {
      const Index column = sparsity.column[entry];
      if (column == row) continue;
      plan.coupling_slot.push_back(slot_of(entry));
      if (is_prescribed[column]) continue;  // whose row has the other one
      Index mirrored = sparsity.row_begin[column];
      while (sparsity.column[mirrored] != row) ++mirrored;
      plan.coupling_slot.push_back(slot_of(mirrored));
    }
  }
  std::ranges::sort(plan.coupling_slot);
  return plan;
}

}  // namespace cardiowarp
