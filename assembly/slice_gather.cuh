#pragma once
#include <cuda_runtime.h>

#include "assembly/slice_gather.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"
#include "kernels/sparse/launch.cuh"

namespace cardiowarp {

namespace cuda {

/// The sum of `value` over the `lanes` neighboring lanes of a row, added by a tree; for each of them.
__device__ inline Real sum_over_lanes(Real value, Index lanes) {
  for (Index half = lanes / 2; half > 0; half /= 2) value += __shfl_xor_sync(0xffffffffu, value, half, lanes);
  return value;
}

/// One warp a slice; a lane has banks of its own. K1 has one lane a row. No two warps have anything to wait for.
template <bool OneLane, Caching C>
__global__ void __launch_bounds__(slices_a_block* warp_lanes, 4) gather_slices_kernel(const GatherSlices<C> body) {
  extern __shared__ Real sums_of_block[];
  const EllWarpView& K = body.K;
  const Index first_slice = static_cast<Index>(blockIdx.x * blockDim.x) / warp_lanes;
  const Index slice = first_slice + static_cast<Index>(threadIdx.x) / warp_lanes;
  if (slice >= K.slices) return;  // all lanes of the warp at once
  const Index lane = static_cast<Index>(threadIdx.x) % warp_lanes;
  const Index lanes = OneLane ? 1 : K.slice_lanes[slice], first_lane = lane & ~(lanes - 1);
  const Index row = OneLane ? slice * warp_lanes + lane : K.slice_row[slice] + lane / lanes;

  Real* sums = sums_of_block + (body.sums_begin[slice] - body.sums_begin[first_slice]);
  TangentResidual of_row = body.sum_elements(slice, lane, sums + lane);
  __syncwarp();
  of_row.tangent = sum_over_lanes(of_row.tangent, lanes);
  Real residual = body.write_entries(slice, lane, row, lanes, of_row.tangent, sums + first_lane);
  residual = sum_over_lanes(residual, lanes) + sum_over_lanes(of_row.residual, lanes);
  if (lane == first_lane && row < K.slice_row[slice + 1]) body.negative_residual[row] = -residual;
}

}  // namespace cuda

/// Runs the body for all slices in one launch. Throws DeviceError.
template <Caching C>
void gather_slices(CudaBackend& backend, const GatherSlices<C>& body, Index block_sums, Index slices) {
  if (body.K.slices == 0) return;
  const int block_size = slices * warp_lanes;
  const unsigned blocks = cuda::blocks_of(std::int64_t{body.K.slices} * warp_lanes, block_size);
  const std::size_t shared = block_sums * sizeof(Real);
  const auto kernel =
      body.K.one_lane_a_row ? cuda::gather_slices_kernel<true, C> : cuda::gather_slices_kernel<false, C>;
  // Where K is in L2, a larger L1 cache for the gathers is worth more than the warps whose sums would take its place.
  if constexpr (C == Caching::cached)
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  kernel<<<blocks, block_size, shared, backend.stream()>>>(body);
  cuda_check(cudaGetLastError());
}

}  // namespace cardiowarp
