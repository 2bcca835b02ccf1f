#include "assembly/global_matrix.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "kernels/sparse/ell_warp_choice.hpp"

namespace cardiowarp {

MatrixOptions chosen_options(const MatrixOptions& options, const Device& device, std::span<const Index> row_length) {
  MatrixOptions chosen = options;
  if (options.format == MatrixFormat::cusparse && !device.is_gpu) chosen.format = MatrixFormat::csr;
  if (options.format != MatrixFormat::automatic) return chosen;
  if (!device.is_gpu) {
    chosen.format = MatrixFormat::csr;
    return chosen;
  }
  const EllWarpChoice choice = choose_ell_warp(row_length, options.ell_warp.window, device);
  chosen.format = MatrixFormat::ell_warp;
  chosen.ell_warp = choice.options;
  if (options.block_size == 0) chosen.block_size = choice.block_size;
  return chosen;
}

std::vector<Index> node_order_for(const MatrixOptions& options, std::span<const Index> row_length) {
  const bool renumbered =
      options.format == MatrixFormat::ell_warp && options.ell_warp.renumbering != EllWarpRenumbering::none;
  if (!renumbered && options.format != MatrixFormat::csr) return {};
  return ell_warp_shape(row_length, options.ell_warp).row;
}

MatrixLayout matrix_layout(const Sparsity& sparsity, const MatrixOptions& options) {
  MatrixLayout layout{options, {}, sparsity.entries(), {}};
  if (options.format == MatrixFormat::ell_warp) {
    layout.ell_warp = ell_warp_layout(row_lengths(sparsity.row_begin), sparsity.column, options.ell_warp);
    assert(options.ell_warp.renumbering == EllWarpRenumbering::none ||
           std::is_sorted(layout.ell_warp.shape.row.begin(), layout.ell_warp.shape.row.end()));
    layout.slot_of_entry = std::move(layout.ell_warp.slot_of_entry);
    layout.slots = layout.ell_warp.shape.stored_entries();
  } else {
    layout.slot_of_entry.resize(sparsity.entries());
    std::iota(layout.slot_of_entry.begin(), layout.slot_of_entry.end(), std::int64_t{0});
  }
  return layout;
}

}  // namespace cardiowarp
