#include "solver/persistent/persistent_shape.hpp"

#include <algorithm>

namespace cardiowarp {

std::optional<PersistentShape> persistent_shape(const MatrixParts& parts, const Device& device) {
  const std::size_t of_a_team = product_shared_bytes(parts.rows_a_part, parts.longest_halo);
  const std::size_t of_teams = persistent_teams * of_a_team;
  const std::size_t there = usable_shared_bytes(device);
  if (!device.launches_at_once || of_teams > there) return std::nullopt;
  const Index blocks = std::min(device.multiprocessors, most_blocks_at_once), teams = blocks * persistent_teams;
  const Index parts_a_team = (parts.parts - 1) / teams + 1;
  const std::size_t kept_q = persistent_teams * sizeof(Real) * static_cast<std::size_t>(parts.rows_a_part);
  const auto room = static_cast<Index>((there - of_teams) / kept_q);
  PersistentShape shape;
  shape.blocks = blocks;
  shape.team_doubles = static_cast<Index>(of_a_team / sizeof(Real));
  shape.kept_parts = std::min(parts_a_team, room);
  shape.shared_bytes = of_teams + static_cast<std::size_t>(shape.kept_parts) * kept_q;
  return shape;
}

}  // namespace cardiowarp
