#pragma once
#include <array>

#include "fem/vector3.hpp"

namespace cardiowarp {

/// The barycentric coordinates of a point in a tetrahedron: the weights of the four corners, with the sum 1, with which
/// they have their mean at the point. One is negative where the point is outside. They are not numbers, or infinite,
/// where the corners lie in a plane.
inline std::array<Real, 4> barycentric_coordinates(const std::array<Vector3, 4>& corners, Vector3 point) {
  const Vector3 u = corners[1] - corners[0], v = corners[2] - corners[0], w = corners[3] - corners[0];
  const Vector3 t = point - corners[0];
  const Real volume = dot(u, cross(v, w));
  std::array<Real, 4> weights{0, dot(t, cross(v, w)) / volume, dot(u, cross(t, w)) / volume,
                              dot(u, cross(v, t)) / volume};
  weights[0] = 1 - weights[1] - weights[2] - weights[3];
  return weights;
}

}  // namespace cardiowarp
