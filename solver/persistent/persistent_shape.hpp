#pragma once
#include <cstddef>
#include <optional>

#include "kernels/backend/device.hpp"
#include "kernels/backend/types.hpp"
#include "solver/parts/matrix_parts.hpp"

namespace cardiowarp {

// The sizes of a solve on the path `persistent` (solver/solver_path.hpp); plan_solver() asks for them once in a run
// (app/simulation/choose_solver.hpp). A single launch of a kernel does all iterations of conjugate gradients, for a
// matrix in parts that is too large for the path `on_chip` (solver/parts/matrix_parts.hpp, which says what a launch, a
// part and its halo are). It has one thread block on each multiprocessor, from the first iteration to the last. The 512
// threads of a block form four thread groups of 128. Each group goes through parts of its own, one at a time, so that
// some groups multiply while others wait for the GPU's memory. The parts are dealt out in turn: with B blocks, group g
// of block b has the parts b + g B, b + g B + 4 B, b + g B + 8 B and so on.
//
// The shared memory of a block, for its groups 0 to 3:
//
//   | input 0 | input 1 | input 2 | input 3 |  q of 0  |  q of 1  |  q of 2  |  q of 3  |  z of 0 | .. | p of 3 |
//     group_doubles × 8 bytes each            kept_parts × rows_a_part × 8 bytes each, 4 in single precision
//
// For each of its parts in turn a group fetches into its input what the product reads: the search direction p at the
// part's rows and at its halo, and the first slots of its slices. The product q = A p of the group's first kept_parts
// parts stays in shared memory until, later in the same iteration, the residual is updated with it; q of its other
// parts is written to and read from the GPU's memory. Solution, residual and p are in the GPU's memory, too. In single
// precision, where numbers take half of the room, z and p of a group's first kept_z and kept_p parts are in shared
// memory besides, from which their own rows are read; other parts, in whose halos they are, read the copies in the
// GPU's memory. The kernel is in persistent_cg.cuh; solver/cg/conjugate_gradient.hpp has a table of the bytes that an
// iteration reads and writes.

/// Thread groups of a block.
inline constexpr Index persistent_groups = 4;

/// The most sums over all rows that blocks exchange at once: r·z, with the preconditioned residual z, and |r|².
inline constexpr Index persistent_sums = 2;
/// Messages by which blocks send each other their sums (solver/parts/messages.hpp): one for each sum of each block, in
/// two buffers, because consecutive exchanges alternate between them.
inline constexpr std::size_t persistent_messages = std::size_t{2} * persistent_sums * most_blocks_at_once;

/// The blocks and the shared memory that a solve on this path takes.
struct PersistentShape {
  Index blocks = 0;              ///< one on each multiprocessor
  Index group_doubles = 0;       ///< input of a group: product_shared_bytes() of a part, divided by 8
  Index kept_parts = 0;          ///< parts of each group whose q stays in shared memory: all, or as many as fit, even 0
  Index kept_z = 0, kept_p = 0;  ///< parts of each group whose z and p are there, too; 0 in double precision
  std::size_t shared_bytes = 0;  ///< shared memory of a block
};

/// The most shared memory of a block for which z and p are kept: more would leave a multiprocessor of an H200, whose
/// shared memory and L1 cache have 256 KiB together, less than 60 KiB of the cache, through which all else comes.
inline constexpr std::size_t most_shared_for_z_and_p = std::size_t{194} << 10;

/// The sizes for these parts. Returns nothing where the device cannot run all blocks of a launch at the same time, or a
/// block has no room for the inputs of its four groups. How many parts there should be is not asked here but by
/// fill_device(). A number of a vector takes `bytes_a_number`.
std::optional<PersistentShape> persistent_shape(const MatrixParts& parts, const Device& device,
                                                std::size_t bytes_a_number = sizeof(Real));

}  // namespace cardiowarp
