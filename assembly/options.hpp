#pragma once
#include <string>

#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

/// How the global matrix is stored and multiplied.
enum class MatrixFormat {
  automatic,  ///< compressed rows on the CPU; on a GPU ELL-WARP, in parts or by the rule of chosen_options()
  csr,        ///< compressed rows, one thread a row
  cusparse,   ///< compressed rows, multiplied by cuSPARSE; GPU only
  ell_warp    ///< paper 000 sec. 5: K1, K1r, K1rs, K2, K2r, K2rs
};

/// Rows sorted among themselves where nothing else is asked for: wide enough to leave little padding, narrow enough to
/// keep the locality of the order before.
inline constexpr Index default_window = 1024;
/// Entries a K2 lane may have where nothing else is asked for.
inline constexpr Index default_threshold = 16;

struct MatrixOptions {
  MatrixFormat format = MatrixFormat::automatic;
  EllWarpOptions ell_warp{.threshold = default_threshold, .window = default_window};  ///< of `ell_warp`
  int block_size = 0;                ///< of `ell_warp`: threads of a block; 0: the backend's choice
  bool window_is_asked_for = false;  ///< false: a path of the solver may sort in windows of its own
};

enum class AssemblyStrategy {
  automatic,      ///< scalar_gather
  scalar_gather,  ///< two numbers an element, gathered (assembly/scalar_gather.hpp, on a GPU slice_gather.hpp)
  spmv            ///< 16 + 4 numbers an element as the entries of an ELL-WARP matrix (paper 000 sec. 4)
};

struct AssemblyOptions {
  AssemblyStrategy strategy = AssemblyStrategy::automatic;
  EllWarpOptions ell_warp{.threshold = default_threshold, .window = default_window};  ///< of `spmv`
  int block_size = 0;        ///< of `spmv`: threads of a block; 0: the backend's choice
  bool through_csr = false;  ///< `spmv`: sums in CSR order, then scattered to the solver's (paper 000 sec. 6.1)
};

/// Names in YAML: csr, cusparse, k1, k1r, ..; scalar_gather, spmv_k1, ..
std::string format_name(const MatrixOptions& options);
std::string strategy_name(const AssemblyOptions& options);

}  // namespace cardiowarp
