#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/sparse/ell_warp.hpp"

namespace cardiowarp {

enum class EllWarpVariant { k1, k2 };

/// What else is put into the sorted order of the rows (paper 000 sec. 5.2, 5.3).
enum class EllWarpRenumbering {
  none,                    ///< K1, K2: the result is written back to the given order
  rows,                    ///< K1r, K2r: columns too, so that x and A x live in the sorted numbering
  rows_and_columns_sorted  ///< K1rs, K2rs: and the entries of each row are sorted by their new columns
};

struct EllWarpOptions {
  EllWarpVariant variant = EllWarpVariant::k1;
  EllWarpRenumbering renumbering = EllWarpRenumbering::none;
  Index threshold = 32;  ///< k2: entries a lane may have before its row gets twice the lanes, up to 32; at least 1
  Index window = 0;      ///< rows that are sorted among themselves, a multiple of 32; 0: the whole matrix
  bool sorted = true;    ///< false: rows stay in their order, whatever the window
};

/// Throws std::invalid_argument that says what is expected.
void require_valid(const EllWarpOptions& options);

/// The paper's name in lower case: k1, k1r, k1rs, k2, k2r, k2rs.
std::string ell_warp_name(const EllWarpOptions& options);

/// Throws std::invalid_argument unless `threads` is a multiple of 32 in [32, 1024].
void require_valid_block_size(int threads);

/// The part of a layout that follows from the lengths of the rows: cheap, and enough to know the memory.
struct EllWarpShape {
  std::vector<Index> row;                 ///< [rows] row at each position: old number of a new one
  std::vector<std::int64_t> slice_begin;  ///< [slices + 1] first stored entry of each slice
  std::vector<Index> slice_row;           ///< [slices + 1] first position of each slice
  std::vector<Index> slice_lanes;         ///< [slices] lanes a row
  std::int64_t entries = 0;               ///< without padding

  Index rows() const { return static_cast<Index>(row.size()); }
  Index slices() const { return static_cast<Index>(slice_lanes.size()); }
  std::int64_t stored_entries() const { return slice_begin.back(); }
  /// Stored entries for each entry: 1 is without padding.
  double padding_ratio() const {
    return entries == 0 ? 1 : static_cast<double>(stored_entries()) / static_cast<double>(entries);
  }
};

/// Sorts the rows inside each window, longest first and equal ones in their order, and cuts them into slices, none of
/// which reaches into the next window. Throws std::invalid_argument for bad
/// options or a negative length, std::length_error for more rows than an Index can number.
EllWarpShape ell_warp_shape(std::span<const Index> row_length, const EllWarpOptions& options);

/// The same, unchecked and without the sort, which takes most of the time: `order` is the `row` of another variant or
/// threshold.
EllWarpShape ell_warp_shape(std::span<const Index> row_length, std::vector<Index> order, const EllWarpOptions& options);

struct EllWarpLayout {
  EllWarpOptions options;
  EllWarpShape shape;
  std::vector<std::int64_t> slot_of_entry;  ///< [entries] where each entry of the CSR matrix is stored
  std::vector<Index> column;                ///< [stored entries], or empty where none were given
};

/// `column` [entries]: those of all rows one after the other, as in CSR; empty for a matrix that only meets ones.
/// Padding has the last column of its row, and 0 where a lane has no row or its row no entry.
/// Throws also std::invalid_argument where `column` has another size or, with renumbering, names no row.
EllWarpLayout ell_warp_layout(std::span<const Index> row_length, std::span<const Index> column,
                              const EllWarpOptions& options);

/// Lengths of the rows from where each begins in CSR, [rows + 1].
std::vector<Index> row_lengths(std::span<const Index> row_begin);

/// The new number of each old one from the old of each new, and the other way round.
std::vector<Index> inverse_permutation(std::span<const Index> permutation);

}  // namespace cardiowarp
