#include "solver/parts/parts_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// Rows that are to move from one part to a neighbor, by the pair of parts.
using Flows = std::map<std::pair<Index, Index>, Index>;

/// Moves rows between the parts of a matrix.
class Equalizer {
 public:
  Equalizer(const CsrPattern& matrix, std::vector<Index>& part, std::span<const Index> length)
      : matrix_(matrix), part_(part), surplus_(length.size()) {
    for (const Index k : part) {
      if (k < 0 || k >= parts())
        throw std::invalid_argument("parts: expected one in [0, " + std::to_string(parts()) + "), got " +
                                    std::to_string(k));
      ++surplus_[k];
    }
    for (Index k = 0; k < parts(); ++k) surplus_[k] -= length[k];
    if (std::accumulate(length.begin(), length.end(), std::int64_t{0}) != std::ssize(part))
      throw std::invalid_argument("parts: expected lengths that add up to " + std::to_string(part.size()) + " rows");
  }

  void run() {
    constexpr int most_rounds = 20;
    for (int round = 0; round < most_rounds && !is_done(); ++round)
      if (move_along(flows()) == 0) break;
    move_anywhere();
  }

 private:
  Index parts() const { return static_cast<Index>(surplus_.size()); }
  bool is_done() const {
    return std::all_of(surplus_.begin(), surplus_.end(), [](Index surplus) { return surplus == 0; });
  }

  template <class Use>
  void for_each_neighbor(Index row, const Use& use) const {
    for (Index e = matrix_.row_begin[row]; e < matrix_.row_begin[row + 1]; ++e)
      if (matrix_.column[e] != row) use(matrix_.column[e]);
  }

  /// The neighbors of each part, ascending.
  std::vector<std::vector<Index>> neighbors() const {
    std::vector<std::vector<Index>> of(parts());
    const std::vector<std::vector<Index>> rows = rows_by_part();
    parallel_for(parts(), [&](Index a) {
      std::vector<bool> seen(parts());
      for (const Index row : rows[a]) for_each_neighbor(row, [&](Index other) { seen[part_[other]] = true; });
      seen[a] = false;
      for (Index b = 0; b < parts(); ++b)
        if (seen[b]) of[a].push_back(b);
    });
    return of;
  }

  std::vector<std::vector<Index>> rows_by_part() const {
    std::vector<std::vector<Index>> rows(parts());
    for (Index row = 0; row < static_cast<Index>(part_.size()); ++row) rows[part_[row]].push_back(row);
    return rows;
  }

  /// From each part that is too long on a shortest way to parts that are too short, until either has none left.
  Flows flows() const {
    const std::vector<std::vector<Index>> neighbor = neighbors();
    std::vector<Index> left = surplus_, before(parts()), queue;
    Flows flows;
    for (Index source = 0; source < parts(); ++source) {
      if (left[source] <= 0) continue;
      before.assign(parts(), -1);
      before[source] = source;
      queue.assign(1, source);
      for (std::size_t head = 0; head < queue.size() && left[source] > 0; ++head)
        for (const Index next : neighbor[queue[head]]) {
          if (before[next] >= 0) continue;
          before[next] = queue[head];
          queue.push_back(next);
          const Index moved = std::min(left[source], std::max<Index>(0, -left[next]));
          if (moved == 0) continue;
          left[source] -= moved;
          left[next] += moved;
          for (Index b = next; b != source; b = before[b]) flows[{before[b], b}] += moved;
        }
    }
    // What goes both ways across a border stays where it is.
    for (auto& [way, rows] : flows) {
      const auto back = flows.find({way.second, way.first});
      if (back == flows.end()) continue;
      const Index both = std::min(rows, back->second);
      rows -= both;
      back->second -= both;
    }
    return flows;
  }

  /// Moves so many rows, or as many as are at the border. Returns their number.
  std::int64_t move_along(const Flows& flows) {
    const std::vector<std::vector<Index>> rows = rows_by_part();
    std::vector<std::tuple<Index, Index>> loss_of_row;
    std::int64_t all = 0;
    for (const auto& [way, wanted] : flows) {
      const Index a = way.first, b = way.second;
      loss_of_row.clear();
      for (const Index row : rows[a]) {
        if (part_[row] != a) continue;
        Index inside = 0, across = 0;
        for_each_neighbor(row, [&](Index other) {
          inside += part_[other] == a ? 1 : 0;
          across += part_[other] == b ? 1 : 0;
        });
        if (across > 0) loss_of_row.emplace_back(inside - across, row);
      }
      const auto moved = std::min<std::ptrdiff_t>(wanted, std::ssize(loss_of_row));
      std::partial_sort(loss_of_row.begin(), loss_of_row.begin() + moved, loss_of_row.end());
      for (std::ptrdiff_t k = 0; k < moved; ++k) part_[std::get<1>(loss_of_row[k])] = b;
      surplus_[a] -= static_cast<Index>(moved);
      surplus_[b] += static_cast<Index>(moved);
      all += moved;
    }
    return all;
  }

  /// Moves the last rows of what is still too long to the first part that is too short.
  void move_anywhere() {
    Index to = 0;
    for (auto row = static_cast<Index>(part_.size()); row-- > 0;) {
      if (surplus_[part_[row]] <= 0) continue;
      while (surplus_[to] >= 0) ++to;
      --surplus_[part_[row]];
      ++surplus_[to];
      part_[row] = to;
    }
  }

  const CsrPattern& matrix_;
  std::vector<Index>& part_;
  std::vector<Index> surplus_;  ///< [parts] rows that a part has too many
};

}  // namespace

std::vector<Index> window_lengths(Index rows, Index window) {
  std::vector<Index> length(rows == 0 ? 0 : (rows - 1) / window + 1, window);
  if (!length.empty()) length.back() = rows - window * static_cast<Index>(length.size() - 1);
  return length;
}

void equalize_parts(const CsrPattern& matrix, std::vector<Index>& part, std::span<const Index> length) {
  Equalizer(matrix, part, length).run();
}

std::vector<Index> order_by_parts(std::span<const Index> part, Index parts) {
  std::vector<std::int64_t> sum(parts), rows(parts), begin(parts);
  for (std::size_t row = 0; row < part.size(); ++row) {
    sum[part[row]] += static_cast<std::int64_t>(row);
    ++rows[part[row]];
  }
  std::vector<Index> sequence(parts);
  std::iota(sequence.begin(), sequence.end(), 0);
  const auto mean = [&](Index k) {
    return static_cast<double>(sum[k]) / static_cast<double>(std::max<std::int64_t>(1, rows[k]));
  };
  if (parts > 1)
    std::stable_sort(sequence.begin(), sequence.end() - 1, [&](Index a, Index b) { return mean(a) < mean(b); });
  std::int64_t first = 0;
  for (const Index k : sequence) {
    begin[k] = first;
    first += rows[k];
  }
  std::vector<Index> order(part.size());
  for (std::size_t row = 0; row < part.size(); ++row) order[begin[part[row]]++] = static_cast<Index>(row);
  return order;
}

}  // namespace cardiowarp
