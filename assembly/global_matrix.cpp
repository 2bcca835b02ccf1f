#include "assembly/global_matrix.hpp"

#include <algorithm>
#include <cassert>

#include "assembly/options.hpp"
#include "kernels/sparse/ell_warp_choice.hpp"

namespace cardiowarp {

const EllWarpLayout& MatrixLayout::ell_warp() const {
  static const EllWarpLayout none{};
  const auto* layout = std::get_if<place_of(MatrixFormat::ell_warp)>(&own);
  return layout ? *layout : none;
}

MatrixOptions chosen_options(const MatrixOptions& options, const Device& device, std::span<const Index> row_length) {
  MatrixOptions chosen = options;
  if (!device.is_gpu && (options.format == MatrixFormat::automatic || needs_gpu(options.format)))
    chosen.format = MatrixFormat::csr;
  if (chosen.format != MatrixFormat::automatic) return chosen;
  const EllWarpChoice choice = choose_ell_warp(row_length, options.ell_warp.window, device);
  chosen.format = MatrixFormat::ell_warp;
  chosen.ell_warp = choice.options;
  if (options.block_size == 0) chosen.block_size = choice.block_size;
  return chosen;
}

std::vector<Index> node_order_for(const MatrixOptions& options, std::span<const Index> row_length) {
  return with_format<std::vector<Index>>(
      options.format, [&](auto format) { return FormatOf<format.value>::node_order(options, row_length); });
}

MatrixLayout matrix_layout(const Sparsity& sparsity, const MatrixOptions& options) {
  const CsrPattern pattern = pattern_of(sparsity);
  MatrixLayout layout = with_format<MatrixLayout>(options.format, [&](auto format) {
    using Format = FormatOf<format.value>;
    auto own = Format::layout(pattern, options);
    StoredEntries entries = Format::take_entries(own, pattern);
    return MatrixLayout{options, std::move(entries.slot_of_entry), entries.slots,
                        FormatLayout(std::in_place_index<place_of(format.value)>, std::move(own))};
  });
  assert(layout.ell_warp().options.renumbering == EllWarpRenumbering::none ||
         std::is_sorted(layout.ell_warp().shape.row.begin(), layout.ell_warp().shape.row.end()));
  return layout;
}

std::vector<Index> diagonal_slots(const Sparsity& sparsity, const MatrixLayout& layout) {
  std::vector<Index> slots;
  for (const Index entry : sparsity.diagonal) slots.push_back(static_cast<Index>(layout.slot_of_entry[entry]));
  return slots;
}

}  // namespace cardiowarp
