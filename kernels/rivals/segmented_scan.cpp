#include "kernels/rivals/segmented_scan.hpp"
#include "kernels/sparse/warp_lanes.hpp"

#include <algorithm>

namespace cardiowarp {

SegmentedScanLayout segmented_scan_layout(const CsrPattern& pattern, Index values_per_thread) {
  with_values_per_thread(values_per_thread, []<Index>() {});
  const std::int64_t values = values_per_thread, stretch_length = values * warp_lanes;
  std::int64_t stored = 0;
  for (Index row = 0; row < pattern.rows(); ++row)
    stored += std::max(1, pattern.row_begin[row + 1] - pattern.row_begin[row]);
  const std::int64_t stretches = (stored + stretch_length - 1) / stretch_length;

  SegmentedScanLayout layout;
  layout.rows = pattern.rows();
  layout.values_per_thread = values_per_thread;
  layout.first_row.assign(stretches + 1, 0);
  layout.ends_before.assign(stretches * warp_lanes, 0);
  layout.column_and_end.assign(stretches * stretch_length, 0);
  layout.slot_of_entry.reserve(pattern.column.size());
  const auto slot_of_place = [&](std::int64_t place) {
    const std::int64_t in_stretch = place % stretch_length;
    return place - in_stretch + in_stretch % values * warp_lanes + in_stretch / values;
  };
  std::int64_t place = 0;  // in the sequence of all entries
  for (Index row = 0; row < pattern.rows(); ++row) {
    const Index begin = pattern.row_begin[row], length = pattern.row_begin[row + 1] - begin;
    for (Index k = 0; k < length; ++k) {
      layout.slot_of_entry.push_back(slot_of_place(place + k));
      layout.column_and_end[layout.slot_of_entry.back()] = static_cast<std::uint32_t>(pattern.column[begin + k]);
    }
    const std::int64_t last = place + std::max(1, length) - 1;
    layout.column_and_end[slot_of_place(last)] |= end_of_row;
    ++layout.ends_before[last / values];
    ++layout.first_row[last / stretch_length + 1];
    place = last + 1;
  }
  for (std::int64_t stretch = 0; stretch < stretches; ++stretch) {
    layout.most_ends = std::max(layout.most_ends, layout.first_row[stretch + 1]);
    layout.first_row[stretch + 1] += layout.first_row[stretch];
    std::uint16_t ends = 0;
    for (Index lane = 0; lane < warp_lanes; ++lane) {
      std::uint16_t& before = layout.ends_before[stretch * warp_lanes + lane];
      const std::uint16_t own = before;
      before = ends;
      ends = static_cast<std::uint16_t>(ends + own);
    }
  }
  return layout;
}

std::int64_t SegmentedScanLayout::product_bytes() const {
  return 12 * stored_entries() + 2 * static_cast<std::int64_t>(ends_before.size()) +
         4 * static_cast<std::int64_t>(first_row.size()) + 16 * std::int64_t{rows};
}

}  // namespace cardiowarp
