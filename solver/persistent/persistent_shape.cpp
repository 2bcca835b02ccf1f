#include "solver/persistent/persistent_shape.hpp"

#include <algorithm>

namespace cardiowarp {

std::optional<PersistentShape> persistent_shape(const MatrixParts& parts, const Device& device,
                                                std::size_t bytes_a_number) {
  const std::size_t of_a_group = product_shared_bytes(parts.rows_a_part, parts.longest_halo, bytes_a_number);
  const std::size_t of_groups = persistent_groups * of_a_group;
  const std::size_t there = usable_shared_bytes(device);
  if (!device.launches_at_once || of_groups > there) return std::nullopt;
  const Index blocks = std::min(device.multiprocessors, most_blocks_at_once), groups = blocks * persistent_groups;
  const Index parts_a_group = (parts.parts - 1) / groups + 1;
  const std::size_t kept_q = persistent_groups * bytes_a_number * static_cast<std::size_t>(parts.rows_a_part);
  const auto room = static_cast<Index>((there - of_groups) / kept_q);
  PersistentShape shape;
  shape.blocks = blocks;
  shape.group_doubles = static_cast<Index>(of_a_group / sizeof(Real));
  shape.kept_parts = std::min(parts_a_group, room);
  shape.shared_bytes = of_groups + static_cast<std::size_t>(shape.kept_parts) * kept_q;
  return shape;
}

}  // namespace cardiowarp
