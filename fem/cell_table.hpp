#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fem/vector3.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Things by the cube of space that they are in, to find what is near a place without looking at all of it. Space is cut
// into equal cubes; a thing, say a face of a surface, is listed in each cube that its box meets, and only cubes with a
// thing exist. It is made and asked on the host before a run. It takes 4 bytes for each thing in each of its cubes, and
// some 50 for a cube.
class CellTable {
 public:
  /// `edge_mm` of the cubes is above 0.
  explicit CellTable(Real edge_mm) : edge_mm_(edge_mm) {}

  /// Lists a thing in all cubes between two corners of its box.
  void add(Index thing, Vector3 low, Vector3 high) {
    const Cube first = cube_at(low), last = cube_at(high);
    for (std::int64_t x = first.x; x <= last.x; ++x)
      for (std::int64_t y = first.y; y <= last.y; ++y)
        for (std::int64_t z = first.z; z <= last.z; ++z) things_[key({x, y, z})].push_back(thing);
  }

  /// The things in the cube of a place, in the order in which they were added; others may be among them.
  const std::vector<Index>& at(Vector3 place) const {
    static const std::vector<Index> none;
    const auto found = things_.find(key(cube_at(place)));
    return found == things_.end() ? none : found->second;
  }

 private:
  struct Cube {
    std::int64_t x, y, z;
  };

  std::int64_t number(Real coordinate) const {
    constexpr Real most = 1e15;
    return static_cast<std::int64_t>(std::clamp(std::floor(coordinate / edge_mm_), -most, most));
  }
  Cube cube_at(Vector3 place) const { return {number(place.x), number(place.y), number(place.z)}; }
  /// Cubes that are two million apart share a key.
  static std::uint64_t key(const Cube& cube) {
    constexpr std::uint64_t bits = 21, mask = (std::uint64_t{1} << bits) - 1;
    return (static_cast<std::uint64_t>(cube.x) & mask) << (2 * bits) |
           (static_cast<std::uint64_t>(cube.y) & mask) << bits | (static_cast<std::uint64_t>(cube.z) & mask);
  }

  Real edge_mm_;
  std::unordered_map<std::uint64_t, std::vector<Index>> things_;
};

}  // namespace cardiowarp
