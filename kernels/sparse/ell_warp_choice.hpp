#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "kernels/backend/device.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

// The rule that chooses a variant of ELL-WARP for a GPU, which paper 000 sec. 9 asks for. From the lengths of the rows
// alone it decides between K1rs and K2rs with eleven thresholds, and between four block sizes, and takes what a cost
// model expects to multiply fastest. chosen_options() (assembly/global_matrix.hpp) asks it where linear_solver.spmv is
// auto on a GPU and the solve is not in parts. It takes up to half a second for a matrix that the L2 cache holds.
//
// The model counts how long the busiest multiprocessors of the device issue, gather and wait, what all of them fetch of
// the matrix and of x, the start of blocks, and waves of warps. The weights of its terms were fitted to times of 223
// matrices on an NVIDIA H200, and docs/benchmarks/fit_rule.py fits them anew; of another device it knows the numbers of
// multiprocessors and warps and the size of the L2 cache. For a matrix larger than the L2 cache fewer terms are enough,
// and blocks have 128 threads. docs/papers/products.md says how near to the best the choice comes.

/// How a GPU is to multiply a matrix: K1rs or K2rs, its threshold, and the number of threads in a block.
struct EllWarpChoice {
  EllWarpOptions options;
  int block_size = 0;
};

/// The choice of the rule for a matrix with rows of these lengths. `window` goes into the options as it is.
EllWarpChoice choose_ell_warp(std::span<const Index> row_length, Index window, const Device& device);

/// A term of the cost model: weight · amount is what it adds to the cost. The weight is fitted, or set by hand near the
/// fitted one. The amount follows from the matrix, the choice and the device.
struct CostTerm {
  std::string_view name;
  double weight = 0;
  double amount = 0;
};

/// The cost that the model expects of one choice. Costs compare choices for one matrix; they leave out what every
/// choice takes. Where 12 bytes per entry fit into the L2 cache they are in microseconds, else in times of a batch.
struct EllWarpCost {
  EllWarpChoice choice;
  std::vector<CostTerm> terms;  ///< the same names and weights for all choices for a matrix

  double sum() const;
};

/// Every choice that the rule considers, with its cost: choose_ell_warp() takes the first with the least sum. None for
/// a matrix without entries. Public so that the weights can be fitted and tested. Costs as much as choose_ell_warp().
std::vector<EllWarpCost> ell_warp_costs(std::span<const Index> row_length, Index window, const Device& device);

}  // namespace cardiowarp
