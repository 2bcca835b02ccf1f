#pragma once
#include <algorithm>
#include <cstddef>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"
#include "kernels/rivals/carries.cuh"
#include "kernels/rivals/segmented_scan.hpp"
#include "kernels/sparse/launch.cuh"
#include "kernels/sparse/warp_lanes.hpp"

namespace cardiowarp {

namespace cuda {

/// y = A x, but for the carries of the blocks (carries.hpp): a warp a stretch. The sums of its rows meet in shared
/// memory, A.most_ends × 8 bytes a warp, and are written from there, so that neighboring threads write neighbors.
template <Index values, Caching C>
__global__ void __launch_bounds__(1024)
    segmented_scan_kernel(const SegmentedScanView A, const Real* x, const CarriesView carries, Real* y) {
  extern __shared__ Real sums_of_block[];
  const Index lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  const std::int64_t first_stretch = std::int64_t{blockIdx.x} * warps, stretch = first_stretch + warp;
  const bool inside = stretch < A.stretches;  // the same for all lanes of the warp
  Real* const sums = sums_of_block + warp * A.most_ends;
  Index first_sum = 0;
  RowRest rest{0, 0};
  if (inside) {
    first_sum = A.ends_before[stretch * warp_lanes + lane];
    rest = scan_share<values, C>(A, stretch, lane, x, sums + first_sum);
  }
  RowRest of_all;
  const RowRest before = rest_before(rest, of_all);  // has a barrier
  if (rest.ended > 0) sums[first_sum] += before.sum;
  __syncwarp();
  if (inside) {
    const Index row = A.first_row[stretch], ends = A.first_row[stretch + 1] - row;
    for (Index k = lane; k < ends; k += warp_lanes) y[row + k] = sums[k];
  }
  if (threadIdx.x == 0) {
    const std::int64_t end = first_stretch + warps < A.stretches ? first_stretch + warps : A.stretches;
    const Index row = A.first_row[end];
    carries.row[blockIdx.x] = row < A.rows ? row : -1;
    carries.sum[blockIdx.x] = of_all.sum;
  }
}

template <Index values, Caching C>
void segmented_scan_launch(cudaStream_t stream, int block_size, const SegmentedScanView& A, const Real* x,
                           const CarriesView& carries, Real* y) {
  constexpr std::size_t shared_without_asking = 47 << 10;  // 48 KiB with what the kernel declares
  const auto kernel = segmented_scan_kernel<values, C>;
  const std::size_t shared = static_cast<std::size_t>(block_size / warp_lanes) * A.most_ends * sizeof(Real);
  if (shared > shared_without_asking)
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  kernel<<<static_cast<unsigned>(carries.pieces), block_size, shared, stream>>>(A, x, carries, y);
  cuda_check(cudaGetLastError());
}

}  // namespace cuda

/// A matrix in stretches on the device with what its product needs.
class SegmentedScanProduct {
 public:
  SegmentedScanProduct(CudaBackend& backend, const SegmentedScanLayout& layout)
      : matrix_(backend, layout), carries_(backend, layout.stretches()) {}

  Real* value() { return matrix_.value(); }  ///< [stored entries]

  /// y = A x; two launches. Every run gives the same bits, another block size others. Throws std::invalid_argument for
  /// a bad block size, DeviceError.
  void multiply(cudaStream_t stream, int block_size, const Real* x, Real* y) const {
    require_valid_block_size(block_size);
    const SegmentedScanView A = matrix_.view();
    if (A.stretches == 0) return;
    const Index warps = block_size / warp_lanes;
    const CarriesView carries = carries_.view(A.stretches / warps + (A.stretches % warps != 0));
    with_values_per_thread(A.values_per_thread, [&]<Index values>() {
      if (A.caching == Caching::streamed)
        cuda::segmented_scan_launch<values, Caching::streamed>(stream, block_size, A, x, carries, y);
      else
        cuda::segmented_scan_launch<values, Caching::cached>(stream, block_size, A, x, carries, y);
    });
    for_each_in_blocks(stream, block_size, carries.pieces, AddCarries{carries, y});
  }

 private:
  SegmentedScanMatrix matrix_;
  Carries carries_;
};

}  // namespace cardiowarp
