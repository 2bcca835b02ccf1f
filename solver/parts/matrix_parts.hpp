#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/backend/device.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

// A matrix in parts: an ELL-WARP matrix for products in shared memory. A GPU has multiprocessors (132 on an H200), each
// with a small fast memory, its shared memory. A program for it, a kernel, is launched in thread blocks; the threads of
// a block run on one multiprocessor, can wait for each other, and share its shared memory.
//
// A part is a window of the layout, `rows_a_part` consecutive rows. A product of a part first brings to shared memory
// what it reads of the vector: the numbers of its own rows and, behind them, those of its halo, the rows of other parts
// that its entries name. A column is therefore numbered inside the part and needs 16 bits (as in explicit caching
// hybrid SpMV, EHYB): below rows_a_part it is a row of the part, from there on a place in the halo. For 64 rows on a
// ring that read themselves and their two neighbours, in windows of 32:
//
//            columns    part   local columns   halo of the part
//   row  0    0  1 63     0     0  1 33        rows 32 and 63, as local columns 32 and 33
//   row 31   30 31 32     0    30 31 32
//   row 32   31 32 33     1    33  0  1        rows 0 and 31, as local columns 32 and 33
//
// It takes 10 bytes a stored entry, where ELL-WARP takes 12, 4 for each row of a halo, 8 a slice and 4 a part. A
// product reads a number of the vector once for its own part and once for each halo that it is in. Hearts in windows of
// 1024 rows have 0.73 rows in halos for each row.
//
// Who cuts a matrix, once for a run and before the first step. The linear solver has four paths, which
// solver/solver_path.hpp describes: `in_parts`, `persistent` and `on_chip` need parts, `plain` does not.
//   1. choose_solver() (app/simulation/choose_solver.hpp) takes the path that the key linear_solver.path of the YAML
//      file names. For auto it takes the fastest that expected_on_chip() and expected_in_parts() let it expect from the
//      device, the machine that computes, and the lengths of the rows; on a CPU that is `plain`. The window goes with
//      the path: on_chip_window() for `on_chip`, else the key linear_solver.sorting_window, 1024 unless it is given.
//   2. The nodes are numbered in the sorted order, and the matrix is laid out as K1rs with that window.
//   3. plan_solver(), beside choose_solver(), has matrix_parts() cut it, and asks on_chip_shape(), persistent_shape()
//      and fill_device() whether these parts suit the device; where they do not, it takes the next best path.
//   4. make_linear_solver() (solver/linear_solver.hpp) builds the solver of the path.

/// The parts of a matrix, in host memory. Part k has the rows from k rows_a_part on. The values of the matrix stay
/// where the layout has them; local_column takes the place of the layout's columns.
struct MatrixParts {
  Index parts = 0;
  Index rows_a_part = 0;                    ///< the window of the layout; the last part may have fewer
  Index longest_halo = 0;                   ///< the most rows in a halo
  std::vector<std::uint16_t> local_column;  ///< [stored entries] row of the part, or rows_a_part + place in its halo
  std::vector<Index> halo_begin;            ///< [parts + 1] place in halo_row of the first row of each part's halo
  std::vector<Index> halo_row;              ///< [halo_begin[parts]] rows of the halos, ascending in each
};

/// Cuts a matrix into parts, one for each window of its layout. Lanes without a row have column 0, which is so in the
/// halo of the last part, too. Nothing where the layout is not K1r or K1rs, has no rows, columns or windows, or where a
/// window and the halo of its part have more than 65,535 rows together.
std::optional<MatrixParts> matrix_parts(const EllWarpLayout& layout);

/// The bytes of shared memory in which a part is multiplied: 8 for each of its rows and of the rows of the longest
/// halo, and 8 for the first slot of each of its slices and of the slice after them.
std::size_t product_shared_bytes(Index rows_a_part, Index longest_halo);

/// Whether product_shared_bytes() are no more than 47 KiB: a thread block of any device may have 48, and the kernel
/// takes some for itself.
bool fits_any_block(const MatrixParts& parts);

/// Whether the parts, multiplied by a block each, keep a device busy: they fit any block, have at least 256 rows, one
/// for each thread of a block, and are at least two for each multiprocessor.
bool fill_device(const MatrixParts& parts, const Device& device);

/// Whether rows of these lengths, laid out as K1rs in windows of `window` rows, can be expected to fill_device(), if
/// the halo of a part has as many rows as the part, and have at most a tenth more stored entries than entries. A mesh
/// that is too large for the path on_chip is then solved in parts faster than in any other format (docs/benchmarks).
bool expected_in_parts(std::span<const Index> row_length, Index window, const Device& device);

/// Which rows are in the halo of some part: bit row % 32 of word row / 32 is set, [rows / 32 + 1] words.
std::vector<std::uint32_t> rows_in_halos(const MatrixParts& parts, Index rows);

}  // namespace cardiowarp
