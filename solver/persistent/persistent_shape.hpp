#pragma once
#include <cstddef>
#include <optional>

#include "kernels/backend/device.hpp"
#include "kernels/backend/types.hpp"
#include "solver/parts/matrix_parts.hpp"

namespace cardiowarp {

/// Each multiprocessor has one block, and in it so many teams of threads. A team works on one part at a time; while one
/// team waits for its vector, the others multiply.
inline constexpr Index persistent_teams = 4;

/// Sums of an exchange between the blocks, at most: r·z and |r|².
inline constexpr Index persistent_sums = 2;
inline constexpr std::size_t mails_of_persistent = std::size_t{2} * persistent_sums * most_blocks_at_once;

/// Sizes of a solve in one launch whose matrix stays in memory. Team k has the parts k, k + teams of all blocks, ...
struct PersistentShape {
  Index blocks = 0;        ///< one on each multiprocessor
  Index team_doubles = 0;  ///< of shared memory, for product_shared_bytes() of a part
  Index kept_parts = 0;    ///< of a team, so many from the first have their q = A p in shared memory, behind those
  std::size_t shared_bytes = 0;  ///< of a block
};

/// Nothing where the device cannot run all blocks at once, or a block has no room for a vector of a part and its halo
/// for each of its teams.
std::optional<PersistentShape> persistent_shape(const MatrixParts& parts, const Device& device);

}  // namespace cardiowarp
