#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/team_vector.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Where the rows and entries of a matrix are stored in ELL-WARP (ell_warp.hpp draws it), worked out in host memory.
// ell_warp_shape() needs no more than the lengths of the rows, which are the numbers of their entries;
// ell_warp_layout() places every entry and column.
//
//   1. The rows are divided into windows of `window` consecutive ones; the last window may have fewer.
//   2. Inside a window they are sorted by length, the longest first; rows of equal length stay in their order.
//   3. Each window is cut into slices, from its first row to its last. The longest of the next 32 rows of the window,
//      which in sorted windows is simply the next row, says how many lanes each row of the next slice gets: the
//      smallest of 1, 2, 4, 8, 16 and 32 with which no lane of that longest row has more than `threshold` entries, or
//      32 where none is enough. In K1 it is always 1.
//   4. The slice then takes the next 32 / lanes rows, or all that are left in the window where these are fewer, and has
//      ⌈length / lanes⌉ layers, where `length` is that of the longest row that it took.
//
// In the example of ell_warp.hpp, with K2 and threshold 2, the rows are sorted into 3 1 5 2 0 4. The longest, row 3,
// has 9 entries and needs 8 lanes (with 4, one of them would have 3), so slice 0 takes 32 / 8 = 4 rows and has
// ⌈9 / 8⌉ = 2 layers. Of the two rows left the longest has 1 entry: slice 1 has one lane a row and one layer.
//
// Who chooses: the user, by the keys linear_solver.spmv, threshold and sorting_window of the YAML file. Where spmv is
// auto, a solver that cuts the matrix into parts takes K1rs (solver/parts/matrix_parts.hpp), and any other on a GPU
// takes what choose_ell_warp() (ell_warp_choice.hpp) expects to be fastest. Assemblies (assembly/) have options of
// their own.

enum class EllWarpVariant { k1, k2 };

/// The vectors that are in the sorted order of the rows (paper 000 sec. 5.2, 5.3). The matrix is square unless it is
/// `none`.
enum class EllWarpRenumbering {
  none,                    ///< K1, K2: none. x and A x are in the order that the rows were given in
  rows,                    ///< K1r, K2r: x and A x. The columns are renumbered for it
  rows_and_columns_sorted  ///< K1rs, K2rs: x and A x, and the entries of each row are sorted by their new columns
};

struct EllWarpOptions {
  EllWarpVariant variant = EllWarpVariant::k1;
  EllWarpRenumbering renumbering = EllWarpRenumbering::none;
  Index threshold = 32;  ///< K2: the most entries that a lane should have (step 3 above); at least 1
  Index window = 0;      ///< rows of a window, a multiple of 32; 0: one window with all rows
  bool sorted = true;    ///< false: rows stay in their order, in one window, whatever `window` is
};

/// Throws std::invalid_argument, which says what is expected, for a threshold below 1 or a window that is no multiple
/// of 32.
void require_valid(const EllWarpOptions& options);

/// The paper's name in lower case: k1, k1r, k1rs, k2, k2r, k2rs.
std::string ell_warp_name(const EllWarpOptions& options);

/// Throws std::invalid_argument unless `threads` is a multiple of 32 in [32, 1024].
void require_valid_block_size(int threads);

/// The part of a layout that follows from the lengths of the rows alone: the slices, and so the memory of a matrix.
struct EllWarpShape {
  std::vector<Index> row;                 ///< [rows] row at each position: its number in the given order
  std::vector<std::int64_t> slice_begin;  ///< [slices + 1] first slot of each slice
  std::vector<Index> slice_row;           ///< [slices + 1] first position of each slice
  std::vector<Index> slice_lanes;         ///< [slices] lanes a row
  std::int64_t entries = 0;               ///< without padding

  Index rows() const { return static_cast<Index>(row.size()); }
  Index slices() const { return static_cast<Index>(slice_lanes.size()); }
  std::int64_t stored_entries() const { return slice_begin.back(); }
  /// Stored entries over entries: 1 is without padding, the example of ell_warp.hpp has 96 / 21.
  double padding_ratio() const {
    return entries == 0 ? 1 : static_cast<double>(stored_entries()) / static_cast<double>(entries);
  }
};

/// Sorts the rows and cuts them into slices, as said above. Throws std::invalid_argument for bad options or a negative
/// length, std::length_error for more rows than an Index can number.
EllWarpShape ell_warp_shape(std::span<const Index> row_length, const EllWarpOptions& options);

/// Cuts slices only: `order` is the sorted order, EllWarpShape::row of another variant or threshold of the same rows
/// and window. Saves the sort, which takes most of the time, and checks nothing.
EllWarpShape ell_warp_shape(std::span<const Index> row_length, std::vector<Index> order, const EllWarpOptions& options);

struct EllWarpLayout {
  EllWarpOptions options;
  EllWarpShape shape;
  TeamVector<std::int64_t> slot_of_entry;  ///< [entries] slot of each entry, in the order of the CSR matrix
  TeamVector<Index> column;  ///< [stored entries] in the numbering of x; empty where no columns were given
};

/// The layout of a matrix with rows of these lengths. `column` [entries] has the columns of all rows one after the
/// other, as CSR does; it is empty for a matrix that multiplies ones only. Padding gets the last column of its row, or
/// 0 where a lane has no row or its row no entry. Throws as ell_warp_shape(), and std::invalid_argument where `column`
/// has another size or, with renumbering, holds a number outside [0, rows).
EllWarpLayout ell_warp_layout(std::span<const Index> row_length, std::span<const Index> column,
                              const EllWarpOptions& options);

/// The lengths of the rows of a CSR matrix; `row_begin` [rows + 1] has the first entry of each.
std::vector<Index> row_lengths(std::span<const Index> row_begin);

/// The inverse of a permutation: result[permutation[i]] = i.
std::vector<Index> inverse_permutation(std::span<const Index> permutation);

}  // namespace cardiowarp
