#include "app/bench/bandwidth_order.hpp"

#include <algorithm>
#include <numeric>

namespace cardiowarp {
namespace {

class BreadthFirst {
 public:
  explicit BreadthFirst(const CsrPattern& matrix) : matrix_(matrix), visit_of_(matrix.rows(), 0) {}

  /// Appends all rows that can be reached from `root` to `order`, level by level, and returns how many levels there are
  /// and where in `order` the last begins. Rows of a piece that was gone through before are taken again.
  struct Levels {
    Index count;
    std::size_t last_begin;
  };
  Levels visit(Index root, std::vector<Index>& order) {
    ++visit_;
    std::size_t level_begin = order.size();
    order.push_back(root);
    visit_of_[root] = visit_;
    for (Levels levels{1, level_begin};; ++levels.count, levels.last_begin = level_begin) {
      const std::size_t level_end = order.size();
      for (std::size_t i = level_begin; i < level_end; ++i) append_neighbors(order[i], order);
      if (order.size() == level_end) return levels;
      level_begin = level_end;
    }
  }

  Index length(Index row) const { return matrix_.row_begin[row + 1] - matrix_.row_begin[row]; }

  bool is_shorter(Index a, Index b) const { return length(a) != length(b) ? length(a) < length(b) : a < b; }

 private:
  void append_neighbors(Index row, std::vector<Index>& order) {
    const auto begin = static_cast<std::ptrdiff_t>(order.size());
    for (Index e = matrix_.row_begin[row]; e < matrix_.row_begin[row + 1]; ++e) {
      const Index neighbor = matrix_.column[e];
      if (visit_of_[neighbor] == visit_) continue;
      visit_of_[neighbor] = visit_;
      order.push_back(neighbor);
    }
    std::sort(order.begin() + begin, order.end(), [this](Index a, Index b) { return is_shorter(a, b); });
  }

  CsrPattern matrix_;
  std::vector<Index> visit_of_;  ///< [rows] the last visit that reached each row
  Index visit_ = 0;
};

}  // namespace

std::vector<Index> reverse_cuthill_mckee(const CsrPattern& matrix) {
  BreadthFirst search(matrix);
  std::vector<Index> order, piece;
  std::vector<bool> is_numbered(matrix.rows(), false);
  for (Index first = 0; first < matrix.rows(); ++first) {
    if (is_numbered[first]) continue;
    Index root = first, levels = 0;
    for (;;) {  // to the far end of the piece, as long as that is farther
      piece.clear();
      const auto found = search.visit(root, piece);
      if (found.count <= levels) break;
      levels = found.count;
      root = *std::min_element(piece.begin() + static_cast<std::ptrdiff_t>(found.last_begin), piece.end(),
                               [&](Index a, Index b) { return search.is_shorter(a, b); });
    }
    for (const Index row : piece) is_numbered[row] = true;
    order.insert(order.end(), piece.begin(), piece.end());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace cardiowarp
