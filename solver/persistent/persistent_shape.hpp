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
// part and its halo are). It has one thread block on each multiprocessor, from the first iteration to the last. The
// threads of a block form four thread groups of 128, which have parts of their own and work on one part at a time: some
// groups multiply while others wait for memory. The parts are dealt out in turn: with B blocks, group g of block b has
// the parts b + g B, b + g B + 4 B, b + g B + 8 B and so on.
//
// The shared memory of a block, for its groups 0 to 3:
//
//   | vector 0 | vector 1 | vector 2 | vector 3 |  q of 0  |  q of 1  |  q of 2  |  q of 3  |
//     group_doubles numbers each                  kept_parts × rows_a_part numbers each
//
// A group fills its vector for one part after the other with what the product of the part reads: the search direction p
// of the part's rows and of its halo, and the first slots of its slices. The product q = A p of the group's first
// kept_parts parts stays in shared memory until the same iteration updates the solution and the residual with it; q of
// its other parts goes through memory. The kernel is in persistent_cg.cuh, and the ledger in
// solver/cg/conjugate_gradient.hpp counts what it reads and writes.

/// Thread groups of a block.
inline constexpr Index persistent_groups = 4;

/// The most sums over all rows that blocks exchange at once: r·z and |r|².
inline constexpr Index persistent_sums = 2;
/// Places for the messages in which blocks send each other their sums (solver/parts/messages.hpp): one for each sum of
/// each block, and as many again, since two exchanges that follow each other take turns.
inline constexpr std::size_t persistent_messages = std::size_t{2} * persistent_sums * most_blocks_at_once;

/// What a solve on this path takes of a device.
struct PersistentShape {
  Index blocks = 0;              ///< one on each multiprocessor
  Index group_doubles = 0;       ///< product_shared_bytes() of a part, in numbers of 8 bytes
  Index kept_parts = 0;          ///< parts of each group whose q stays in shared memory: all, or as many as find room
  std::size_t shared_bytes = 0;  ///< shared memory of a block
};

/// The sizes for these parts. Nothing where the device cannot run all blocks of a launch at the same time, or a block
/// has no room for the vectors of its four groups.
std::optional<PersistentShape> persistent_shape(const MatrixParts& parts, const Device& device);

}  // namespace cardiowarp
