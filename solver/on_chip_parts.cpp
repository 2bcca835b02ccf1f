#include "solver/on_chip_parts.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace cardiowarp {

std::size_t OnChipShape::shared_bytes() const {
  const auto vector = static_cast<std::size_t>(rows_a_part + longest_halo);
  return sizeof(Real) * (vector + static_cast<std::size_t>(most_entries)) +
         sizeof(std::uint16_t) * static_cast<std::size_t>(most_entries) +
         sizeof(Index) * static_cast<std::size_t>(longest_halo);
}

Index on_chip_window(Index rows) {
  const Index slices = rows / warp_lanes + (rows % warp_lanes != 0);
  return warp_lanes * std::max<Index>(1, (slices + most_on_chip_parts - 1) / most_on_chip_parts);
}

bool expected_on_chip(std::span<const Index> row_length) {
  const auto rows = static_cast<Index>(row_length.size());
  if (rows == 0) return false;
  const Index window = on_chip_window(rows), slices_a_part = window / warp_lanes;
  const EllWarpShape shape = ell_warp_shape(row_length, {.variant = EllWarpVariant::k1, .window = window});
  OnChipShape expected;
  expected.rows_a_part = expected.longest_halo = window;
  for (Index slice = 0; slice < shape.slices(); slice += slices_a_part) {
    const std::int64_t entries =
        shape.slice_begin[std::min(slice + slices_a_part, shape.slices())] - shape.slice_begin[slice];
    if (entries > static_cast<std::int64_t>(on_chip_part_bytes)) return false;
    expected.most_entries = std::max(expected.most_entries, static_cast<Index>(entries));
  }
  return expected.shared_bytes() <= on_chip_part_bytes;
}

std::optional<OnChipParts> on_chip_parts(const EllWarpLayout& layout) {
  const EllWarpShape& shape = layout.shape;
  const EllWarpOptions& options = layout.options;
  const Index rows = shape.rows(), window = options.window;
  if (options.variant != EllWarpVariant::k1 || options.renumbering == EllWarpRenumbering::none || layout.column.empty())
    return std::nullopt;
  if (rows == 0 || window == 0 || (rows - 1) / window >= most_on_chip_parts) return std::nullopt;
  const Index slices_a_part = window / warp_lanes, parts = (rows - 1) / window + 1;

  OnChipParts plan;
  plan.shape.parts = parts;
  plan.shape.rows_a_part = window;
  plan.local_column.resize(layout.column.size());
  plan.halo_begin = {0};
  plan.is_shared.resize(rows / warp_lanes + 1);
  for (Index part = 0; part < parts; ++part) {
    const Index first_row = part * window, first_slice = part * slices_a_part;
    const std::int64_t begin = shape.slice_begin[first_slice],
                       end = shape.slice_begin[std::min(first_slice + slices_a_part, shape.slices())];
    const auto is_own = [&](Index column) { return column >= first_row && column < first_row + window; };

    std::vector<Index> halo;
    std::copy_if(layout.column.begin() + begin, layout.column.begin() + end, std::back_inserter(halo),
                 [&](Index column) { return !is_own(column); });
    std::sort(halo.begin(), halo.end());
    halo.erase(std::unique(halo.begin(), halo.end()), halo.end());

    const auto halo_length = static_cast<Index>(halo.size());
    plan.shape.most_entries = static_cast<Index>(std::max<std::int64_t>(plan.shape.most_entries, end - begin));
    plan.shape.longest_halo = std::max(plan.shape.longest_halo, halo_length);
    if (window + halo_length > std::numeric_limits<std::uint16_t>::max() ||
        plan.shape.shared_bytes() > on_chip_part_bytes)
      return std::nullopt;
    for (std::int64_t entry = begin; entry < end; ++entry) {
      const Index column = layout.column[entry];
      const auto place = std::lower_bound(halo.begin(), halo.end(), column) - halo.begin();
      plan.local_column[entry] = static_cast<std::uint16_t>(is_own(column) ? column - first_row : window + place);
    }
    for (const Index row : halo) plan.is_shared[row / warp_lanes] |= 1u << row % warp_lanes;
    plan.halo_row.insert(plan.halo_row.end(), halo.begin(), halo.end());
    plan.halo_begin.push_back(static_cast<Index>(plan.halo_row.size()));
  }
  return plan;
}

}  // namespace cardiowarp
