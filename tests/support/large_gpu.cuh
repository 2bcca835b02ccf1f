#pragma once
#include <cuda_runtime.h>

#include "kernels/cuda_check.hpp"
#include "solver/on_chip_shape.hpp"

namespace cardiowarp {

/// Whether the device has a multiprocessor for each block of a solve on the chip or in one launch, with the shared
/// memory that such a block may take, as H100 and H200 do. Others solve in parts.
inline bool has_room_for_large_blocks() {
  int device = 0, multiprocessors = 0, shared_bytes = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  cuda_check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return multiprocessors >= most_on_chip_parts && static_cast<std::size_t>(shared_bytes) > on_chip_part_bytes;
}

}  // namespace cardiowarp
