#pragma once
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/rivals/carries.hpp"
#include "kernels/sparse/ell_warp.hpp"

namespace cardiowarp::cuda {

__device__ inline RowRest rest_of_lane_before(const RowRest& rest, Index distance) {
  return {__shfl_up_sync(0xffffffffu, rest.sum, distance), __shfl_up_sync(0xffffffffu, rest.ended, distance)};
}

/// The sum of what the threads of the block before this one leave; `of_all` becomes the sum of what all threads leave.
/// All threads of the block have to call it.
__device__ inline RowRest rest_before(const RowRest& own, RowRest& of_all) {
  __shared__ RowRest of_warp[warp_lanes];
  const Index lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
  RowRest up_to_own = own;
  for (Index distance = 1; distance < warp_lanes; distance *= 2) {
    const RowRest other = rest_of_lane_before(up_to_own, distance);
    if (lane >= distance) up_to_own = joined(other, up_to_own);
  }
  if (lane == warp_lanes - 1) of_warp[warp] = up_to_own;
  RowRest before = rest_of_lane_before(up_to_own, 1), warps_before{0, 0};
  if (lane == 0) before = {0, 0};
  __syncthreads();
  of_all = {0, 0};
  for (Index w = 0; w < blockDim.x / warp_lanes; ++w) {
    if (w == warp) warps_before = of_all;
    of_all = joined(of_all, of_warp[w]);
  }
  return joined(warps_before, before);
}

}  // namespace cardiowarp::cuda
