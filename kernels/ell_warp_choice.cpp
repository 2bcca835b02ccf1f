#include "kernels/ell_warp_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace cardiowarp {
namespace {

constexpr Index multiprocessors = 132;
constexpr double resident_warps = 64, l2_bytes = 60e6;
constexpr Index block_in_l2 = 512, small_block_in_l2 = 256, block_beyond_l2 = 128;
constexpr Index slices_a_block = block_in_l2 / warp_lanes;

/// What a multiprocessor does at one place of its slices. A warp has one slice, of which it loads 4 entries a lane at
/// once, a batch.
struct Level {
  double batches = 0;
  double gathers = 0;  ///< of x, where rows that come one after the other in the matrix too share theirs

  Level& operator+=(const Level& other) {
    batches += other.batches, gathers += other.gathers;
    return *this;
  }
};
using Levels = std::vector<Level>;

Index batches_a_lane(const EllWarpShape& shape, Index slice) {
  const std::int64_t entries = (shape.slice_begin[slice + 1] - shape.slice_begin[slice]) / warp_lanes;
  return static_cast<Index>((entries + 3) / 4);
}

Index longest_lane(const EllWarpShape& shape) {
  Index longest = 0;
  for (Index slice = 0; slice < shape.slices(); ++slice) longest = std::max(longest, batches_a_lane(shape, slice));
  return longest;
}

/// [multiprocessors] Of blocks of `block_in_l2` threads, dealt in rounds. Which multiprocessor gets which block of a
/// later round is not known: an arbitrary new order in each is nearer to the measured times than that of the first
/// again.
std::vector<Levels> levels_of(const EllWarpShape& shape) {
  constexpr Index slices_a_round = slices_a_block * multiprocessors;
  std::vector<Levels> levels(multiprocessors);
  Index stride = 1;
  for (Index slice = 0; slice < shape.slices(); ++slice) {
    if (slice > 0 && slice % slices_a_round == 0) stride = stride * 5 % multiprocessors;
    Index runs = 1;
    for (Index position = shape.slice_row[slice] + 1; position < shape.slice_row[slice + 1]; ++position)
      runs += shape.row[position] != shape.row[position - 1] + 1;
    const Level level{1, static_cast<double>(runs * shape.slice_lanes[slice])};
    const auto batches = static_cast<std::size_t>(batches_a_lane(shape, slice));
    Levels& mine = levels[slice / slices_a_block % multiprocessors * stride % multiprocessors];
    if (mine.size() < batches) mine.resize(batches);
    for (std::size_t k = 0; k < batches; ++k) mine[k] += level;
  }
  return levels;
}

/// Warps go from level to level together. Each level takes the latency of a load, however few they are, or as long as
/// its batches take to issue and gather; of more warps than fit at once only the last, the part `resident`, are so few.
double microseconds(const Levels& levels, double resident) {
  double sum = 0;
  for (const Level& level : levels) {
    const double throughput = std::hypot(0.012 * level.batches, 0.001 * level.gathers);
    sum += std::max(0.5, resident * throughput) + (1 - resident) * throughput;
  }
  return sum;
}

/// Mean of the largest twentieth: one multiprocessor that is busier than all others delays little.
double mean_of_largest(std::vector<double> values) {
  const auto end = values.begin() + values.size() / 20 + 1;
  std::partial_sort(values.begin(), end, values.end(), std::greater<>());
  return std::accumulate(values.begin(), end, 0.0) / static_cast<double>(end - values.begin());
}

/// Warps of a multiprocessor, of which `resident_warps` fit at once.
double warps_each(const EllWarpShape& shape) { return static_cast<double>(shape.slices()) / multiprocessors; }

/// In microseconds, less what every choice takes: what all multiprocessors together issue and gather, of which a block
/// loads the less from L2 the more entries it has; what the busiest take longer, and the longest lane; a last wave that
/// is not full; and for both, longer latencies where not all of the matrix stays in L2.
double cost_in_l2(const EllWarpShape& shape, bool k1) {
  const double warps = warps_each(shape), waves = warps / resident_warps, resident = std::min(1.0, 1 / waves);
  Level mean;
  std::vector<double> batches, time;
  for (const Levels& levels : levels_of(shape)) {
    const Level sum =
        std::accumulate(levels.begin(), levels.end(), Level{}, [](Level a, const Level& b) { return a += b; });
    mean.batches += sum.batches / multiprocessors, mean.gathers += sum.gathers / multiprocessors;
    batches.push_back(sum.batches), time.push_back(microseconds(levels, resident));
  }
  const double batches_a_warp = mean.batches / warps, longest = longest_lane(shape);
  const double idle = waves > 1 ? (std::ceil(waves) - waves) * batches_a_warp : 0;
  const double megabytes = 1e-6 * (12.0 * static_cast<double>(shape.stored_entries()) + 16.0 * shape.rows());
  return 0.018 * mean.batches + 0.0004 * mean.gathers / (1 + batches_a_warp / 4.5) + (k1 ? 0 : 0.0065) * warps +
         0.29 * mean_of_largest(time) + 0.0065 * resident * (mean_of_largest(batches) - mean.batches) +
         0.14 * (longest - batches_a_warp) + 0.25 * idle + 0.018 * std::max(0.0, megabytes - 38) * (longest + idle);
}

/// In the time of a batch. The memory takes as long for every choice; the longest lane and a second wave of warps do
/// not.
double cost_beyond_l2(const EllWarpShape& shape) {
  const double warps = warps_each(shape);
  return longest_lane(shape) + 0.02 * warps + (warps > resident_warps ? 5 : 0);
}

/// Small ones where fewer than half of the multiprocessors would have a whole block, or a second one.
int block_size_in_l2(const EllWarpShape& shape) {
  const Index blocks = shape.slices() / slices_a_block, last_round = blocks % multiprocessors;
  const bool small = blocks < 2 * multiprocessors && last_round > 0 && last_round < multiprocessors / 2;
  return small ? small_block_in_l2 : block_in_l2;
}

}  // namespace

EllWarpChoice choose_ell_warp(std::span<const Index> row_length, Index window) {
  EllWarpChoice best{
      {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window},
      block_beyond_l2};
  const auto entries = std::accumulate(row_length.begin(), row_length.end(), std::int64_t{0});
  if (entries == 0) return best;
  const bool in_l2 = 12.0 * static_cast<double>(entries) <= l2_bytes;
  double least = std::numeric_limits<double>::max();
  for (const Index threshold : {0, 4, 8, 12, 16, 24, 32, 48, 64}) {
    EllWarpOptions options = best.options;
    options.variant = threshold == 0 ? EllWarpVariant::k1 : EllWarpVariant::k2;
    options.threshold = threshold == 0 ? EllWarpOptions{}.threshold : threshold;
    const EllWarpShape shape = ell_warp_shape(row_length, options);
    const double cost = in_l2 ? cost_in_l2(shape, threshold == 0) : cost_beyond_l2(shape);
    if (cost < least) least = cost, best = {options, in_l2 ? block_size_in_l2(shape) : block_beyond_l2};
  }
  return best;
}

}  // namespace cardiowarp
