#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/ell_warp_layout.hpp"
#include "kernels/types.hpp"

namespace cardiowarp {

/// Sizes of a matrix in parts.
struct OnChipShape {
  Index parts = 0;
  Index rows_a_part = 0;   ///< the last part may have fewer
  Index most_entries = 0;  ///< stored entries of a part
  Index longest_halo = 0;  ///< rows

  /// Shared memory of a block: a vector with its halo, values, the rows of the halo and columns.
  std::size_t shared_bytes() const;
};

/// A K1 matrix as parts that one multiprocessor each can hold: part k has the rows of the layout's window k. Columns
/// are numbered within the part, in 16 bits: its own rows, then its halo, the rows of other parts it reads.
struct OnChipParts {
  OnChipShape shape;
  std::vector<std::uint16_t> local_column;  ///< [stored entries] row in its part, or rows_a_part + place in its halo
  std::vector<Index> halo_begin;            ///< [parts + 1]
  std::vector<Index> halo_row;              ///< of each part, ascending
  std::vector<std::uint32_t> is_shared;     ///< [rows / 32 + 1] bit set: that row is in some halo
};

/// Parts that the solver makes of a matrix, at most: multiprocessors of an H100 or H200.
inline constexpr Index most_on_chip_parts = 132;

/// Shared memory of a block on an H100 or H200 but for what the kernel has for itself.
inline constexpr std::size_t on_chip_part_bytes = (227 << 10) - 2048;

/// Rows of a window, a multiple of 32, with which a matrix has at most `most_on_chip_parts`.
Index on_chip_window(Index rows);

/// Whether a K1rs matrix with rows of these lengths can be expected to fit in such windows, by the rule that a part has
/// a halo of as many rows as its own. on_chip_parts() knows.
bool expected_on_chip(std::span<const Index> row_length);

/// Of a layout with columns; nothing where it is no K1 matrix in its own numbering, sorted in windows, or has more
/// parts or larger ones than fit.
std::optional<OnChipParts> on_chip_parts(const EllWarpLayout& layout);

}  // namespace cardiowarp
