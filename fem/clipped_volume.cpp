#include "fem/clipped_volume.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardiowarp {
namespace {

Vector3 midpoint(Vector3 a, Vector3 b) { return 0.5 * (a + b); }

/// Calls piece(corners) for tetrahedra that make up the part of a tetrahedron where a linear function, given at the
/// corners, is not positive.
template <class Piece>
void clip(const Corners& corners, const std::array<Real, 4>& value, Piece piece) {
  std::array<int, 4> order{0, 1, 2, 3};  // those inside first
  const auto outside = std::stable_partition(order.begin(), order.end(), [&](int i) { return value[i] <= 0; });
  const auto inside = outside - order.begin();
  const auto at = [&](int i) { return corners[order[i]]; };
  const auto cut = [&](int in, int out) {
    const Real a = value[order[in]], b = value[order[out]];
    return at(in) + a / (a - b) * (at(out) - at(in));
  };
  const auto prism = [&](const std::array<Vector3, 3>& bottom, const std::array<Vector3, 3>& top) {
    piece(Corners{bottom[0], bottom[1], bottom[2], top[2]});
    piece(Corners{bottom[0], bottom[1], top[1], top[2]});
    piece(Corners{bottom[0], top[0], top[1], top[2]});
  };
  if (inside == 4) piece(corners);
  if (inside == 3) prism({at(0), at(1), at(2)}, {cut(0, 3), cut(1, 3), cut(2, 3)});
  if (inside == 2) prism({at(0), cut(0, 2), cut(0, 3)}, {at(1), cut(1, 2), cut(1, 3)});
  if (inside == 1) piece(Corners{at(0), cut(0, 1), cut(0, 2), cut(0, 3)});
}

/// The volume that a tetrahedron has in common with the half-spaces k to 5 of a box, mm³. For the axes i = 0, 1 and 2,
/// half-space 2 i is x_i >= min_i and half-space 2 i + 1 is x_i <= max_i.
Real volume_in_half_spaces(const Corners& corners, Vector3 min, Vector3 max, int k) {
  if (k == 6) return volume_of(corners);
  constexpr std::array<Real Vector3::*, 3> axes{&Vector3::x, &Vector3::y, &Vector3::z};
  const auto axis = axes[k / 2];
  std::array<Real, 4> value{};
  for (int i = 0; i < 4; ++i) value[i] = k % 2 == 0 ? min.*axis - corners[i].*axis : corners[i].*axis - max.*axis;
  Real volume = 0;
  clip(corners, value, [&](const Corners& piece) { volume += volume_in_half_spaces(piece, min, max, k + 1); });
  return volume;
}

struct Edge {
  int a, b;  ///< its corners
  Real length;
};

Edge longest_edge(const Corners& c) {
  Edge longest{0, 0, 0};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      if (const Real length = norm(c[i] - c[j]); length > longest.length) longest = {i, j, length};
  return longest;
}

/// Whether a tetrahedron is so thin or flat that eighths of its shape would be far smaller than their edges.
bool is_thin(const Corners& corners, Real longest) { return volume_of(corners) < 1e-3 * longest * longest * longest; }

}  // namespace

Real volume_of(const Corners& c) { return std::fabs(dot(c[1] - c[0], cross(c[2] - c[0], c[3] - c[0]))) / 6; }

Real volume_in_box(const Corners& corners, Vector3 min, Vector3 max) {
  return volume_in_half_spaces(corners, min, max, 0);
}

Real volume_in_ball(const Corners& corners, Vector3 center, Real radius) {
  // Edges that are no longer than the rounding of coordinates would not become shorter.
  Real farthest = 0;
  for (const Vector3 corner : corners)
    farthest = std::max({farthest, std::fabs(corner.x), std::fabs(corner.y), std::fabs(corner.z)});
  const Real short_edge = std::max(radius / 8, 16 * std::numeric_limits<Real>::epsilon() * farthest);
  const Vector3 middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
  Real reach = 0;
  for (const Vector3 corner : corners) reach = std::max(reach, norm(corner - middle));
  const Real distance = norm(middle - center);
  if (distance + reach <= radius) return volume_of(corners);
  if (distance - reach >= radius) return 0;
  const Edge longest = longest_edge(corners);
  if (longest.length <= short_edge) {
    std::array<Real, 4> value{};
    for (int i = 0; i < 4; ++i) value[i] = norm(corners[i] - center) - radius;
    Real volume = 0;
    clip(corners, value, [&](const Corners& piece) { volume += volume_of(piece); });
    return volume;
  }
  if (is_thin(corners, longest.length)) {
    Corners first = corners, second = corners;
    first[longest.a] = second[longest.b] = midpoint(corners[longest.a], corners[longest.b]);
    return volume_in_ball(first, center, radius) + volume_in_ball(second, center, radius);
  }
  const auto& [a, b, c, d] = corners;
  const Vector3 ab = midpoint(a, b), ac = midpoint(a, c), ad = midpoint(a, d), bc = midpoint(b, c), bd = midpoint(b, d),
                cd = midpoint(c, d);
  Real volume = 0;
  for (const Corners& eighth : {Corners{a, ab, ac, ad},
                                {b, ab, bc, bd},
                                {c, ac, bc, cd},
                                {d, ad, bd, cd},
                                {ab, cd, ac, ad},
                                {ab, cd, ad, bd},
                                {ab, cd, bd, bc},
                                {ab, cd, bc, ac}})
    volume += volume_in_ball(eighth, center, radius);
  return volume;
}

}  // namespace cardiowarp
