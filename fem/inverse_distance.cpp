#include "fem/inverse_distance.hpp"

#include <cmath>

namespace cardiowarp {
namespace {

/// ln((R₊ + l₊)/(R₋ + l₋)) without cancellation: (R + l)(R − l) = R₀².
Real log_of_edge(Real before, Real after, Real r_before, Real r_after, Real r0_squared) {
  if (before >= 0) return std::log((r_after + after) / (r_before + before));
  if (after <= 0) return std::log((r_before - before) / (r_after - after));
  return std::log((r_after + after) * (r_before - before) / r0_squared);
}

/// What the edge from a to b adds; `out` is the unit vector in the plane, away from the triangle, and d the distance of
/// x from the plane.
Real of_edge(Vector3 a, Vector3 b, Vector3 out, Real d, Vector3 x) {
  const Real length = norm(b - a);
  const Vector3 along = (1 / length) * (b - a);
  const Real before = dot(a - x, along), after = dot(b - x, along), t = dot(a - x, out);
  const Real r0_squared = t * t + d * d;
  constexpr Real negligible = 1e-14;  // of the edge; the limit is 0: t ln(1/t) and d atan(t/d²) vanish
  if (t == 0 || r0_squared < negligible * negligible * length * length) return 0;
  const Real r_before = norm(a - x), r_after = norm(b - x);
  const Real angle =
      std::atan(t * after / (r0_squared + d * r_after)) - std::atan(t * before / (r0_squared + d * r_before));
  return t * log_of_edge(before, after, r_before, r_after, r0_squared) - d * angle;
}

}  // namespace

Real inverse_distance_over(const std::array<Vector3, 3>& corners, Vector3 x) {
  const Vector3 twice_area = cross(corners[1] - corners[0], corners[2] - corners[0]);
  const Vector3 normal = (1 / norm(twice_area)) * twice_area;
  const Real d = std::fabs(dot(corners[0] - x, normal));
  Real sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 a = corners[k], b = corners[(k + 1) % 3];
    const Vector3 out = cross(b - a, normal);
    sum += of_edge(a, b, (1 / norm(out)) * out, d, x);
  }
  return sum;
}

Vector3 inverse_distance_gradient_over(const std::array<Vector3, 4>& corners, Vector3 x) {
  Vector3 sum;
  for (std::size_t k = 0; k < 4; ++k) {
    const Vector3 a = corners[(k + 1) % 4], b = corners[(k + 2) % 4], c = corners[(k + 3) % 4];
    Vector3 normal = cross(b - a, c - a);
    if (dot(normal, corners[k] - a) > 0) normal = -1 * normal;
    sum = sum + (inverse_distance_over({a, b, c}, x) / norm(normal)) * normal;
  }
  return sum;
}

}  // namespace cardiowarp
