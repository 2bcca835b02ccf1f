#pragma once
#include <cstddef>
#include <optional>
#include <span>

#include "kernels/backend/device.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "solver/parts/matrix_parts.hpp"

namespace cardiowarp {

/// Sizes of a matrix in parts that stay on the chip, one on each multiprocessor. Entries beyond what shared memory can
/// keep are read in each product, through the L2 cache.
struct OnChipShape {
  Index parts = 0;
  Index rows_a_part = 0;   ///< the last part may have fewer
  Index longest_halo = 0;  ///< rows
  Index kept_entries = 0;  ///< of the stored entries of a part, so many from the first are in shared memory

  /// Shared memory of a block: a vector with its halo, kept values, the rows of the halo and kept columns.
  std::size_t shared_bytes() const;
};

/// Rows of a part, at most: their vectors are in registers.
inline constexpr Index most_on_chip_rows = 2048;

/// Rows of a window, a multiple of 32, with which a matrix has at most as many parts as the device multiprocessors.
Index on_chip_window(Index rows, const Device& device);

/// Whether a K1rs matrix with rows of these lengths can be expected to fit in such windows, by the rule that a part has
/// a halo of as many rows as its own. on_chip_shape() knows.
bool expected_on_chip(std::span<const Index> row_length, const Device& device);

/// Nothing where there are more or longer parts than there may be, or more than half of the entries of a part could not
/// be kept.
std::optional<OnChipShape> on_chip_shape(const EllWarpShape& shape, const MatrixParts& parts, const Device& device);

}  // namespace cardiowarp
