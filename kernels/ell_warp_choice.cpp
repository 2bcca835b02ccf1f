#include "kernels/ell_warp_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace cardiowarp {
namespace {

constexpr int multiprocessors = 132;
constexpr double resident_warps = 64, l2_bytes = 60e6;

/// What a multiprocessor has to do. A warp has one slice, of which it loads 4 entries a lane at once, a batch.
struct Work {
  double warps = 0, batches = 0;
  double gathers = 0;  ///< of x, where rows that come one after the other in the matrix too share theirs

  Work& operator+=(const Work& other) {
    warps += other.warps, batches += other.batches, gathers += other.gathers;
    return *this;
  }
};

/// The slices of a layout.
struct Slices {
  std::vector<Work> work = {};
  std::vector<double> active = {};  ///< [batches of the longest lane] slices that have so many, a multiprocessor
  Work mean = {};                   ///< of a multiprocessor
  double megabytes = 0;             ///< columns and values with padding, two vectors
  double entries = 0;
};

Slices slices_of(const EllWarpShape& shape) {
  Slices slices{.megabytes = 1e-6 * (12.0 * static_cast<double>(shape.stored_entries()) + 16.0 * shape.rows()),
                .entries = static_cast<double>(shape.entries)};
  slices.work.reserve(shape.slices());
  for (Index slice = 0; slice < shape.slices(); ++slice) {
    const std::int64_t entries = (shape.slice_begin[slice + 1] - shape.slice_begin[slice]) / warp_lanes;
    const std::size_t batches = (entries + 3) / 4;
    std::int64_t runs = 1;
    for (Index position = shape.slice_row[slice] + 1; position < shape.slice_row[slice + 1]; ++position)
      runs += shape.row[position] != shape.row[position - 1] + 1;
    slices.work.push_back(
        {1, static_cast<double>(batches), static_cast<double>(entries * shape.slice_lanes[slice] * runs)});
    slices.mean += slices.work.back();
    slices.active.resize(std::max(slices.active.size(), batches));
    for (std::size_t k = 0; k < batches; ++k) slices.active[k] += 1.0 / multiprocessors;
  }
  for (double* sum : {&slices.mean.warps, &slices.mean.batches, &slices.mean.gathers}) *sum /= multiprocessors;
  return slices;
}

/// What `throughput` leaves out: warps that are still active when most have ended take a latency a batch, however few
/// they are. Of more warps than fit at once only the last are so few.
double waiting(const Slices& slices, double throughput, double latency) {
  const double resident = std::min(1.0, resident_warps / slices.mean.warps);
  double sum = 0;
  for (const double active : slices.active)
    sum += std::max(0.0, latency - throughput * resident * active / slices.mean.batches);
  return sum;
}

/// In microseconds, less what every choice takes. A multiprocessor issues batches, gathers x, of which a block loads
/// the less from L2 the more entries it has, and takes its share of the memory, which is slower from 40 MB on. Blocks
/// go round the multiprocessors, so that those with the long slices of each window are busier.
double cost_in_l2(const Slices& slices, bool k1, int block_size) {
  const double beyond_l2 = std::max(0.0, slices.megabytes - 39.6);
  const double memory = 0.020 * slices.megabytes + 0.55 * beyond_l2, latency = 0.41 + 0.0565 * beyond_l2;
  const std::size_t slices_a_block = block_size / warp_lanes;
  const double blocks = std::ceil(static_cast<double>(slices.work.size()) / static_cast<double>(slices_a_block));
  const auto busy = [&](const Work& work) {
    const double issue = 0.0191 * (work.batches + (k1 ? 0 : 0.38) * work.warps);
    const double gather = 0.00048 * work.gathers / (1 + slices.entries / blocks / 6800);
    return std::hypot(issue, gather, memory);
  };

  std::array<Work, multiprocessors> work{};
  for (std::size_t slice = 0; slice < slices.work.size(); ++slice)
    work[slice / slices_a_block % multiprocessors] += slices.work[slice];
  double busiest = 0;
  for (const Work& w : work) busiest = std::max(busiest, busy(w));
  const double mean = busy(slices.mean), resident = std::min(1.0, resident_warps / slices.mean.warps);
  const double throughput = mean + 0.39 * resident * (busiest - mean);
  const double blocks_each = blocks / multiprocessors;
  return throughput + waiting(slices, throughput, latency) + 0.058 * blocks_each +
         0.13 * mean * (std::ceil(blocks_each) / blocks_each - 1);
}

/// In a similar unit. Bound by memory, and a load takes longer; more warps than fit at once cost a second wave, which
/// shows up to 90 MB.
double cost_beyond_l2(const Slices& slices) {
  const double throughput = std::hypot(0.2 * slices.megabytes, 0.0104 * slices.mean.batches);
  const double second_wave = slices.mean.warps > resident_warps && slices.megabytes < 90 ? 1.9 : 0;
  return throughput + waiting(slices, throughput, 1.5) + second_wave;
}

}  // namespace

EllWarpChoice choose_ell_warp(std::span<const Index> row_length, Index window) {
  EllWarpChoice best{
      {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window},
      128};
  const auto entries = std::accumulate(row_length.begin(), row_length.end(), std::int64_t{0});
  if (entries == 0) return best;
  const bool in_l2 = 12.0 * static_cast<double>(entries) <= l2_bytes;
  double least = std::numeric_limits<double>::max();
  for (const Index threshold : {0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96}) {
    EllWarpOptions options = best.options;
    options.variant = threshold == 0 ? EllWarpVariant::k1 : EllWarpVariant::k2;
    options.threshold = threshold == 0 ? EllWarpOptions{}.threshold : threshold;
    const Slices slices = slices_of(ell_warp_shape(row_length, options));
    for (const int block_size : {512, 256, 128, 64}) {
      if (!in_l2 && block_size != 128) continue;
      const double cost = in_l2 ? cost_in_l2(slices, threshold == 0, block_size) : cost_beyond_l2(slices);
      if (cost < least) least = cost, best = {options, block_size};
    }
  }
  return best;
}

}  // namespace cardiowarp
