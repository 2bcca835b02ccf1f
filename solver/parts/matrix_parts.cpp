#include "solver/parts/matrix_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

bool fits_any_block(Index rows_a_part, Index longest_halo) {
  constexpr std::size_t room = (48 << 10) - 1024;  // the kernel has some for itself
  return product_shared_bytes(rows_a_part, longest_halo) <= room;
}

bool fill_device(const Device& device, Index parts, Index rows_a_part, Index longest_halo) {
  constexpr Index threads = 256;
  return fits_any_block(rows_a_part, longest_halo) && rows_a_part >= threads && parts >= 2 * device.multiprocessors;
}

/// The stored entries of one part, slots [begin, end), and the part's rows, `rows` of them from first_row on.
struct StoredEntries {
  Index first_row, rows;
  std::int64_t begin, end;

  bool is_own(Index column) const { return column >= first_row && column < first_row + rows; }
};

std::vector<Index> halo_of_part(const std::vector<Index>& column, const StoredEntries& entries) {
  std::vector<Index> halo;
  std::copy_if(column.begin() + entries.begin, column.begin() + entries.end, std::back_inserter(halo),
               [&](Index c) { return !entries.is_own(c); });
  std::sort(halo.begin(), halo.end());
  halo.erase(std::unique(halo.begin(), halo.end()), halo.end());
  return halo;
}

void number_columns(const std::vector<Index>& column, const StoredEntries& entries, const std::vector<Index>& halo,
                    std::vector<std::uint16_t>& local_column) {
  for (std::int64_t entry = entries.begin; entry < entries.end; ++entry) {
    const std::ptrdiff_t local =
        entries.is_own(column[entry])
            ? column[entry] - entries.first_row
            : entries.rows + (std::lower_bound(halo.begin(), halo.end(), column[entry]) - halo.begin());
    local_column[entry] = static_cast<std::uint16_t>(local);
  }
}

}  // namespace

std::optional<MatrixParts> matrix_parts(const EllWarpLayout& layout) {
  const EllWarpShape& shape = layout.shape;
  const EllWarpOptions& options = layout.options;
  const Index rows = shape.rows(), window = options.window;
  if (options.variant != EllWarpVariant::k1 || options.renumbering == EllWarpRenumbering::none || layout.column.empty())
    return std::nullopt;
  if (rows == 0 || window == 0) return std::nullopt;
  const Index slices_a_part = window / warp_lanes;

  MatrixParts plan;
  plan.parts = (rows - 1) / window + 1;
  plan.rows_a_part = window;
  resize_by_team(plan.local_column, layout.column.size());
  std::vector<std::vector<Index>> halo_of(plan.parts);
  parallel_ranges(plan.parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (Index part = static_cast<Index>(begin); part < static_cast<Index>(end); ++part) {
      const Index first_slice = part * slices_a_part;
      const StoredEntries entries{part * window, window, shape.slice_begin[first_slice],
                                  shape.slice_begin[std::min(first_slice + slices_a_part, shape.slices())]};
      halo_of[part] = halo_of_part(layout.column, entries);
      number_columns(layout.column, entries, halo_of[part], plan.local_column);
    }
  });
  plan.halo_begin = {0};
  for (const std::vector<Index>& halo : halo_of) {
    plan.longest_halo = std::max(plan.longest_halo, static_cast<Index>(halo.size()));
    plan.halo_row.insert(plan.halo_row.end(), halo.begin(), halo.end());
    plan.halo_begin.push_back(static_cast<Index>(plan.halo_row.size()));
  }
  if (window + plan.longest_halo > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  return plan;
}

std::size_t product_shared_bytes(Index rows_a_part, Index longest_halo, std::size_t bytes_a_number) {
  const std::size_t of_vector = bytes_a_number * static_cast<std::size_t>(rows_a_part + longest_halo);
  return (of_vector + sizeof(Real) - 1) / sizeof(Real) * sizeof(Real) +
         sizeof(std::int64_t) * static_cast<std::size_t>(rows_a_part / warp_lanes + 1);
}

bool fits_any_block(const MatrixParts& parts) { return fits_any_block(parts.rows_a_part, parts.longest_halo); }

bool fill_device(const MatrixParts& parts, const Device& device) {
  return fill_device(device, parts.parts, parts.rows_a_part, parts.longest_halo);
}

bool expected_in_parts(std::span<const Index> row_length, Index window, const Device& device) {
  const auto rows = static_cast<Index>(row_length.size());
  if (rows == 0 || window == 0 || !fill_device(device, (rows - 1) / window + 1, window, window)) return false;
  const auto entries = std::accumulate(row_length.begin(), row_length.end(), std::int64_t{0});
  const EllWarpShape shape = ell_warp_shape(row_length, {.variant = EllWarpVariant::k1, .window = window});
  return 10 * shape.stored_entries() <= 11 * entries;
}

std::vector<std::uint32_t> rows_in_halos(const MatrixParts& parts, Index rows) {
  std::vector<std::uint32_t> bits(rows / warp_lanes + 1);
  for (const Index row : parts.halo_row) bits[row / warp_lanes] |= 1u << row % warp_lanes;
  return bits;
}

}  // namespace cardiowarp
