#include "assembly/locality_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>

#include "kernels/backend/ascending_order.hpp"
#include "kernels/backend/huge_pages.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

constexpr int levels = 21;  // 3 × 21 bits fit into 64
using Cell = std::array<std::uint32_t, 3>;

/// Which bit of a cell's coordinates stands for each of them, and whether it is flipped; whether the bits of the place
/// on the curve are.
struct State {
  std::array<unsigned, 3> from{0, 1, 2};
  std::array<unsigned, 3> flipped{0, 0, 0};
  unsigned place_flipped = 0;

  constexpr unsigned number() const {
    return ((from[0] * 3 + from[1]) << 4) + (flipped[0] << 3 | flipped[1] << 2 | flipped[2] << 1 | place_flipped);
  }
  static constexpr State of(unsigned number) {
    const unsigned first = (number >> 4) / 3, second = (number >> 4) % 3;
    return {
        {first, second, (6 - first - second) % 3}, {number >> 3 & 1u, number >> 2 & 1u, number >> 1 & 1u}, number & 1u};
  }
  constexpr void exchange(unsigned i) {
    const unsigned from_0 = from[0], flipped_0 = flipped[0];
    from[0] = from[i], flipped[0] = flipped[i];
    from[i] = from_0, flipped[i] = flipped_0;
  }
};

/// The three-dimensional Hilbert curve of J. Skilling ("Programming the Hilbert curve", AIP Conf. Proc. 707, 2004)
/// through a grid of 2^levels cells a side. From the coarsest level down, what the curve rotates and reflects inside a
/// cell is undone in the levels below: of that remains a State. A table gives, for each state and the three bits of a
/// level, three bits of the place on the curve and the state of the level below.
class HilbertCurve {
 public:
  constexpr HilbertCurve() {
    for (unsigned state = 0; state < states; ++state)
      for (unsigned bits = 0; bits < 8; ++bits) entry_[8 * state + bits] = entry_of(state, bits);
  }

  std::uint64_t place(const Cell& cell) const {
    const std::uint64_t bits = spread(cell[0]) << 2 | spread(cell[1]) << 1 | spread(cell[2]);
    std::uint64_t place = 0;
    unsigned state = first_state;  // times 8
    for (int level = levels - 1; level >= 0; --level) {
      const unsigned entry = entry_[state | (bits >> 3 * level & 7u)];
      place = place << 3 | (entry & 7u);
      state = entry & ~7u;
    }
    return place;
  }

 private:
  static constexpr unsigned states = 9 * 16;
  static constexpr unsigned first_state = 8 * State{}.number();

  static constexpr std::uint16_t entry_of(unsigned number, unsigned bits) {
    State state = State::of(number);
    std::array<unsigned, 3> bit{};
    for (unsigned i = 0; i < 3; ++i) bit[i] = (bits >> (2 - state.from[i]) & 1u) ^ state.flipped[i];
    for (unsigned i = 0; i < 3; ++i) {
      if (bit[i] != 0)
        state.flipped[0] ^= 1u;
      else
        state.exchange(i);
    }
    // Gray code
    bit[1] ^= bit[0];
    bit[2] ^= bit[1];
    const unsigned flips = state.place_flipped != 0 ? 7 : 0;
    const unsigned place = (bit[0] << 2 | bit[1] << 1 | bit[2]) ^ flips;
    state.place_flipped ^= bit[2];
    return static_cast<std::uint16_t>(8 * state.number() + place);
  }

  /// Bit k of a coordinate as bit 3 k.
  static std::uint64_t spread(std::uint64_t bits) {
    bits = (bits | bits << 32) & 0x001f00000000ffff;
    bits = (bits | bits << 16) & 0x001f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
  }

  std::array<std::uint16_t, 8UL * states> entry_{};
};

/// A grid of cubes over the box of the points.
class Grid {
 public:
  explicit Grid(const std::vector<Vector3>& points) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    const Box nothing{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
    const auto n = static_cast<std::int64_t>(points.size());
    std::vector<Box> box_of(n / points_a_box + 1, nothing);
    parallel_for(box_of.size(), [&](std::size_t k) {
      const auto begin = static_cast<std::int64_t>(k) * points_a_box;
      Box box = nothing;
      for (std::int64_t i = begin; i < std::min(begin + points_a_box, n); ++i) box.add({points[i], points[i]});
      box_of[k] = box;
    });
    Box box = nothing;
    for (const Box& of_some : box_of) box.add(of_some);
    const auto [low, high] = box;
    low_ = low;
    const Real side = std::max({high.x - low_.x, high.y - low_.y, high.z - low_.z});
    cells_a_length_ = side > 0 ? ((1u << levels) - 1) / side : 0;
  }
  Cell cell(Vector3 point) const {
    const Vector3 place = cells_a_length_ * (point - low_);
    return {static_cast<std::uint32_t>(place.x), static_cast<std::uint32_t>(place.y),
            static_cast<std::uint32_t>(place.z)};
  }

 private:
  static constexpr std::int64_t points_a_box = 4096;
  struct Box {
    Vector3 low, high;
    void add(const Box& other) {
      const auto [a, b] = other;
      low = {std::min(low.x, a.x), std::min(low.y, a.y), std::min(low.z, a.z)};
      high = {std::max(high.x, b.x), std::max(high.y, b.y), std::max(high.z, b.z)};
    }
  };

  Vector3 low_;
  Real cells_a_length_;
};

}  // namespace

std::vector<Index> locality_order(const std::vector<Vector3>& points) {
  const Grid grid(points);
  static constexpr HilbertCurve curve;
  const auto place = std::make_unique_for_overwrite<std::uint64_t[]>(points.size());
  prefer_huge_pages(place.get(), points.size() * sizeof(std::uint64_t));
  parallel_for(points.size(), [&](std::size_t i) { place[i] = curve.place(grid.cell(points[i])); });
  return ascending_order({place.get(), points.size()});
}

}  // namespace cardiowarp
