#include "solver/persistent_shape.hpp"

#include <algorithm>

namespace cardiowarp {

std::optional<PersistentShape> persistent_shape(const MatrixParts& parts) {
  const std::size_t of_a_team = product_shared_bytes(parts.rows_a_part, parts.longest_halo);
  const std::size_t of_teams = persistent_teams * of_a_team;
  if (of_teams > on_chip_part_bytes) return std::nullopt;
  constexpr Index teams = persistent_blocks * persistent_teams;
  const Index parts_a_team = (parts.parts - 1) / teams + 1;
  const std::size_t kept_q = persistent_teams * sizeof(Real) * static_cast<std::size_t>(parts.rows_a_part);
  const auto room = static_cast<Index>((on_chip_part_bytes - of_teams) / kept_q);
  PersistentShape shape;
  shape.team_doubles = static_cast<Index>(of_a_team / sizeof(Real));
  shape.kept_parts = std::min(parts_a_team, room);
  shape.shared_bytes = of_teams + static_cast<std::size_t>(shape.kept_parts) * kept_q;
  return shape;
}

}  // namespace cardiowarp
