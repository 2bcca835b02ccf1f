// Rivals whose entries are in the order of the rows.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "app/bench/rival_pieces.cuh"
#include "kernels/rivals/csr_vector.cuh"
#include "kernels/rivals/hyb.cuh"
#include "kernels/rivals/merge.cuh"
#include "kernels/rivals/segmented_scan.cuh"

namespace cardiowarp {
namespace {

DeviceFormat csr_vector(const FormatMaker& maker, Index lanes) {
  const auto A = std::make_shared<const DeviceCsr>(maker.backend(), maker.matrix());
  return {{.lanes = lanes, .bytes = maker.csr_bytes()},
          [A, lanes, stream = maker.stream()](int block_size, const Real* x, Real* y) {
            csr_vector_multiply(stream, block_size, lanes, A->view(), x, y);
          }};
}

/// y is zeroed, read and written.
DeviceFormat coo(const FormatMaker& maker) {
  const auto A = std::make_shared<const DeviceCoo>(maker.backend(), coo_matrix(maker.matrix().view()));
  return {{.bytes = 16 * maker.matrix().entries() + 32 * maker.rows()},
          [A, n = maker.matrix().rows(), stream = maker.stream()](int block_size, const Real* x, Real* y) {
            A->multiply(stream, block_size, n, x, y);
          }};
}

std::shared_ptr<const EllBuffers> ell_buffers(const FormatMaker& maker) {
  maker.require_fitting(maker.rows() * maker.longest());
  return std::make_shared<const EllBuffers>(maker.backend(),
                                            ell_matrix(maker.matrix().view(), static_cast<Index>(maker.longest())));
}

double ell_padding(const FormatMaker& maker) { return maker.padding(maker.rows() * maker.longest()); }

DeviceFormat ell(const FormatMaker& maker) {
  const auto A = ell_buffers(maker);
  return {{.padding = ell_padding(maker), .bytes = 12 * maker.rows() * maker.longest() + 16 * maker.rows()},
          [A, stream = maker.stream()](int block_size, const Real* x, Real* y) {
            for_each_in_blocks(stream, block_size, A->view().rows, RowsTimesVector<EllView>{A->view(), x, y});
          }};
}

/// ELLPACK-R, whose padding is not read.
DeviceFormat ell_r(const FormatMaker& maker) {
  const auto A = ell_buffers(maker);
  return {{.padding = ell_padding(maker), .bytes = maker.csr_bytes()},
          [A, stream = maker.stream()](int block_size, const Real* x, Real* y) {
            const EllRView view = A->view_with_lengths();
            for_each_in_blocks(stream, block_size, view.ell.rows, RowsTimesVector<EllRView>{view, x, y});
          }};
}

/// A row that goes on in the coordinates has its y read and written again.
DeviceFormat hyb(const FormatMaker& maker) {
  const CsrView host = maker.matrix().view();
  const Index width = hyb_width(host);
  const auto A = std::make_shared<const DeviceHyb>(maker.backend(), host, width);
  std::int64_t rest = 0, rows_with_rest = 0;
  for (const Index length : maker.row_length()) {
    rest += std::max(0, length - width);
    rows_with_rest += length > width ? 1 : 0;
  }
  const std::int64_t in_ell = maker.rows() * width;
  return {
      {.padding = maker.padding(in_ell + rest),
       .bytes = 12 * in_ell + 16 * maker.rows() + 16 * rest + 16 * rows_with_rest},
      [A, stream = maker.stream()](int block_size, const Real* x, Real* y) { A->multiply(stream, block_size, x, y); }};
}

struct DeviceMerge {
  DeviceMerge(CudaBackend& backend, const BenchMatrix& matrix, Index share)
      : csr(backend, matrix), product(backend, csr.view(), static_cast<Index>(matrix.entries()), share) {}

  DeviceCsr csr;
  MergeProduct product;
};

DeviceFormat merge(const FormatMaker& maker, Index share) {
  const auto A = std::make_shared<const DeviceMerge>(maker.backend(), maker.matrix(), share);
  return {{.values_per_thread = share, .bytes = maker.csr_bytes()},
          [A, stream = maker.stream()](int block_size, const Real* x, Real* y) {
            A->product.multiply(stream, block_size, x, y);
          }};
}

DeviceFormat segmented_scan(const FormatMaker& maker, Index values) {
  SegmentedScanLayout layout = segmented_scan_layout(maker.pattern(), values);
  const std::int64_t bytes = layout.product_bytes(), stored = layout.stored_entries();
  const auto entries = std::make_shared<const StoredEntries>(std::move(layout.slot_of_entry), stored);
  const auto A = std::make_shared<const SegmentedScanProduct>(maker.filled<SegmentedScanProduct>(layout, *entries));
  return {
      {.values_per_thread = values, .padding = maker.padding(stored), .bytes = bytes},
      [A, stream = maker.stream()](int block_size, const Real* x, Real* y) { A->multiply(stream, block_size, x, y); },
      entries};
}

}  // namespace

template <>
FormatCandidate rival_candidate<rival("csr_vector")>(const SharedMaker& maker) {
  return {{2, 4, 8, 16, 32}, true, [=](Index lanes) { return csr_vector(*maker, lanes); }};
}
template <>
FormatCandidate rival_candidate<rival("coo")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index) { return coo(*maker); }};
}
template <>
FormatCandidate rival_candidate<rival("ell")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index) { return ell(*maker); }};
}
template <>
FormatCandidate rival_candidate<rival("ell_r")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index) { return ell_r(*maker); }};
}
template <>
FormatCandidate rival_candidate<rival("hyb")>(const SharedMaker& maker) {
  return {none_needed, true, [=](Index) { return hyb(*maker); }};
}
template <>
FormatCandidate rival_candidate<rival("merge")>(const SharedMaker& maker) {
  return {{MergeProduct::shares.begin(), MergeProduct::shares.end()}, true, [=](Index share) {
            return merge(*maker, share);
          }};
}
template <>
FormatCandidate rival_candidate<rival("segmented_scan")>(const SharedMaker& maker) {
  return {{segmented_scan_values.begin(), segmented_scan_values.end()}, true, [=](Index values) {
            return segmented_scan(*maker, values);
          }};
}

}  // namespace cardiowarp
