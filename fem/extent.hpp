#pragma once
#include <algorithm>

#include "fem/vector3.hpp"

namespace cardiowarp {

/// The smallest box with edges along the axes that holds some points, mm.
struct Extent {
  Vector3 min, max;
};

/// The extent of `points`, of which there is at least one.
template <class Points>
Extent extent_of(const Points& points) {
  Extent extent{points[0], points[0]};
  for (const Vector3 p : points) {
    extent.min = {std::min(extent.min.x, p.x), std::min(extent.min.y, p.y), std::min(extent.min.z, p.z)};
    extent.max = {std::max(extent.max.x, p.x), std::max(extent.max.y, p.y), std::max(extent.max.z, p.z)};
  }
  return extent;
}

}  // namespace cardiowarp
