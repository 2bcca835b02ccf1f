#pragma once
#include <span>

#include "kernels/backend/device.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

/// How a GPU is to multiply a matrix: K1rs or K2rs, its threshold, and the threads of a block.
struct EllWarpChoice {
  EllWarpOptions options;
  int block_size = 0;
};

/// The rule that paper 000 sec. 9 asks for: from the lengths of the rows alone, the layout and the block size of which
/// a cost model expects the shortest product. The model counts how long the busiest multiprocessors of the device
/// issue, gather and wait, what all of them load of the matrix and of x, the start of blocks, and waves of warps; its
/// constants are fitted to times of 223 matrices on an NVIDIA H200, and other devices differ in their numbers of
/// multiprocessors and warps and in the size of their L2 cache alone. Beyond that cache fewer terms are enough, and
/// blocks have 128 threads. docs/benchmarks/README.md says how near to the best the choice comes. `window` is that of
/// the options. Sorts the rows once; up to half a second for a matrix that the cache holds.
EllWarpChoice choose_ell_warp(std::span<const Index> row_length, Index window, const Device& device);

}  // namespace cardiowarp
