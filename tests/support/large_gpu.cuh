#pragma once
#include "app/simulation/gpu.hpp"
#include "kernels/backend/device.hpp"

namespace cardiowarp {

/// Whether the device has as many multiprocessors, with as much shared memory, as the H200 on whose sizes a test
/// relies.
inline bool has_room_for_large_blocks() {
  const Device device = gpu_device(), expected = nvidia_h200();
  return device.multiprocessors >= expected.multiprocessors && device.shared_bytes >= expected.shared_bytes;
}

}  // namespace cardiowarp
