#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

/// How the numbers of the elements become the entries of K and R. The strategies row_gather, entry_gather and
/// slice_gather gather two numbers per element; they differ in what a loop body makes at once. choose_assembly()
/// (app/simulation/choose_assembly.hpp) decides which one a run takes.
enum class AssemblyStrategy {
  automatic,      ///< the gather that suits the machine and the matrix; with quadrature: vertices, `diagonal`
  scalar_gather,  ///< another name of `automatic`
  row_gather,     ///< a row of a matrix in the order of CSR (assembly/scalar_rows.hpp)
  entry_gather,   ///< an entry of a matrix in any format (assembly/scalar_gather.hpp)
  slice_gather,   ///< a slice of an ELL-WARP matrix in its own numbering (assembly/slice_gather.hpp)
  diagonal,       ///< quadrature: vertices, where only the diagonal changes (assembly/vertex_assembly.hpp)
  spmv,           ///< 16 + 4 numbers per element as the entries of an ELL-WARP matrix (paper 000 sec. 4)
  // Of papers 003 and 004. Those that are called general take 10 + 4 numbers per element, the others two.
  shared_nz,                     ///< elements and sums in one launch, part by part (assembly/papers/shared_nz.hpp)
  shared_nz_general,             ///< likewise (assembly/papers/shared_nz_general.hpp)
  global_nz_general,             ///< numbers stored in a row and gathered (assembly/papers/global_nz.hpp)
  global_nz_prefetched_general,  ///< likewise, with the nodes of a block of elements in shared memory
  global_nz_nodal_general,       ///< likewise, with the positions of corners stored for each element
  global_nz_packed_general,      ///< likewise, summed by packed lists (assembly/papers/reduction_lists.hpp)
  local_row,                ///< a thread a row, which evaluates its elements itself (assembly/papers/local_sums.hpp)
  local_row_general,        ///< likewise
  local_nz,                 ///< a thread an entry, which evaluates its elements itself (assembly/papers/local_sums.hpp)
  local_nz_general,         ///< likewise
  elem_color,               ///< a launch for each color of elements (assembly/papers/element_scatter.hpp)
  elem_color_general,       ///< likewise
  two_level_color,          ///< colors of blocks, and of elements inside a block (assembly/papers/element_scatter.hpp)
  two_level_color_general,  ///< likewise
  atomics,                  ///< atomic additions, whose order no run repeats (assembly/papers/element_scatter.hpp)
  atomics_general,          ///< likewise
  lazy_ell,         ///< rows appended as elements come, in an order that no run repeats (assembly/papers/lazy_ell.hpp)
  lazy_ell_general  ///< likewise
};

/// The names of the strategies in YAML and in results. The name of `spmv` is followed by that of its ELL-WARP variant.
inline constexpr std::array<std::pair<std::string_view, AssemblyStrategy>, 25> assembly_strategies{
    {{"auto", AssemblyStrategy::automatic},
     {"scalar_gather", AssemblyStrategy::scalar_gather},
     {"row_gather", AssemblyStrategy::row_gather},
     {"entry_gather", AssemblyStrategy::entry_gather},
     {"slice_gather", AssemblyStrategy::slice_gather},
     {"diagonal", AssemblyStrategy::diagonal},
     {"spmv_", AssemblyStrategy::spmv},
     {"shared_nz", AssemblyStrategy::shared_nz},
     {"shared_nz_general", AssemblyStrategy::shared_nz_general},
     {"global_nz_general", AssemblyStrategy::global_nz_general},
     {"global_nz_prefetched_general", AssemblyStrategy::global_nz_prefetched_general},
     {"global_nz_nodal_general", AssemblyStrategy::global_nz_nodal_general},
     {"global_nz_packed_general", AssemblyStrategy::global_nz_packed_general},
     {"local_row", AssemblyStrategy::local_row},
     {"local_row_general", AssemblyStrategy::local_row_general},
     {"local_nz", AssemblyStrategy::local_nz},
     {"local_nz_general", AssemblyStrategy::local_nz_general},
     {"elem_color", AssemblyStrategy::elem_color},
     {"elem_color_general", AssemblyStrategy::elem_color_general},
     {"two_level_color", AssemblyStrategy::two_level_color},
     {"two_level_color_general", AssemblyStrategy::two_level_color_general},
     {"atomics", AssemblyStrategy::atomics},
     {"atomics_general", AssemblyStrategy::atomics_general},
     {"lazy_ell", AssemblyStrategy::lazy_ell},
     {"lazy_ell_general", AssemblyStrategy::lazy_ell_general}}};

/// Whether a strategy is one of papers 003 and 004 (assembly/papers/paper_assembly.hpp).
constexpr bool is_of_the_papers(AssemblyStrategy strategy) { return strategy >= AssemblyStrategy::shared_nz; }

/// Whether a strategy takes general elements, of which nothing is known but their numbers.
constexpr bool takes_general_elements(AssemblyStrategy strategy) {
  using enum AssemblyStrategy;
  return strategy == spmv || strategy == shared_nz_general || strategy == global_nz_general ||
         strategy == global_nz_prefetched_general || strategy == global_nz_nodal_general ||
         strategy == global_nz_packed_general || strategy == local_row_general || strategy == local_nz_general ||
         strategy == elem_color_general || strategy == two_level_color_general || strategy == atomics_general ||
         strategy == lazy_ell_general;
}

/// Whether a strategy adds in the same order, and so to the same bits, in every run.
constexpr bool repeats_bits(AssemblyStrategy strategy) {
  using enum AssemblyStrategy;
  return strategy != atomics && strategy != atomics_general && strategy != lazy_ell && strategy != lazy_ell_general;
}

struct AssemblyOptions {
  AssemblyStrategy strategy = AssemblyStrategy::automatic;
  EllWarpOptions ell_warp{.threshold = default_threshold, .window = default_window};  ///< of `spmv`
  int block_size = 0;        ///< of `spmv`: threads of a block; 0: the backend's choice
  bool through_csr = false;  ///< `spmv`: sums in CSR order, then scattered to the solver's (paper 000 sec. 6.1)
  bool repeatable = true;    ///< refuses what does not repeats_bits()
};

/// The name of a format in YAML; `auto` where it is not chosen yet.
std::string format_name(const MatrixOptions& options);

/// Every format by its name in YAML, with the options that the name stands for, in the order of the list.
std::vector<std::pair<std::string, MatrixOptions>> named_formats();

/// The options that a format looks at; none where it is not chosen yet.
FormatParameters format_parameters(const MatrixOptions& options);

/// Whether a CPU has no product in this format.
bool needs_gpu(MatrixFormat format);

/// Whether the products of a format, which is not automatic, may have values in single precision.
bool has_single_values(MatrixFormat format);

/// Whether a format stores the entries of a matrix where compressed rows have them.
bool keeps_entry_order(MatrixFormat format);

/// The name of a strategy in YAML: auto, row_gather, .., spmv_k1, ..
std::string strategy_name(const AssemblyOptions& options);

/// Every strategy by its name in YAML, with the options that the name stands for.
std::vector<std::pair<std::string, AssemblyOptions>> named_strategies();

}  // namespace cardiowarp
