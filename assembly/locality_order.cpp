#include "assembly/locality_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr int levels = 21;  // 3 × 21 bits fit into 64
using Cell = std::array<std::uint32_t, 3>;

/// Place of a cell on the three-dimensional Hilbert curve through a grid of 2^levels cells a side (J. Skilling,
/// "Programming the Hilbert curve", AIP Conf. Proc. 707, 2004).
std::uint64_t hilbert_index(Cell cell) {
  // From the coarsest level down: what the curve rotates and reflects inside a cell is undone in the levels below.
  for (std::uint32_t level = 1u << (levels - 1); level > 1; level >>= 1) {
    const std::uint32_t below = level - 1;
    for (std::uint32_t& coordinate : cell) {
      if (coordinate & level) {
        cell[0] ^= below;
      } else {
        const std::uint32_t exchange = (cell[0] ^ coordinate) & below;
        cell[0] ^= exchange;
        coordinate ^= exchange;
      }
    }
  }
  // Gray code
  cell[1] ^= cell[0];
  cell[2] ^= cell[1];
  std::uint32_t flip = 0;
  for (std::uint32_t level = 1u << (levels - 1); level > 1; level >>= 1)
    if (cell[2] & level) flip ^= level - 1;
  std::uint64_t index = 0;
  for (int bit = levels - 1; bit >= 0; --bit)
    for (const std::uint32_t coordinate : cell) index = index << 1 | ((coordinate ^ flip) >> bit & 1u);
  return index;
}

/// A grid of cubes over the box of the points.
class Grid {
 public:
  explicit Grid(const std::vector<Vector3>& points) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    Vector3 high{-infinity, -infinity, -infinity};
    low_ = {infinity, infinity, infinity};
    for (const Vector3& p : points) {
      low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y), std::min(low_.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const Real side = std::max({high.x - low_.x, high.y - low_.y, high.z - low_.z});
    cells_a_length_ = side > 0 ? ((1u << levels) - 1) / side : 0;
  }
  Cell cell(Vector3 point) const {
    const Vector3 place = cells_a_length_ * (point - low_);
    return {static_cast<std::uint32_t>(place.x), static_cast<std::uint32_t>(place.y),
            static_cast<std::uint32_t>(place.z)};
  }

 private:
  Vector3 low_;
  Real cells_a_length_;
};

}  // namespace

std::vector<Index> locality_order(const std::vector<Vector3>& points) {
  const Grid grid(points);
  std::vector<std::pair<std::uint64_t, Index>> place(points.size());
  parallel_for(points.size(), [&](std::size_t i) {
    place[i] = {hilbert_index(grid.cell(points[i])), static_cast<Index>(i)};
  });
  std::sort(place.begin(), place.end());
  std::vector<Index> order;
  order.reserve(points.size());
  for (const auto& [index, point] : place) order.push_back(point);
  return order;
}

}  // namespace cardiowarp
