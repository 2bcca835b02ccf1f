#include "kernels/sparse/ell_warp_choice.hpp"
#include "kernels/sparse/warp_lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace cardiowarp {
namespace {

/// The GPU as the model sees it. Sizes at which its L2 cache no longer keeps everything were seen on an H200, whose
/// cache has 60 MiB; those of other caches are taken to be as many times larger or smaller.
struct Machine {
  explicit Machine(const Device& device)
      : multiprocessors(device.multiprocessors),
        resident_warps(device.resident_warps),
        cache(static_cast<double>(device.l2_bytes) / static_cast<double>(nvidia_h200().l2_bytes)) {}
  Index multiprocessors, resident_warps;
  double cache;  ///< size of the L2 cache, in those of an H200
};

constexpr std::array<Index, 12> thresholds{0, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96};  ///< 0: K1
constexpr std::array<int, 4> block_sizes{64, 128, 256, 512};
constexpr int block_beyond_l2 = 128;

/// A lane fetches 4 entries at once, a batch.
Index batches_a_lane(const EllWarpShape& shape, Index slice) {
  const std::int64_t entries = (shape.slice_begin[slice + 1] - shape.slice_begin[slice]) / warp_lanes;
  return static_cast<Index>((entries + 3) / 4);
}

Index longest_lane(const EllWarpShape& shape) {
  Index longest = 0;
  for (Index slice = 0; slice < shape.slices(); ++slice) longest = std::max(longest, batches_a_lane(shape, slice));
  return longest;
}

/// Warps of a multiprocessor, of which `resident_warps` fit at once.
double warps_each(const Machine& machine, const EllWarpShape& shape) {
  return static_cast<double>(shape.slices()) / machine.multiprocessors;
}

/// The work of a warp. Rows that follow each other in the matrix, too, share what they gather.
struct Warp {
  Index batches = 0;
  double gathers = 0;  ///< of x for an entry a lane
  double sectors = 0;  ///< of 4 numbers of x, of all its entries
};

std::vector<Warp> warps_of(const EllWarpShape& shape, std::span<const Index> row_length) {
  std::vector<Warp> warps;
  for (Index slice = 0; slice < shape.slices(); ++slice) {
    const Index begin = shape.slice_row[slice], end = shape.slice_row[slice + 1];
    Index runs = 0, sectors = 0;
    std::int64_t entries = 0;
    for (Index first = begin, last = begin; first < end; first = last) {
      for (; last < end && shape.row[last] == shape.row[first] + last - first; ++last)
        entries += row_length[shape.row[last]];
      ++runs, sectors += (last - first + 3) / 4;
    }
    const double mean_length = static_cast<double>(entries) / (end - begin);
    warps.push_back(
        {batches_a_lane(shape, slice), static_cast<double>(runs) * shape.slice_lanes[slice], mean_length * sectors});
  }
  return warps;
}

/// [blocks] The multiprocessor of each block. All have their places filled in rounds; each further block gets the place
/// that is free first, where a block's longest warp has ended. Which multiprocessor gets which block of a later round
/// is not known: an arbitrary new order in each is nearer to the measured times than that of the first again.
std::vector<Index> multiprocessors_of_blocks(const Machine& machine, const std::vector<Warp>& warps,
                                             Index warps_a_block) {
  const auto [multiprocessors, resident_warps, cache] = machine;
  std::vector<Index> of_place;
  Index stride = 1;
  for (Index round = 0; round < resident_warps / warps_a_block; ++round, stride = stride * 5 % multiprocessors)
    for (Index i = 0; i < multiprocessors; ++i) of_place.push_back(i * stride % multiprocessors);
  using Place = std::pair<std::int64_t, Index>;  // when it is free, in batches, and its number
  std::priority_queue<Place, std::vector<Place>, std::greater<>> places;
  for (Index place = 0; place < static_cast<Index>(of_place.size()); ++place) places.emplace(0, place);

  std::vector<Index> of_block;
  for (auto first = warps.begin(); first != warps.end();) {
    const auto end = first + std::min<std::ptrdiff_t>(warps_a_block, warps.end() - first);
    const auto by_batches = [](const Warp& a, const Warp& b) { return a.batches < b.batches; };
    const auto [free, place] = places.top();
    places.pop();
    places.emplace(free + 1 + std::max_element(first, end, by_batches)->batches, place);
    of_block.push_back(of_place[place]);
    first = end;
  }
  return of_block;
}

/// Mean of the largest twentieth: one multiprocessor that is busier than all others delays little.
double mean_of_largest(std::vector<double> values) {
  const auto end = values.begin() + values.size() / 20 + 1;
  std::partial_sort(values.begin(), end, values.end(), std::greater<>());
  return std::accumulate(values.begin(), end, 0.0) / static_cast<double>(end - values.begin());
}

/// Microseconds of the busiest multiprocessors. Their warps go from batch to batch together. A batch takes the latency
/// of a fetch, however few the warps are, or the time in which all of them issue and gather, whichever is longer. Where
/// there are more warps than fit at once, only the last ones, the share `resident`, can be so few.
double busiest_microseconds(const Machine& machine, const std::vector<Warp>& warps, Index warps_a_block,
                            double resident) {
  struct Level {
    double warps = 0, gathers = 0;
  };
  std::vector<std::vector<Level>> levels(machine.multiprocessors);
  const std::vector<Index> of_block = multiprocessors_of_blocks(machine, warps, warps_a_block);
  for (std::size_t i = 0; i < warps.size(); ++i) {
    std::vector<Level>& mine = levels[of_block[i / warps_a_block]];
    const auto batches = static_cast<std::size_t>(warps[i].batches);
    if (mine.size() < batches) mine.resize(batches);
    for (std::size_t k = 0; k < batches; ++k) mine[k].warps += 1, mine[k].gathers += warps[i].gathers;
  }
  std::vector<double> microseconds(machine.multiprocessors);
  for (Index i = 0; i < machine.multiprocessors; ++i)
    for (const Level& level : levels[i]) {
      const double throughput = std::hypot(0.012 * level.warps, 0.0005 * level.gathers);
      microseconds[i] += std::max(0.325, resident * throughput) + (1 - resident) * throughput;
    }
  return mean_of_largest(microseconds);
}

/// A block fetches a sector of x once, however often its warps gather from it. 32 neighboring rows reach 6 times as
/// many columns, 48 sectors, among which the block's gathers are spread at random.
double sectors_from_l2(const EllWarpShape& shape, const std::vector<Warp>& warps, Index warps_a_block) {
  std::vector<Index> last_block(shape.rows() / 32 + 1, -1);
  double sum = 0;
  for (Index first = 0, block = 0; first < shape.slices(); first += warps_a_block, ++block) {
    const Index end = std::min(first + warps_a_block, shape.slices());
    double gathered = 0, reached = 0;
    for (Index slice = first; slice < end; ++slice) gathered += warps[slice].sectors;
    for (Index position = shape.slice_row[first]; position < shape.slice_row[end]; ++position)
      if (std::exchange(last_block[shape.row[position] / 32], block) != block) reached += 48;
    sum += reached * (1 - std::exp(-gathered / reached));
  }
  return sum;
}

/// The terms for a matrix that the L2 cache holds. Their sum is in microseconds.
std::vector<CostTerm> terms_in_l2(const Machine& machine, const EllWarpShape& shape, const std::vector<Warp>& warps,
                                  bool k1, int block_size) {
  const Index warps_a_block = block_size / warp_lanes;
  const double each = warps_each(machine, shape), resident = std::min(1.0, machine.resident_warps / each);
  const double entries = static_cast<double>(shape.stored_entries());
  const double megabytes = 1e-6 * (12 * entries + 16.0 * shape.rows());
  const double sectors =
      std::accumulate(warps.begin(), warps.end(), 0.0, [](double sum, const Warp& warp) { return sum + warp.sectors; });
  return {
      // microseconds of the busiest multiprocessors
      {"busiest", 0.78, busiest_microseconds(machine, warps, warps_a_block, resident)},
      // what a multiprocessor fetches: layers of the matrix, sectors of x from L2, and sectors of x from L1 or L2
      {"layers", 0.0066, entries / warp_lanes / machine.multiprocessors},
      {"l2_sectors", 0.00038, sectors_from_l2(shape, warps, warps_a_block) / machine.multiprocessors},
      {"sectors", 0.000031, sectors / machine.multiprocessors},
      // what a warp of K2 costs more than one of K1: the warps of a multiprocessor, 0 for K1
      {"k2_warps", 0.0048, k1 ? 0 : each},
      // the start of the blocks, of which there are the more the smaller they are
      {"small_blocks", 18.0, 1.0 / block_size},
      // the share of multiprocessors without a block
      {"idle", 0.56, std::max(0.0, 1 - each / warps_a_block)},
      // where not all of the matrix stays in L2, the longer latencies of the longest lane and of a second wave of warps
      {"past_cache", 0.011, std::max(0.0, megabytes - 30 * machine.cache) * longest_lane(shape)},
      {"second_wave", 1.3, megabytes > 34 * machine.cache && each > machine.resident_warps ? 1.0 : 0.0},
  };
}

/// The terms for a matrix that is larger than the L2 cache. What its transfer from memory takes is the same for every
/// choice and left out. Their sum is in times of a batch.
std::vector<CostTerm> terms_beyond_l2(const Machine& machine, const EllWarpShape& shape) {
  const double each = warps_each(machine, shape);
  return {
      {"longest_lane", 1, static_cast<double>(longest_lane(shape))},
      {"warps", 0.017, each},
      {"wave_beyond", 5.5, each > machine.resident_warps ? 1.0 : 0.0},
  };
}

}  // namespace

