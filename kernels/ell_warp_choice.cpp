#include "kernels/ell_warp_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace cardiowarp {
namespace {

constexpr double l2_bytes = 60 << 20, multiprocessors = 132;

double entries_a_thread(double rows, double entries) {
  const double mean = entries / rows;
  double threshold = 24;
  if (12 * entries > l2_bytes)
    threshold = std::max(16.0, 1.1 * mean / 4);
  else if (mean < 10)
    threshold = 12;
  else if (mean < 15)
    threshold = rows > 100'000 ? 16 : 8;
  return std::clamp(threshold, 2.0, std::max(2.0, entries / 20'000));
}

/// A whole number; above 4, of batches of loads.
Index whole_batches(double entries) {
  const Index whole = static_cast<Index>(entries + 0.999);
  return whole <= 4 ? whole : (whole + 3) / 4 * 4;
}

}  // namespace

EllWarpChoice choose_ell_warp(std::span<const Index> row_length, Index window) {
  EllWarpChoice choice{
      {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window},
      512};
  if (row_length.empty()) return choice;
  const double rows = static_cast<double>(row_length.size());
  const double entries = static_cast<double>(std::accumulate(row_length.begin(), row_length.end(), std::int64_t{0}));
  const Index longest = *std::max_element(row_length.begin(), row_length.end());

  const Index threshold = whole_batches(entries_a_thread(rows, entries));
  if (longest > threshold) {
    choice.options.variant = EllWarpVariant::k2;
    choice.options.threshold = threshold;
  }
  if (12 * entries > l2_bytes) choice.block_size = 128;
  const double threads = std::max(rows, entries / threshold);
  while (choice.block_size > 64 && threads < 1.5 * multiprocessors * choice.block_size) choice.block_size /= 2;
  return choice;
}

}  // namespace cardiowarp
