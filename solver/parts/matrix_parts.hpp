#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/backend/device.hpp"
#include "kernels/backend/team_vector.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

// A matrix in parts: an ELL-WARP matrix that is cut so that what a product of a part reads of the vector fits into
// shared memory. A GPU has multiprocessors (132 on an H200), each with a small fast memory, its shared memory. A
// program for it, a kernel, is launched in thread blocks; the threads of a block run on one multiprocessor, can wait
// for each other, and share its shared memory.
//
// A part is a window of the layout, `rows_a_part` consecutive rows. A product of a part first brings to shared memory
// what it reads of the vector: the numbers of its own rows and, behind them, those of its halo, the rows of other parts
// that its entries have as columns. Columns are therefore numbered inside the part and take 16 bits, as in explicit
// caching hybrid SpMV (EHYB): a local column c < rows_a_part is row c of the part, any other is entry c − rows_a_part
// in the list of the halo's rows. For 96 rows on a ring that read themselves and their two neighbors, in windows of
// 32:
//
//            columns    part   local columns   halo of the part
//   row  0    0  1 95     0     0  1 33        rows 32 and 95, as local columns 32 and 33
//   row 31   30 31 32     0    30 31 32
//   row 64   63 64 65     2    33  0  1        rows 0 and 63, as local columns 32 and 33
//
// A matrix in parts takes 10 bytes for each stored entry (ELL-WARP takes 12), or 6 in single precision, and besides
// them 4 for each row of a halo, 8 for each slice and 4 for each part. A product reads a number of the vector once for
// its own part and once for each halo that it is in. Heart meshes in windows of 1024 rows have, all halos together,
// 0.73 times as many rows in halos as the matrix has.
//
// The linear solver has four paths, which solver/solver_path.hpp describes: `on_chip`, `persistent` and `in_parts` need
// a matrix in parts, `plain` does not. Which one is taken is decided once for a run, before its first step:
//   1. choose_solver() (app/simulation/choose_solver.hpp) takes the path that the key linear_solver.path of the YAML
//      file names. Where the key is `auto` it judges by the lengths of the rows and by the machine that computes: on a
//      CPU it takes `plain`, on a GPU `on_chip` if expected_on_chip() and its windows have at most 2048 rows, else
//      `persistent` if expected_in_parts(), else `plain`; `in_parts` takes the place of `persistent` on a GPU that
//      cannot launch all blocks of a kernel together. Keys that ask for another format of the matrix
//      (linear_solver.spmv: k2) or block Jacobi or SSOR leave `plain`.
//   2. For a path with parts, the nodes are numbered in the sorted order of K1rs and the matrix is laid out so, in
//      windows of on_chip_window() rows for `on_chip`, else of linear_solver.sorting_window rows (1024 unless given).
//   3. plan_solver(), beside choose_solver(), has matrix_parts() cut the matrix and looks whether the parts fit:
//      on_chip_shape() says so for `on_chip`, persistent_shape() and fill_device() for `persistent`, fill_device()
//      alone for `in_parts`. If not, `auto` goes on to the next path in this order and at last to `plain`, which
//      multiplies the matrix as it was laid out; a path that the user named is refused with an error instead.
//   4. make_linear_solver() (solver/linear_solver.hpp) builds the solver of the path.

/// The parts of a matrix, in host memory. Part k begins with row k * rows_a_part. The values of the matrix stay where
/// the layout has them; local_column takes the place of the layout's columns.
struct MatrixParts {
  Index parts = 0;
  Index rows_a_part = 0;                   ///< the window of the layout; the last part may have fewer
  Index longest_halo = 0;                  ///< the most rows in a halo
  TeamVector<std::uint16_t> local_column;  ///< [stored entries] row of the part, or rows_a_part + index in its halo
  std::vector<Index> halo_begin;           ///< [parts + 1] index in halo_row of the first row of each part's halo
  std::vector<Index> halo_row;             ///< [halo_begin[parts]] rows of the halos, ascending in each
};

/// Cuts a matrix into parts, one for each window of its layout. The padding of
/// lanes without a row, in the last slice, has column 0 (ell_warp_layout()), so that row 0 is in the halo of the last
/// part then. Returns nothing for a layout that is not K1r or K1rs, has no rows, no columns or window 0, and where
/// a window and the halo of its part have more than 65,535 rows together.
std::optional<MatrixParts> matrix_parts(const EllWarpLayout& layout);

/// The smallest window, a multiple of 32 rows, that cuts so many rows into at most `parts` parts, of which there is at
/// least one. With a multiple of the multiprocessors for `parts` all of these have as many (Chen 2022 eq. 2).
Index window_for_parts(Index rows, Index parts);

/// The bytes of shared memory in which a part is multiplied: `bytes_a_number` for each of its rows and each row of the
/// longest halo, up to the next multiple of 8, and 8 for each of its slices and one more, which hold their first slots.
std::size_t product_shared_bytes(Index rows_a_part, Index longest_halo, std::size_t bytes_a_number = sizeof(Real));

/// Whether product_shared_bytes() are no more than 47 KiB: a thread block of any GPU may have 48, and the kernel of
/// `in_parts` takes some of them for its sums.
bool fits_any_block(const MatrixParts& parts);

/// Whether the parts keep a GPU busy when each is multiplied by a block of 256 threads: fits_any_block() holds, each
/// part has at least 256 rows, one for each thread, and there are at least two parts for each multiprocessor.
bool fill_device(const MatrixParts& parts, const Device& device);

/// An estimate, before a matrix is laid out. True if two things hold for rows of these lengths, laid out as K1rs in
/// windows of `window` rows: the parts would fill_device() if each halo had as many rows as its part, and padding adds
/// at most a tenth to the entries. A mesh that is too large for the path `on_chip` is then solved in parts faster than
/// in any other format (docs/benchmarks).
bool expected_in_parts(std::span<const Index> row_length, Index window, const Device& device);

/// The rows that are in the halo of some part: bit row % 32 of word row / 32 is set, [rows / 32 + 1] words.
std::vector<std::uint32_t> rows_in_halos(const MatrixParts& parts, Index rows);

}  // namespace cardiowarp
