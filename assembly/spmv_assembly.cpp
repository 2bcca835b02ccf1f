#include "assembly/spmv_assembly.hpp"

#include <numeric>

namespace cardiowarp {
namespace {

SummationPlan summation_plan(const Contributions& contributions, Index elements, int values,
                             const EllWarpOptions& options) {
  require_slots_fit(ell_warp_shape(contributions.length, options).stored_entries());
  SummationPlan plan{ell_warp_layout(contributions.length, {}, options), {}, {}};
  plan.slots = contribution_slots(contributions, plan.layout, elements, values);
  plan.layout.slot_of_entry = {};
  if (options.renumbering != EllWarpRenumbering::none)
    plan.from_sorted.assign(plan.layout.shape.row.begin(), plan.layout.shape.row.end());
  return plan;
}

}  // namespace

SpmvAssemblyPlan spmv_assembly_plan(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                                    const MatrixLayout& layout, const AssemblyOptions& options) {
  require_countable_slots(layout.slots);
  const auto elements = static_cast<Index>(tetrahedra.size());
  SpmvAssemblyPlan plan;
  plan.options = options;
  std::vector<std::int64_t> row_of_entry = layout.slot_of_entry;
  std::int64_t rows = layout.slots;
  if (options.through_csr) {
    plan.slot_of_entry = layout.slot_of_entry;
    std::iota(row_of_entry.begin(), row_of_entry.end(), std::int64_t{0});
    rows = sparsity.entries();
  }
  plan.entries =
      summation_plan(entry_contributions(tetrahedra, sparsity, row_of_entry, rows), elements, 16, options.ell_warp);
  plan.nodes = summation_plan(node_contributions(tetrahedra, sparsity), elements, 4, options.ell_warp);
  for (const Index entry : sparsity.diagonal)
    plan.diagonal_slot.push_back(static_cast<Index>(layout.slot_of_entry[entry]));
  return plan;
}

}  // namespace cardiowarp
