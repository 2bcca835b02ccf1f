#include "assembly/node_order.hpp"

#include <algorithm>
#include <span>

namespace cardiowarp {
namespace {

/// Breadth-first search that appends to `order`; neighbours of one node by ascending degree.
class CuthillMcKee {
 public:
  explicit CuthillMcKee(const Sparsity& sparsity) : sparsity_(sparsity), visited_(sparsity.rows(), 0) {}

  /// Appends the part of `start`; the last node appended is among the farthest from it.
  void append_part(Index start, std::vector<Index>& order) {
    ++search_;
    std::size_t next = order.size();
    visit(start, order);
    while (next < order.size()) {
      const std::size_t first_neighbour = order.size();
      for (const Index neighbour : row(order[next++]))
        if (visited_[neighbour] != search_) visit(neighbour, order);
      std::sort(order.begin() + static_cast<std::ptrdiff_t>(first_neighbour), order.end(),
                [&](Index a, Index b) { return degree(a) != degree(b) ? degree(a) < degree(b) : a < b; });
    }
  }

  bool visited(Index node) const { return visited_[node] > 0; }

 private:
  std::span<const Index> row(Index node) const {
    return {sparsity_.column.data() + sparsity_.row_begin[node], static_cast<std::size_t>(degree(node))};
  }
  Index degree(Index node) const { return sparsity_.row_begin[node + 1] - sparsity_.row_begin[node]; }
  void visit(Index node, std::vector<Index>& order) {
    visited_[node] = search_;
    order.push_back(node);
  }

  const Sparsity& sparsity_;
  std::vector<Index> visited_;  ///< number of the last search that came here
  Index search_ = 0;
};

}  // namespace

std::vector<Index> locality_order(const Sparsity& sparsity) {
  std::vector<Index> order;
  order.reserve(sparsity.rows());
  CuthillMcKee search(sparsity);
  for (Index node = 0; node < sparsity.rows(); ++node) {
    if (search.visited(node)) continue;
    const std::size_t part = order.size();
    search.append_part(node, order);
    const Index far_out = order.back();  // a better start: fewer nodes at each distance
    order.resize(part);
    search.append_part(far_out, order);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace cardiowarp
