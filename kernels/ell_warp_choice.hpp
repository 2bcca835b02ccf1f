#pragma once
#include <span>

#include "kernels/ell_warp_layout.hpp"

namespace cardiowarp {

/// How a GPU is to multiply a matrix: K1rs or K2rs, its threshold, and the threads of a block.
struct EllWarpChoice {
  EllWarpOptions options;
  int block_size = 0;
};

/// The rule that paper 000 sec. 9 asks for: from the lengths of the rows alone. It was made on an NVIDIA H200, whose
/// numbers it has, from the tuned choices of 82 matrices; docs/benchmarks/README.md says how near to the best it comes
/// on others. `window` is that of the options.
///   A matrix in the L2 cache is bound by latencies: 24 entries a thread, fewer for the short rows of meshes, of which
///   more threads then find work. A larger one is bound by memory: a row has four threads, or one where it is short.
///   A small matrix has few threads: fewer entries for each, and smaller blocks, so that every multiprocessor has one.
///   Where the longest row is within the threshold, K2 would be K1.
EllWarpChoice choose_ell_warp(std::span<const Index> row_length, Index window);

}  // namespace cardiowarp
