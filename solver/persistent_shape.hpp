#pragma once
#include <cstddef>
#include <optional>

#include "kernels/types.hpp"
#include "solver/matrix_parts.hpp"
#include "solver/on_chip_shape.hpp"

namespace cardiowarp {

/// A block for each multiprocessor of an H100 or H200, and in each so many teams, of which each has a part at a time:
/// while one waits for its vector, others multiply.
inline constexpr Index persistent_blocks = most_on_chip_parts, persistent_teams = 4;

/// Sums of an exchange between the blocks, at most: r·z and |r|².
inline constexpr Index persistent_sums = 2;
inline constexpr std::size_t mails_of_persistent = std::size_t{2} * persistent_sums * persistent_blocks;

/// Sizes of a solve in one launch whose matrix stays in memory. Team k has the parts k, k + teams of all blocks, ...
struct PersistentShape {
  Index team_doubles = 0;  ///< of shared memory, for product_shared_bytes() of a part
  Index kept_parts = 0;    ///< of a team, so many from the first have their q = A p in shared memory, behind those
  std::size_t shared_bytes = 0;  ///< of a block
};

/// Nothing where a block has no room for a vector of a part and its halo for each of its teams.
std::optional<PersistentShape> persistent_shape(const MatrixParts& parts);

}  // namespace cardiowarp
