// Rivals that cuSPARSE multiplies.

#include <cstdint>
#include <memory>
#include <utility>

#include "app/bench/rival_pieces.cuh"
#include "kernels/libraries/cusparse.cuh"
#include "kernels/rivals/block_ell.hpp"

namespace cardiowarp {
namespace {

struct DeviceCusparseCsr {
  DeviceCusparseCsr(CudaBackend& backend, const BenchMatrix& matrix)
      : csr(backend, matrix), product(backend, csr.view(), matrix.entries(), CusparseAlgorithm::csr_1) {}

  DeviceCsr csr;
  CusparseMatrix product;
};

/// The algorithm whose last bits may differ; that of a run has always the same.
DeviceFormat cusparse_csr_1(const FormatMaker& maker) {
  const auto A = std::make_shared<const DeviceCusparseCsr>(maker.backend(), maker.matrix());
  return {{.bytes = maker.csr_bytes()}, [A](int, const Real* x, Real* y) { A->product.multiply(x, y); }};
}

/// K1rs, whose values cuSPARSE multiplies.
struct DeviceSlicedEll {
  EllWarpMatrix slices;
  CusparseMatrix product;
};

DeviceFormat cusparse_sliced_ell(const FormatMaker& maker) {
  EllWarpLayout layout =
      ell_warp_layout(maker.row_length(), maker.matrix().column,
                      {.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = maker.window()});
  const auto entries = std::make_shared<const StoredEntries>(EllWarp::take_entries(layout, maker.pattern()));
  EllWarpMatrix slices = maker.filled<EllWarpMatrix>(layout, *entries);
  CusparseMatrix product(maker.backend(), slices.view(), maker.matrix().entries(), entries->slots);
  const auto A = std::make_shared<const DeviceSlicedEll>(std::move(slices), std::move(product));
  return {{.window = maker.window(),
           .padding = layout.shape.padding_ratio(),
           .bytes = EllWarp::product_bytes(layout, maker.pattern())},
          [A](int, const Real* x, Real* y) { A->product.multiply(x, y); },
          entries,
          EllWarp::own_order(layout)};
}

/// BCSR, which cuSPARSE multiplies.
struct DeviceBsr {
  BlockEllMatrix blocks;
  Buffer<Index> row_begin;
  CusparseMatrix product;
};

/// The first block of each block row is a 32-bit number.
DeviceFormat cusparse_bsr(const FormatMaker& maker) {
  const Index unknowns = maker.matrix().unknowns;
  if (unknowns == 1) throw DeviceError("of one unknown a node it is cusparse_csr_1");
  BlockEllLayout layout = block_ell_layout(maker.pattern(), bcsr_options(unknowns));
  const auto entries = std::make_shared<const StoredEntries>(std::move(layout.slot_of_entry), layout.value_slots());
  BlockEllMatrix blocks = maker.filled<BlockEllMatrix>(layout, *entries);
  Buffer<Index> row_begin =
      uploaded(maker.backend(), std::vector<Index>(layout.slice_begin.begin(), layout.slice_begin.end()));
  const BlockEllView view = blocks.view();
  CusparseMatrix product(maker.backend(), BsrView{view.block_rows, view.unknowns, layout.blocks, row_begin.data(),
                                                  view.column, view.value});
  const auto A = std::make_shared<const DeviceBsr>(std::move(blocks), std::move(row_begin), std::move(product));
  const std::int64_t b = unknowns;
  return {{.padding = maker.padding(entries->slots),
           .bytes = (8 * b * b + 4) * layout.blocks + 16 * maker.rows() + 4 * std::int64_t{layout.block_rows}},
          [A](int, const Real* x, Real* y) { A->product.multiply(x, y); },
          entries};
}

}  // namespace

template <>
FormatCandidate rival_candidate<rival("cusparse_csr_1")>(const SharedMaker& maker) {
  return {none_needed, false, [=](Index) { return cusparse_csr_1(*maker); }};
}
template <>
FormatCandidate rival_candidate<rival("cusparse_sliced_ell")>(const SharedMaker& maker) {
  return {none_needed, false, [=](Index) { return cusparse_sliced_ell(*maker); }};
}
template <>
FormatCandidate rival_candidate<rival("cusparse_bsr")>(const SharedMaker& maker) {
  return {none_needed, false, [=](Index) { return cusparse_bsr(*maker); }};
}

}  // namespace cardiowarp
