#include "kernels/sparse/ell_warp_format.hpp"

namespace cardiowarp {

using EllWarp = FormatOf<MatrixFormat::ell_warp>;

std::vector<MatrixOptions> EllWarp::variants() {
  std::vector<MatrixOptions> all;
  for (const EllWarpVariant variant : {EllWarpVariant::k1, EllWarpVariant::k2})
    for (const EllWarpRenumbering renumbering :
         {EllWarpRenumbering::none, EllWarpRenumbering::rows, EllWarpRenumbering::rows_and_columns_sorted}) {
      MatrixOptions options{.format = MatrixFormat::ell_warp};
      options.ell_warp.variant = variant;
      options.ell_warp.renumbering = renumbering;
      all.push_back(options);
    }
  return all;
}

std::vector<Index> EllWarp::node_order(const MatrixOptions& options, std::span<const Index> row_length) {
  if (options.ell_warp.renumbering == EllWarpRenumbering::none) return {};
  return ell_warp_shape(row_length, options.ell_warp).row;
}

std::int64_t EllWarp::product_bytes(const Layout& layout, const CsrPattern& pattern) {
  const std::int64_t of_slice = layout.options.variant == EllWarpVariant::k1 ? 8 : 16;
  const std::int64_t of_row = layout.options.renumbering == EllWarpRenumbering::none ? 20 : 16;
  return 12 * layout.shape.stored_entries() + of_row * pattern.rows() + of_slice * layout.shape.slices();
}

}  // namespace cardiowarp
