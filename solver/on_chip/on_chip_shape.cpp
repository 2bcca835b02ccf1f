#include "solver/on_chip/on_chip_shape.hpp"
#include "kernels/sparse/warp_lanes.hpp"

#include <algorithm>

namespace cardiowarp {

namespace {

/// A value and a local column.
std::size_t bytes_of_a_kept_entry(const OnChipShape& shape) { return shape.bytes_a_value + sizeof(std::uint16_t); }

/// The most parts: one on each multiprocessor. A CPU, which has none, is given one so that the arithmetic holds.
Index most_on_chip_parts(const Device& device) {
  return std::clamp<Index>(device.multiprocessors, 1, most_blocks_at_once);
}

/// The stored entries of the part that has most of them.
std::int64_t most_entries(const EllWarpShape& shape, Index rows_a_part) {
  const Index slices_a_part = rows_a_part / warp_lanes;
  std::int64_t most = 0;
  for (Index slice = 0; slice < shape.slices(); slice += slices_a_part)
    most =
        std::max(most, shape.slice_begin[std::min(slice + slices_a_part, shape.slices())] - shape.slice_begin[slice]);
  return most;
}

/// Whether parts of `shape` with so many stored entries at most have room; sets shape.kept_entries.
bool keeps_enough(OnChipShape& shape, std::int64_t most_entries, const Device& device) {
  shape.kept_entries = 0;
  const std::size_t others = shape.shared_bytes(), there = usable_shared_bytes(device);
  if (shape.rows_a_part > most_on_chip_rows_of(shape.bytes_a_number) || others > there) return false;
  const auto room = static_cast<std::int64_t>((there - others) / bytes_of_a_kept_entry(shape));
  shape.kept_entries = static_cast<Index>(std::min(most_entries, room / warp_lanes * warp_lanes));
  return shape.kept_entries >= most_entries / 2;
}

}  // namespace

std::size_t OnChipShape::shared_bytes() const {
  return bytes_a_number * static_cast<std::size_t>(rows_a_part + longest_halo) +
         bytes_of_a_kept_entry(*this) * static_cast<std::size_t>(kept_entries) +
         sizeof(Index) * static_cast<std::size_t>(longest_halo);
}

Index on_chip_window(Index rows, const Device& device) { return window_for_parts(rows, most_on_chip_parts(device)); }

bool expected_on_chip(std::span<const Index> row_length, const Device& device, std::size_t bytes_a_value,
                      std::size_t bytes_a_number) {
  const auto rows = static_cast<Index>(row_length.size());
  if (rows == 0 || !device.launches_at_once) return false;
  OnChipShape expected;
  expected.bytes_a_value = bytes_a_value;
  expected.bytes_a_number = bytes_a_number;
  expected.rows_a_part = expected.longest_halo = on_chip_window(rows, device);
  const EllWarpShape shape =
      ell_warp_shape(row_length, {.variant = EllWarpVariant::k1, .window = expected.rows_a_part});
  return keeps_enough(expected, most_entries(shape, expected.rows_a_part), device);
}

std::optional<OnChipShape> on_chip_shape(const EllWarpShape& shape, const MatrixParts& parts, const Device& device,
                                         std::size_t bytes_a_value, std::size_t bytes_a_number) {
  if (!device.launches_at_once || parts.parts > most_on_chip_parts(device)) return std::nullopt;
  OnChipShape found{.parts = parts.parts,
                    .rows_a_part = parts.rows_a_part,
                    .longest_halo = parts.longest_halo,
                    .bytes_a_value = bytes_a_value,
                    .bytes_a_number = bytes_a_number};
  if (!keeps_enough(found, most_entries(shape, parts.rows_a_part), device)) return std::nullopt;
  return found;
}

}  // namespace cardiowarp
