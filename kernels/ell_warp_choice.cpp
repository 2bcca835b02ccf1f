#include "kernels/ell_warp_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace cardiowarp {
namespace {

constexpr double multiprocessors = 132, resident_warps = 64, l2_bytes = 60 << 20;

/// What a product has to do; warps, batches of 4 loads and reduction steps are those of a multiprocessor.
struct Work {
  double warps = 0, batches = 0, steps = 0;
  double longest = 0;    ///< batches of the longest lane
  double megabytes = 0;  ///< columns and values with padding
};

Work work_of(const EllWarpShape& shape) {
  Work work{.megabytes = 12e-6 * static_cast<double>(shape.stored_entries())};
  for (Index slice = 0; slice < shape.slices(); ++slice) {
    const auto entries = (shape.slice_begin[slice + 1] - shape.slice_begin[slice]) / warp_lanes;
    const std::int64_t whole_batches = (entries + 3) / 4;
    const auto batches = static_cast<double>(whole_batches);
    work.batches += batches / multiprocessors;
    work.steps += std::log2(shape.slice_lanes[slice]) / multiprocessors;
    work.longest = std::max(work.longest, batches);
  }
  work.warps = shape.slices() / multiprocessors;
  return work;
}

/// In the time that one batch of a lane takes. Bound by memory; more warps than fit on the device at once cost a second
/// wave, which shows up to 90 MB.
double cost_beyond_l2(const Work& work) {
  const double second_wave = work.warps > resident_warps && work.megabytes < 90 ? 4.5 : 0;
  return work.longest + 0.05 * work.megabytes + 0.015 * work.warps + second_wave;
}

/// In the same unit. Warps issue their batches and reduction steps, more slowly where some multiprocessors have a block
/// more than others; the longest lane goes on by itself; a launch costs by its blocks. From 23 MB on, blocks of a
/// second wave find their data in the far part of the cache.
double cost_in_l2(const Work& work, bool k1, int block_size) {
  const double blocks = std::ceil(32 * work.warps * multiprocessors / block_size);
  const double imbalance = std::ceil(blocks / multiprocessors) * block_size / (32 * work.warps);
  const double issue =
      0.053 * (work.batches + (k1 ? 0.455 : 0.65) * work.warps + 0.12 * work.steps) * std::pow(imbalance, 0.35);
  const double thrashing = std::clamp(work.megabytes - 23, 0.0, 8.0) *
                           ((work.warps > resident_warps ? 0.37 : 0) + 0.01 * std::log2(512 / block_size));
  return std::pow(std::pow(issue, 1.5) + std::pow(work.longest, 1.5), 1 / 1.5) + 0.163 * blocks / multiprocessors +
         thrashing;
}

}  // namespace

EllWarpChoice choose_ell_warp(std::span<const Index> row_length, Index window) {
  EllWarpChoice best{
      {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window},
      128};
  if (row_length.empty()) return best;
  const double entries = static_cast<double>(std::accumulate(row_length.begin(), row_length.end(), std::int64_t{0}));
  const bool in_l2 = 12 * entries <= l2_bytes;
  double least = std::numeric_limits<double>::max();
  for (const Index threshold : {0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96}) {
    EllWarpOptions options = best.options;
    options.variant = threshold == 0 ? EllWarpVariant::k1 : EllWarpVariant::k2;
    options.threshold = threshold == 0 ? EllWarpOptions{}.threshold : threshold;
    const Work work = work_of(ell_warp_shape(row_length, options));
    for (const int block_size : {512, 256, 128, 64}) {
      if (!in_l2 && block_size != 128) continue;
      const double cost = in_l2 ? cost_in_l2(work, threshold == 0, block_size) : cost_beyond_l2(work);
      if (cost < least) least = cost, best = {options, block_size};
    }
  }
  return best;
}

}  // namespace cardiowarp
