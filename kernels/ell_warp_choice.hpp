#pragma once
#include <span>

#include "kernels/ell_warp_layout.hpp"

namespace cardiowarp {

/// How a GPU is to multiply a matrix: K1rs or K2rs, its threshold, and the threads of a block.
struct EllWarpChoice {
  EllWarpOptions options;
  int block_size = 0;
};

/// The rule that paper 000 sec. 9 asks for: from the lengths of the rows alone, the layout and block size of which a
/// cost model expects the shortest product. The model counts what a multiprocessor of an NVIDIA H200 has to issue, what
/// it gathers of x, its share of the memory, how unequally blocks share the work, and the longest lanes, which nothing
/// overlaps; its constants are fitted to times of 78 matrices. docs/benchmarks/README.md says how near to the best it
/// comes on others. `window` is that of the options. Takes 13 shapes of the layout.
EllWarpChoice choose_ell_warp(std::span<const Index> row_length, Index window);

}  // namespace cardiowarp
