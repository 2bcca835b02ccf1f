#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The facts about a machine by which the program decides how to compute on it. cuda_device()
/// (cuda_device.hpp) reads it once, and it is handed on as a value, so that every decision can be tried for a machine
/// that is not there.
struct Device {
  std::string name = "CPU";
  bool is_gpu = false;         ///< all that follows is of a GPU
  int compute_capability = 0;  ///< 90 is 9.0
  Index multiprocessors = 0;
  Index resident_warps = 0;       ///< warps that a multiprocessor keeps at once
  std::size_t shared_bytes = 0;   ///< shared memory that one thread block may have where it asks for it
  std::int64_t l2_bytes = 0;      ///< size of the L2 cache
  std::size_t memory_bytes = 0;   ///< memory of the whole device, used or not
  bool launches_at_once = false;  ///< it can promise that all blocks of a launch run at the same time
};

/// The host: OpenMP threads and main memory.
inline Device cpu_device() { return {}; }

/// The GPU that this program is measured on, for what is planned where there is none.
inline Device nvidia_h200() {
  return {.name = "NVIDIA H200",
          .is_gpu = true,
          .compute_capability = 90,
          .multiprocessors = 132,
          .resident_warps = 64,
          .shared_bytes = 227 << 10,
          .l2_bytes = 60 << 20,
          .memory_bytes = std::size_t{141} << 30,
          .launches_at_once = true};
}

/// Shared memory that a block may use for its data: `shared_bytes` less what a kernel has for itself and what CUDA
/// reserves for each block.
inline std::size_t usable_shared_bytes(const Device& device) {
  constexpr std::size_t of_kernel = 2048;
  return device.shared_bytes > of_kernel ? device.shared_bytes - of_kernel : 0;
}

/// The most blocks of one launch that may wait for each other, one on each multiprocessor. The messages between blocks
/// (solver/parts/messages.hpp) have places for so many. An A100, an H100, an H200 and an RTX 4090 have fewer
/// multiprocessors; on a GPU with more (170 on an RTX 5090) such a launch leaves the rest of them idle.
inline constexpr Index most_blocks_at_once = 160;

}  // namespace cardiowarp
