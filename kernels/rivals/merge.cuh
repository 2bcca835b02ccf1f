#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/rivals/carries.cuh"
#include "kernels/rivals/merge.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/ell_warp.hpp"
#include "kernels/sparse/launch.cuh"

namespace cardiowarp {

namespace cuda {

/// y = A x, but for the carries of the blocks (carries.hpp). A block has a tile of blockDim.x × share items. It puts
/// the terms of A x and the ends of the rows into shared memory, (blockDim.x × share + 1) × 8 bytes; then each thread
/// adds up its share, and takes on the sum that the threads before it leave.
template <Index share>
__global__ void __launch_bounds__(1024)
    merge_kernel(const CsrView A, const Real* x, const CarriesView carries, Real* y) {
  extern __shared__ Real product[];
  __shared__ MergePlace border[2];
  const Index thread = threadIdx.x, threads = blockDim.x;
  if (thread < 2) {
    const Index entries = A.row_begin[A.rows];
    const std::int64_t item = (std::int64_t{blockIdx.x} + thread) * threads * share,
                       last = std::int64_t{A.rows} + entries;
    border[thread] = merge_place(A.row_begin + 1, A.rows, entries, item < last ? item : last);
  }
  __syncthreads();
  const MergePlace begin = border[0], end = border[1];
  const Index rows = end.row - begin.row, entries = end.entry - begin.entry, items = rows + entries;
  Index* row_end = reinterpret_cast<Index*>(product + entries);
  Real terms[share];  // all fetched before the first is stored, so that their latencies overlap
  for (Index k = 0; k < share; ++k) {
    const Index e = thread + k * threads;
    terms[k] = e < entries ? A.value[begin.entry + e] * x[A.column[begin.entry + e]] : 0;
  }
  for (Index k = 0; k < share; ++k)
    if (thread + k * threads < entries) product[thread + k * threads] = terms[k];
  for (Index row = thread; row < rows; row += threads) row_end[row] = A.row_begin[begin.row + row + 1] - begin.entry;
  if (thread == 0) row_end[rows] = std::numeric_limits<Index>::max();  // goes on in the next tile
  __syncthreads();

  const Index first = thread * share < items ? thread * share : items;
  const MergePlace place = merge_place(row_end, rows, entries, first);
  const RowRest rest =
      merge_share(place, first + share < items ? share : items - first, row_end, product, y + begin.row);
  RowRest of_all;
  const RowRest before = rest_before(rest, of_all);
  if (rest.ended > 0) y[begin.row + place.row] += before.sum;
  if (thread == 0) {
    carries.row[blockIdx.x] = end.row < A.rows ? end.row : -1;
    carries.sum[blockIdx.x] = of_all.sum;
  }
}

template <Index share>
void merge_launch(cudaStream_t stream, int block_size, const CsrView& A, const Real* x, const CarriesView& carries,
                  Real* y) {
  constexpr std::size_t shared_without_asking = 47 << 10;  // 48 KiB with what the kernel declares
  const std::size_t shared = (static_cast<std::size_t>(block_size) * share + 1) * sizeof(Real);
  if (shared > shared_without_asking)
    cuda_check(cudaFuncSetAttribute(merge_kernel<share>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared)));
  merge_kernel<share><<<static_cast<unsigned>(carries.pieces), block_size, shared, stream>>>(A, x, carries, y);
  cuda_check(cudaGetLastError());
}

}  // namespace cuda

/// y = A x along the merge path, `share` items a thread: 5, 7 or 11, odd so that threads read different banks of shared
/// memory. Two launches; the same bits in every run, others for another share or block size.
class MergeProduct {
 public:
  static constexpr std::array<Index, 3> shares{5, 7, 11};

  MergeProduct(CudaBackend& backend, const CsrView& A, Index entries, Index share)
      : A_(A), items_(std::int64_t{A.rows} + entries), share_(share), carries_(backend, tiles(warp_lanes)) {
    if (std::find(shares.begin(), shares.end(), share) == shares.end())
      throw std::invalid_argument("merge: expected 5, 7 or 11 items a thread, got " + std::to_string(share));
  }

  /// Throws std::invalid_argument for a bad block size, DeviceError.
  void multiply(cudaStream_t stream, int block_size, const Real* x, Real* y) const {
    require_valid_block_size(block_size);
    if (A_.rows == 0) return;
    const CarriesView carries = carries_.view(tiles(block_size));
    const auto launch = share_ == 5   ? cuda::merge_launch<5>
                        : share_ == 7 ? cuda::merge_launch<7>
                                      : cuda::merge_launch<11>;
    launch(stream, block_size, A_, x, carries, y);
    for_each_in_blocks(stream, block_size, carries.pieces, AddCarries{carries, y});
  }

 private:
  Index tiles(Index block_size) const {
    const std::int64_t tile = std::int64_t{block_size} * share_;
    return static_cast<Index>((items_ + tile - 1) / tile);
  }

  CsrView A_;
  std::int64_t items_;
  Index share_;
  Carries carries_;
};

}  // namespace cardiowarp
