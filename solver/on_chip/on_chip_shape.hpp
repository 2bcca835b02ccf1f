#pragma once
#include <cstddef>
#include <optional>
#include <span>

#include "kernels/backend/device.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "solver/parts/matrix_parts.hpp"

namespace cardiowarp {

/// The sizes of a solve on the path `on_chip` (solver/solver_path.hpp), for a matrix in parts, one of them on each
/// multiprocessor (solver/parts/matrix_parts.hpp). plan_solver() asks for them once in a run
/// (app/simulation/choose_solver.hpp). A part keeps its values and columns in shared memory from the first iteration of
/// a solve to the last; stored entries without room there, up to half, are read in each product, through the L2 cache.
/// The shared memory of a block:
///
///   | vector of its rows | vector of its halo | kept values | rows of its halo | kept columns |
///     8 rows_a_part        8 longest_halo       8 kept_entries  4 longest_halo    2 kept_entries    bytes
///
/// A value takes `bytes_a_value` and a number of a vector `bytes_a_number`: 8 as drawn, or 4 in single precision, with
/// which larger matrices have room.
struct OnChipShape {
  Index parts = 0;
  Index rows_a_part = 0;   ///< the last part may have fewer
  Index longest_halo = 0;  ///< the most rows in a halo
  Index kept_entries = 0;  ///< the first so many stored entries of a part are in shared memory
  std::size_t bytes_a_value = sizeof(Real), bytes_a_number = sizeof(Real);

  /// The shared memory of a block, as drawn.
  std::size_t shared_bytes() const;
};

/// The most rows of a part, since their numbers of all vectors are in registers; twice as many in single precision.
inline constexpr Index most_on_chip_rows = 2048;
constexpr Index most_on_chip_rows_of(std::size_t bytes_a_number) {
  return most_on_chip_rows * static_cast<Index>(sizeof(Real) / bytes_a_number);
}

/// The window, a multiple of 32 rows, with which a matrix has at most as many parts as the device has multiprocessors.
Index on_chip_window(Index rows, const Device& device);

/// Whether a matrix with rows of these lengths, laid out as K1rs in windows of on_chip_window(), can be expected to
/// fit, if the halo of a part has as many rows as the part. on_chip_shape() knows once the matrix has been cut.
bool expected_on_chip(std::span<const Index> row_length, const Device& device, std::size_t bytes_a_value = sizeof(Real),
                      std::size_t bytes_a_number = sizeof(Real));

/// The sizes for these parts. Nothing where the device cannot run all blocks of a launch at the same time, there are
/// more parts than multiprocessors or more rows in one than most_on_chip_rows_of(), or where more than half of the
/// stored entries of a part have no room.
std::optional<OnChipShape> on_chip_shape(const EllWarpShape& shape, const MatrixParts& parts, const Device& device,
                                         std::size_t bytes_a_value = sizeof(Real),
                                         std::size_t bytes_a_number = sizeof(Real));

}  // namespace cardiowarp
