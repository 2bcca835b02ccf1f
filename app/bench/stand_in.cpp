#include "app/bench/stand_in.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>

namespace cardiowarp {
namespace {

/// Uniform numbers that do not depend on the standard library, as its distributions do.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  Real uniform() { return static_cast<Real>(bits_() >> 11U) * 0x1p-53; }  ///< in [0, 1)

  /// Mean 0, variance 1, within ±6: the sum of twelve uniform numbers.
  Real normal() {
    Real sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::mt19937_64 bits_;
};

Index node_count(const MatrixClass& c) { return (c.rows + c.node_rows - 1) / c.node_rows; }

/// [nodes] excess of a node's rows over the shortest row, in the unit that makes the sum of the lengths right.
std::vector<Real> random_excess(const MatrixClass& c, Random& random) {
  constexpr Real least = 0.01;  // above 0, so that every row grows with the unit
  std::vector<Real> excess(static_cast<std::size_t>(node_count(c)));
  for (Real& e : excess)
    e = std::max(least, c.law == LengthLaw::bell ? 1 + c.spread * random.normal()
                                                 : std::pow(1 - random.uniform(), -c.spread) - 1);
  return excess;
}

std::int64_t sum(const std::vector<Index>& length) {
  return std::accumulate(length.begin(), length.end(), std::int64_t{0});
}

/// [rows] with the sum, the least and the greatest length of the class.
std::vector<Index> random_lengths(const MatrixClass& c, Random& random) {
  const std::vector<Real> excess = random_excess(c, random);
  std::vector<Index> length(static_cast<std::size_t>(c.rows));
  const auto measure = [&](Real unit) {
    for (Index row = 0; row < c.rows; ++row)
      length[row] = static_cast<Index>(
          std::min<Real>(c.longest, std::floor(c.shortest + unit * excess[row / c.node_rows] + 0.5)));
  };
  // The sum grows with the unit: bisection.
  Real low = 0, high = 100.0 * (c.longest - c.shortest + 1);
  while (high - low > 1e-9 * high) {
    const Real middle = (low + high) / 2;
    measure(middle);
    (sum(length) < c.entries ? low : high) = middle;
  }
  const auto [least, greatest] = std::minmax_element(excess.begin(), excess.end());
  const Index shortest_row = static_cast<Index>(least - excess.begin()) * c.node_rows;
  const Index longest_row = std::min((static_cast<Index>(greatest - excess.begin()) + 1) * c.node_rows, c.rows) - 1;
  length[shortest_row] = c.shortest;
  length[longest_row] = c.longest;
  for (std::int64_t missing = c.entries - sum(length); missing != 0;)
    for (Index row = 0; row < c.rows && missing != 0; ++row) {
      const Index changed = length[row] + (missing > 0 ? 1 : -1);
      if (row == shortest_row || row == longest_row || changed < c.shortest || changed > c.longest) continue;
      length[row] = changed;
      missing += missing > 0 ? -1 : 1;
    }
  return length;
}

/// Differences of number between a node and its neighbors on a lattice of `nodes`, the nearest first; `count` at
/// least.
std::vector<std::int64_t> lattice_offsets(Index nodes, int dimensions, std::int64_t count) {
  const auto power = [&](std::int64_t base) {
    std::int64_t result = 1;
    for (int d = 0; d < dimensions; ++d) result *= base;
    return result;
  };
  std::int64_t side = 1, radius = 0;
  while (power(side) < nodes) ++side;
  while (power(2 * radius + 1) < count) ++radius;

  std::vector<std::pair<std::int64_t, std::int64_t>> neighbors;  // squared distance, offset
  for (std::int64_t i = 0; i < power(2 * radius + 1); ++i) {
    std::int64_t squared_distance = 0, offset = 0, digits = i, stride = 1;
    for (int d = 0; d < dimensions; ++d, digits /= 2 * radius + 1, stride *= side) {
      const std::int64_t step = digits % (2 * radius + 1) - radius;
      squared_distance += step * step;
      offset += step * stride;
    }
    neighbors.emplace_back(squared_distance, offset);
  }
  std::sort(neighbors.begin(), neighbors.end());
  std::vector<std::int64_t> offsets;
  for (const auto& neighbor : neighbors) offsets.push_back(neighbor.second);
  return offsets;
}

/// Draws the nodes whose columns a node's rows have.
class NodeColumns {
 public:
  NodeColumns(const MatrixClass& c, Random& random)
      : class_(c),
        random_(random),
        nodes_(node_count(c)),
        offsets_(lattice_offsets(nodes_, c.dimensions, near_candidates(c.longest / c.node_rows + 1))),
        last_taken_by_(static_cast<std::size_t>(nodes_), -1) {}