double EllWarpCost::sum() const {
  return std::accumulate(terms.begin(), terms.end(), 0.0,
                         [](double sum, const CostTerm& term) { return sum + term.weight * term.amount; });
}

std::vector<EllWarpCost> ell_warp_costs(std::span<const Index> row_length, Index window, const Device& device) {
  const auto entries = std::accumulate(row_length.begin(), row_length.end(), std::int64_t{0});
  if (entries == 0) return {};
  const Machine machine(device);
  const bool in_l2 = 12.0 * static_cast<double>(entries) <= 60e6 * machine.cache;
  EllWarpOptions options{.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window};
  const std::vector<Index> order = ell_warp_shape(row_length, options).row;
  std::vector<EllWarpCost> costs;
  for (const Index threshold : thresholds) {
    const bool k1 = threshold == 0;
    options.variant = k1 ? EllWarpVariant::k1 : EllWarpVariant::k2;
    options.threshold = k1 ? EllWarpOptions{}.threshold : threshold;
    const EllWarpShape shape = ell_warp_shape(row_length, order, options);
    if (!in_l2) {
      costs.push_back({{options, block_beyond_l2}, terms_beyond_l2(machine, shape)});
      continue;
    }
    const std::vector<Warp> warps = warps_of(shape, row_length);
    for (const int block_size : block_sizes)
      costs.push_back({{options, block_size}, terms_in_l2(machine, shape, warps, k1, block_size)});
  }
  return costs;
}

EllWarpChoice choose_ell_warp(std::span<const Index> row_length, Index window, const Device& device) {
  const std::vector<EllWarpCost> costs = ell_warp_costs(row_length, window, device);
  const auto least = std::min_element(costs.begin(), costs.end(),
                                      [](const EllWarpCost& a, const EllWarpCost& b) { return a.sum() < b.sum(); });
  if (least != costs.end()) return least->choice;
  return {{.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window}, block_beyond_l2};
}

}  // namespace cardiowarp
