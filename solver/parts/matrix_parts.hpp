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

/// A K1 matrix as parts that one thread block each can multiply from its shared memory: part k has the rows of the
/// layout's window k. Columns are numbered within the part, in 16 bits: its own rows, then its halo, the rows of other
/// parts it reads (the compact columns of explicit caching hybrid SpMV, EHYB).
struct MatrixParts {
  Index parts = 0;
  Index rows_a_part = 0;                    ///< the last part may have fewer
  Index longest_halo = 0;                   ///< rows
  std::vector<std::uint16_t> local_column;  ///< [stored entries] row in its part, or rows_a_part + place in its halo
  std::vector<Index> halo_begin;            ///< [parts + 1]
  std::vector<Index> halo_row;              ///< of each part, ascending
};

/// Of a layout with columns; nothing where it is no K1 matrix in its own numbering, sorted in windows, or a part with
/// its halo is too long for 16 bits.
std::optional<MatrixParts> matrix_parts(const EllWarpLayout& layout);

/// Shared memory of a block or a team that multiplies a part: a vector of the part and its halo, and where slices
/// begin.
std::size_t product_shared_bytes(Index rows_a_part, Index longest_halo);

/// Whether that is within what any block of any device may have, 48 KB.
bool fits_any_block(const MatrixParts& parts);

/// Whether parts are also long enough for the threads of a block, and enough for two blocks on each multiprocessor.
bool fill_device(const MatrixParts& parts, const Device& device);

/// Whether that can be expected of a K1rs matrix with rows of these lengths in windows of so many, each with a halo of
/// as many, and that it has few entries more than they. For a matrix of a mesh that is too large for the chip its parts
/// are then worth more than what another format saves (docs/benchmarks).
bool expected_in_parts(std::span<const Index> row_length, Index window, const Device& device);

/// [rows / 32 + 1] bit set: that row is in the halo of some part.
std::vector<std::uint32_t> rows_in_halos(const MatrixParts& parts, Index rows);

}  // namespace cardiowarp
