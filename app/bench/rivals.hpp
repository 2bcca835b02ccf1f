#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace cardiowarp {

/// The formats that `cardiowarp bench spmv` measures beside every format of a run (kernels/sparse/matrix_format.hpp).
/// This is the only list of rivals, by the names of the table. Each has a piece that prepares it, rival_candidate() in
/// app/bench/rival_pieces.cuh: a rival without its piece does not compile, nor does a piece of a name that is not here.
inline constexpr std::array<std::string_view, 39> rivals{
    "csr_vector",           ///< several threads per row
    "coo",                  ///< coordinates
    "ell",                  ///< every row padded to the longest
    "ell_r",                ///< as ell, but each row's padding is not read
    "sell",                 ///< ELL-WARP's K1 with the rows in their order
    "hyb",                  ///< ELL, and coordinates for what longer rows have beyond it
    "bell",                 ///< ELL of blocks, one for each pair of nodes
    "sbell",                ///< BELL in sorted slices; of one unknown a node sliced ELL with sorted rows
    "sbell_32",             ///< the same in slices of 64 and 96 by 32 threads each, two or three block rows a thread
    "merge",                ///< merge path of CSR
    "segmented_scan",       ///< entries in equal shares, added by a segmented scan (ModernGPU)
    "ehyb",                 ///< explicit caching hybrid: parts by METIS, slices taken by the warp that is free
    "ehyb_fixed",           ///< the same, each slice with a warp of its own
    "k1_row_major",         ///< K1's order of the rows, their entries where CSR has them
    "k1r_mapped",           ///< K1r, whose results go back to the order of the matrix
    "k1rs_parts",           ///< K1rs in parts with 16-bit columns, as the solver multiplies them
    "cusparse_csr_1",       ///< cuSPARSE's fastest
    "cusparse_sliced_ell",  ///< cuSPARSE on K1rs
    "cusparse_bsr",         ///< cuSPARSE on compressed rows of blocks
    // ELL-WARP that fetches x in another way (FetchWay in kernels/backend/caching.hpp): through the path of read-only
    // data (nc), or past the L1 cache (cg)
    "k1_nc",
    "k1r_nc",
    "k1rs_nc",
    "k2_nc",
    "k2r_nc",
    "k2rs_nc",
    "k1_cg",
    "k1r_cg",
    "k1rs_cg",
    "k2_cg",
    "k2r_cg",
    "k2rs_cg",
    // values, x, y and sums in single precision
    "csr_single",
    "k1_single",
    "k1r_single",
    "k1rs_single",
    "k2_single",
    "k2r_single",
    "k2rs_single",
    "k1rs_parts_single",
};

/// Whether a rival is ELL-WARP that fetches x in another way.
constexpr bool fetches_x_otherwise(std::string_view rival) { return rival.ends_with("_nc") || rival.ends_with("_cg"); }

/// Whether all numbers of a rival are in single precision, and whether it is a format of a run in single precision.
constexpr bool is_single(std::string_view rival) { return rival.ends_with("_single"); }
constexpr bool is_single_of_a_run(std::string_view rival) { return is_single(rival) && rival != "k1rs_parts_single"; }

/// Whether a rival is measured only where it is asked for by name.
constexpr bool is_asked_for_by_name(std::string_view rival) { return fetches_x_otherwise(rival) || is_single(rival); }

/// Whether a rival needs METIS, which a build may lack (kernels/libraries/metis_parts.hpp).
constexpr bool needs_metis(std::string_view rival) { return rival.starts_with("ehyb"); }

/// Place of a name in the list.
consteval std::size_t rival(std::string_view name) {
  std::size_t place = 0;
  while (rivals.at(place) != name) ++place;  // beyond the end it is no constant
  return place;
}

}  // namespace cardiowarp
