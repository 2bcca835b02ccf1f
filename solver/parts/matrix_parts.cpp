#include "solver/parts/matrix_parts.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/backend/thread_team.hpp"
#include "kernels/sparse/warp_lanes.hpp"

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

/// A set of rows in which each knows its place in ascending order, as bits. Only what has been put into it is looked at
/// again, so that one object serves one part after the other.
class RowSet {
 public:
  explicit RowSet(Index rows)
      : words_(rows / word_bits + 1), used_(words_.size() / word_bits + 1), before_(words_.size()) {}

  void insert(Index row) {
    const auto word = static_cast<std::size_t>(row / word_bits);
    words_[word] |= bit(row);
    used_[word / word_bits] |= bit(static_cast<Index>(word));
  }

  /// Counts the rows: place_of() holds from here on. Returns them in ascending order.
  std::vector<Index> in_order() {
    Index number = 0;
    for_each_used_word([&](std::size_t word) {
      before_[word] = number;
      number += std::popcount(words_[word]);
    });
    std::vector<Index> rows;
    rows.reserve(number);
    for_each_used_word([&](std::size_t word) {
      for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1)
        rows.push_back(static_cast<Index>(word) * word_bits + std::countr_zero(bits));
    });
    return rows;
  }

  Index place_of(Index row) const {
    const auto word = static_cast<std::size_t>(row / word_bits);
    return before_[word] + std::popcount(words_[word] & (bit(row) - 1));
  }

  void clear() {
    for_each_used_word([&](std::size_t word) { words_[word] = 0; });
    std::fill(used_.begin(), used_.end(), 0);
  }

 private:
  static constexpr Index word_bits = 64;

  static std::uint64_t bit(Index row) { return std::uint64_t{1} << static_cast<unsigned>(row % word_bits); }

  template <class Use>
  void for_each_used_word(const Use& use) const {
    for (std::size_t k = 0; k < used_.size(); ++k)
      for (std::uint64_t bits = used_[k]; bits != 0; bits &= bits - 1)
        use(k * word_bits + static_cast<std::size_t>(std::countr_zero(bits)));
  }

  std::vector<std::uint64_t> words_;  ///< bit row % 64 of word row / 64
  std::vector<std::uint64_t> used_;   ///< words that are not 0, as bits
  std::vector<Index> before_;         ///< [words] rows in the words before, of one that is used
};

/// The stored entries of one part, slots [begin, end), and the part's rows, `rows` of them from first_row on.
struct StoredEntriesOfPart {
  Index first_row, rows;
  std::int64_t begin, end;

  bool is_own(Index column) const { return column >= first_row && column < first_row + rows; }
};

/// Numbers the columns of a part, whose halo it returns. `halo` is empty before and after.
std::vector<Index> number_columns(std::span<const Index> column, const StoredEntriesOfPart& entries, RowSet& halo,
                                  std::span<std::uint16_t> local_column) {
  for (std::int64_t entry = entries.begin; entry < entries.end; ++entry)
    if (!entries.is_own(column[entry])) halo.insert(column[entry]);
  std::vector<Index> rows = halo.in_order();
  for (std::int64_t entry = entries.begin; entry < entries.end; ++entry) {
    const Index c = column[entry];
    local_column[entry] =
        static_cast<std::uint16_t>(entries.is_own(c) ? c - entries.first_row : entries.rows + halo.place_of(c));
  }
  halo.clear();
  return rows;
}

/// One after the other.
void join_halos(const std::vector<std::vector<Index>>& halo_of, MatrixParts& plan) {
  plan.halo_begin = {0};
  for (const std::vector<Index>& halo : halo_of) {
    plan.longest_halo = std::max(plan.longest_halo, static_cast<Index>(halo.size()));
    plan.halo_begin.push_back(plan.halo_begin.back() + static_cast<Index>(halo.size()));
  }
  resize_by_team(plan.halo_row, static_cast<std::size_t>(plan.halo_begin.back()));
  parallel_for(halo_of.size(), [&](std::size_t part) {
    std::copy(halo_of[part].begin(), halo_of[part].end(), plan.halo_row.begin() + plan.halo_begin[part]);
  });
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
  plan.local_column.resize(layout.column.size());
  std::vector<std::vector<Index>> halo_of(plan.parts);
  parallel_ranges(plan.parts, 1, [&](std::int64_t begin, std::int64_t end) {
    RowSet halo(rows);
    for (Index part = static_cast<Index>(begin); part < static_cast<Index>(end); ++part) {
      const Index first_slice = part * slices_a_part;
      const StoredEntriesOfPart entries{part * window, window, shape.slice_begin[first_slice],
                                        shape.slice_begin[std::min(first_slice + slices_a_part, shape.slices())]};
      halo_of[part] = number_columns(layout.column, entries, halo, plan.local_column);
    }
  });
  join_halos(halo_of, plan);
  if (window + plan.longest_halo > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  return plan;
}

Index window_for_parts(Index rows, Index parts) {
  const Index slices = rows / warp_lanes + (rows % warp_lanes != 0);
  return warp_lanes * std::max<Index>(1, slices / parts + (slices % parts != 0));
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
