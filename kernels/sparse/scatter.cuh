#pragma once
#include <thrust/scatter.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <cstdint>
#include <string>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/device_error.hpp"
#include "kernels/sparse/scatter.hpp"

namespace cardiowarp {

/// to[map[i]] = from[i] for i in [0, n), by thrust::scatter in the backend's stream: one launch, neither waits nor
/// allocates. Throws DeviceError.
inline void scatter(CudaBackend& backend, Index n, const std::int64_t* map, const Real* from, Real* to) {
  try {
    thrust::scatter(thrust::cuda::par_nosync.on(backend.stream()), from, from + n, map, to);
  } catch (const thrust::system_error& error) {
    throw DeviceError(std::string("CUDA: thrust::scatter: ") + error.what());
  }
}

}  // namespace cardiowarp