  /// Ascending, with `wanted` columns together, of the last node perhaps more.
  const std::vector<Index>& draw(Index node, Index wanted) {
    taken_.clear();
    columns_ = 0;
    const Index count = (wanted + class_.node_rows - 1) / class_.node_rows;
    const auto far = static_cast<Index>(class_.far_columns * count + random_.uniform());
    for (Index i = 0; i < far && columns_ < wanted; ++i) {
      const Real u = random_.uniform();
      take(static_cast<Index>(u * u * u * nodes_), node);
    }
    take_near(node, count - static_cast<Index>(taken_.size()), wanted);
    // A node that came up twice, at the far end or at the edge of the lattice, leaves a gap to fill.
    for (Index k = 0; columns_ < wanted; ++k) take((node + k) % nodes_, node);
    std::sort(taken_.begin(), taken_.end());
    return taken_;
  }

 private:
  std::int64_t near_candidates(Index count) const {
    return static_cast<std::int64_t>(std::ceil((1 + class_.irregularity) * count));
  }

  /// `count` of the nearest candidates, each choice equally likely, the node itself among them.
  void take_near(Index node, Index count, Index wanted) {
    const std::int64_t candidates = near_candidates(count);
    for (std::int64_t i = 0; count > 0 && columns_ < wanted; ++i) {
      if (i > 0 && random_.uniform() * static_cast<Real>(candidates - i) >= count) continue;
      const std::int64_t neighbor = (node + offsets_[i]) % nodes_;
      take(static_cast<Index>(neighbor < 0 ? neighbor + nodes_ : neighbor), node);
      --count;
    }
  }

  void take(Index node, Index by) {
    if (last_taken_by_[node] == by) return;
    last_taken_by_[node] = by;
    taken_.push_back(node);
    columns_ += std::min(class_.node_rows, class_.rows - node * class_.node_rows);
  }

  const MatrixClass& class_;
  Random& random_;
  Index nodes_;
  std::vector<std::int64_t> offsets_;
  std::vector<Index> last_taken_by_;  ///< [nodes]
  std::vector<Index> taken_;
  Index columns_ = 0;
};

}  // namespace

MatrixClass variation(const MatrixClass& original, std::uint64_t seed) {
  Random random(seed ^ static_cast<std::uint64_t>(original.entries));  // so that classes vary apart
  const auto between = [&](Real low, Real high) { return low + (high - low) * random.uniform(); };
  const Real rows_factor = between(0.2, 1.5), mean_factor = between(0.6, 1.6), longest_factor = between(0.5, 2);
  const Real mean = mean_factor * static_cast<Real>(original.entries) / original.rows;

  MatrixClass c = original;
  c.name += ':' + std::to_string(seed);
  c.rows = static_cast<Index>(rows_factor * original.rows);
  if (original.shortest == original.longest)
    c.shortest = c.longest = static_cast<Index>(std::lround(mean));
  else
    c.longest = std::max(static_cast<Index>(longest_factor * original.longest), static_cast<Index>(std::ceil(mean)));
  c.longest = std::min(c.longest, c.rows);
  // One row has the shortest length and one the longest.
  const std::int64_t range = c.longest - c.shortest, rows = c.rows;
  c.entries = std::clamp(static_cast<std::int64_t>(mean * c.rows), rows * c.shortest + range, rows * c.longest - range);
  return c;
}

std::vector<Index> stand_in_lengths(const MatrixClass& matrix_class, std::uint64_t seed) {
  Random random(seed);
  return random_lengths(matrix_class, random);
}

BenchMatrix stand_in(const MatrixClass& matrix_class, std::uint64_t seed) {
  const MatrixClass& c = matrix_class;
  assert(c.rows > 1 && c.shortest <= c.longest && c.longest <= c.rows);
  assert(c.entries >= std::int64_t{c.rows} * c.shortest + (c.longest - c.shortest));
  assert(c.entries <= std::int64_t{c.rows} * c.longest - (c.longest - c.shortest));
  Random random(seed);
  const std::vector<Index> length = random_lengths(c, random);
  NodeColumns node_columns(c, random);

  BenchMatrix A{c.name, {0}, {}, {}};
  A.row_begin.reserve(static_cast<std::size_t>(c.rows) + 1);
  A.column.reserve(static_cast<std::size_t>(c.entries));
  A.value.reserve(static_cast<std::size_t>(c.entries));
  for (Index node = 0; node < node_count(c); ++node) {
    const Index first_row = node * c.node_rows, last_row = std::min(first_row + c.node_rows, c.rows);
    const auto lengths = std::span(length).subspan(first_row, last_row - first_row);
    const std::vector<Index>& taken = node_columns.draw(node, *std::max_element(lengths.begin(), lengths.end()));
    for (Index row = first_row; row < last_row; ++row) {
      for (Index k = 0; k < length[row]; ++k) {
        A.column.push_back(taken[k / c.node_rows] * c.node_rows + k % c.node_rows);
        A.value.push_back(value_at(row, A.column.back()));
      }
      A.row_begin.push_back(static_cast<Index>(A.column.size()));
    }
  }
  return A;
}

}  // namespace cardiowarp
