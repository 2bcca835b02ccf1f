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
  spmv            ///< 16 + 4 numbers per element as the entries of an ELL-WARP matrix (paper 000 sec. 4)
};

/// The names of the strategies in YAML and in results. The name of `spmv` is followed by that of its ELL-WARP variant.
inline constexpr std::array<std::pair<std::string_view, AssemblyStrategy>, 7> assembly_strategies{
    {{"auto", AssemblyStrategy::automatic},
     {"scalar_gather", AssemblyStrategy::scalar_gather},
     {"row_gather", AssemblyStrategy::row_gather},
     {"entry_gather", AssemblyStrategy::entry_gather},
     {"slice_gather", AssemblyStrategy::slice_gather},
     {"diagonal", AssemblyStrategy::diagonal},
     {"spmv_", AssemblyStrategy::spmv}}};

struct AssemblyOptions {
  AssemblyStrategy strategy = AssemblyStrategy::automatic;
  EllWarpOptions ell_warp{.threshold = default_threshold, .window = default_window};  ///< of `spmv`
  int block_size = 0;        ///< of `spmv`: threads of a block; 0: the backend's choice
  bool through_csr = false;  ///< `spmv`: sums in CSR order, then scattered to the solver's (paper 000 sec. 6.1)
};

/// The name of a format in YAML; `auto` where it is not chosen yet.
std::string format_name(const MatrixOptions& options);

/// Every format by its name in YAML, with the options that the name stands for, in the order of the list.
std::vector<std::pair<std::string, MatrixOptions>> named_formats();

/// Which of the options a format looks at; none where it is not chosen yet.
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
