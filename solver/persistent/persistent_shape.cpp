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
  const std::size_t of_a_part = persistent_groups * bytes_a_number * static_cast<std::size_t>(parts.rows_a_part);
  PersistentShape shape;
  shape.blocks = blocks;
  shape.group_doubles = static_cast<Index>(of_a_group / sizeof(Real));
  shape.shared_bytes = of_groups;
  // The first parts of each group of which a vector is kept, as many as `most` has room for.
  const auto keep = [&](std::size_t most) {
    const std::size_t room = most > shape.shared_bytes ? (most - shape.shared_bytes) / of_a_part : 0;
    const Index kept = std::min(parts_a_group, static_cast<Index>(room));
    shape.shared_bytes += static_cast<std::size_t>(kept) * of_a_part;
    return kept;
  };
  shape.kept_parts = keep(there);
  if (bytes_a_number == sizeof(float)) {
    const std::size_t most = std::min(there, most_shared_for_z_and_p);
    shape.kept_z = keep(most);
    shape.kept_p = keep(most);
  }
  return shape;
}

}  // namespace cardiowarp
