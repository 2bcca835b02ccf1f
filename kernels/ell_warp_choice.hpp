#pragma once
#include <span>

#include "kernels/ell_warp_layout.hpp"

namespace cardiowarp {

/// How a GPU is to multiply a matrix: K1rs or K2rs, its threshold, and the threads of a block.
struct EllWarpChoice {
  EllWarpOptions options;
  int block_size = 0;
};

/// The rule that paper 000 sec. 9 asks for: from the lengths of the rows alone, the layout of which a cost model
/// expects the shortest product, and a block size. The model counts what the multiprocessors of an NVIDIA H200 issue
/// and gather of x, how much longer the busiest of them and the longest lane take, and waves of warps that are not
/// full; its constants are fitted to times of 163 matrices. Blocks have 512 threads where the matrix fits into the L2
/// cache, 256 if that keeps more multiprocessors busy, and 128 beyond. docs/benchmarks/README.md says how near to the
/// best it comes. `window` is that of the options. Takes 9 shapes of the layout.
EllWarpChoice choose_ell_warp(std::span<const Index> row_length, Index window);

}  // namespace cardiowarp
