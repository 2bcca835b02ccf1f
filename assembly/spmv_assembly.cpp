#include "assembly/spmv_assembly.hpp"

#include <array>
#include <cstddef>
#include <numeric>

#include "fem/quadratic_tetrahedron.hpp"

namespace cardiowarp {

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

namespace {

/// The bytes that move when a value is copied to another place: the value is read, then its place, and the value is
/// written.
constexpr std::size_t scattered_bytes = 2 * sizeof(Real) + sizeof(std::int64_t);

}  // namespace

std::int64_t SummationPlan::bytes() const {
  const std::int64_t values = layout.shape.stored_entries() + layout.shape.rows();
  return values * static_cast<std::int64_t>(sizeof(Real)) +
         static_cast<std::int64_t>(from_sorted.size() * scattered_bytes);
}

std::int64_t SpmvAssemblyPlan::bytes() const {
  return entries.bytes() + nodes.bytes() + static_cast<std::int64_t>(slot_of_entry.size() * scattered_bytes) +
         inverted_diagonal_bytes(static_cast<std::int64_t>(diagonal_slot.size()));
}

std::int64_t SpmvAssemblyPlan::element_bytes() const {
  return spmv_element_bytes(static_cast<std::int64_t>(nodes.slots.size()) / 4,
                            static_cast<std::int64_t>(diagonal_slot.size()));
}

std::int64_t spmv_element_bytes(std::int64_t elements, std::int64_t nodes) {
  constexpr std::size_t of_value = sizeof(Real) + sizeof(std::uint32_t),
                        of_element =
                            sizeof(Tetrahedron) + sizeof(Diffusivity) + sizeof(std::uint16_t) + 2 * sizeof(Real),
                        of_node = sizeof(Vector3) + 2 * sizeof(Real);
  return elements * static_cast<std::int64_t>(20 * of_value + of_element) + nodes * static_cast<std::int64_t>(of_node);
}

namespace {

template <std::size_t N>
SpmvAssemblyPlan plan_for(const std::vector<std::array<Index, N>>& nodes_of, const Sparsity& sparsity,
                          const MatrixLayout& layout, const AssemblyOptions& options) {
  require_countable_slots(layout.slots);
  const auto elements = static_cast<Index>(nodes_of.size());
  SpmvAssemblyPlan plan;
  plan.options = options;
  TeamVector<std::int64_t> row_of_entry = layout.slot_of_entry;
  std::int64_t rows = layout.slots;
  if (options.through_csr) {
    plan.slot_of_entry = layout.slot_of_entry;
    std::iota(row_of_entry.begin(), row_of_entry.end(), std::int64_t{0});
    rows = sparsity.entries();
  }
  plan.entries =
      summation_plan(entry_contributions(nodes_of, sparsity, row_of_entry, rows), elements, N * N, options.ell_warp);
  plan.nodes = summation_plan(node_contributions(nodes_of, sparsity), elements, N, options.ell_warp);
  plan.diagonal_slot = diagonal_slots(sparsity, layout);
  return plan;
}

}  // namespace

SpmvAssemblyPlan spmv_assembly_plan(const std::vector<Tetrahedron>& tetrahedra, const Sparsity& sparsity,
                                    const MatrixLayout& layout, const AssemblyOptions& options) {
  return plan_for(tetrahedra, sparsity, layout, options);
}

SpmvAssemblyPlan spmv_assembly_plan(const std::vector<QuadraticNodes>& elements, const Sparsity& sparsity,
                                    const MatrixLayout& layout, const AssemblyOptions& options) {
  return plan_for(elements, sparsity, layout, options);
}

}  // namespace cardiowarp
