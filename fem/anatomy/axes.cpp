#include "fem/anatomy/axes.hpp"

#include <array>
#include <cmath>

namespace cardiowarp {
namespace {

/// w + x i + y j + z k, of length 1.
struct Quaternion {
  Real w, x, y, z;
};

Quaternion operator*(Real s, const Quaternion& q) { return {s * q.w, s * q.x, s * q.y, s * q.z}; }
Quaternion operator+(const Quaternion& a, const Quaternion& b) { return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z}; }
Real dot(const Quaternion& a, const Quaternion& b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }

Vector3 unit(Vector3 v) { return (1 / norm(v)) * v; }

/// The quaternion of the rotation whose columns are the axes. The largest of its four numbers is found first, so that
/// none is divided by a small one.
Quaternion quaternion_of(const Axes& axes) {
  const Vector3 &a = axes.fiber, &b = axes.sheet_normal, &c = axes.sheet;
  const std::array<Real, 4> four_squares{1 + a.x + b.y + c.z, 1 + a.x - b.y - c.z, 1 - a.x + b.y - c.z,
                                         1 - a.x - b.y + c.z};
  std::size_t largest = 0;
  for (std::size_t k = 1; k < 4; ++k)
    if (four_squares[k] > four_squares[largest]) largest = k;
  const Real twice = std::sqrt(four_squares[largest]), share = 1 / (2 * twice);
  switch (largest) {
    case 0:
      return {twice / 2, share * (b.z - c.y), share * (c.x - a.z), share * (a.y - b.x)};
    case 1:
      return {share * (b.z - c.y), twice / 2, share * (a.y + b.x), share * (a.z + c.x)};
    case 2:
      return {share * (c.x - a.z), share * (a.y + b.x), twice / 2, share * (b.z + c.y)};
    default:
      return {share * (a.y - b.x), share * (a.z + c.x), share * (b.z + c.y), twice / 2};
  }
}

Axes axes_of(const Quaternion& given) {
  const auto [w, x, y, z] = (1 / std::sqrt(dot(given, given))) * given;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
          {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
          {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

Axes slerp(const Quaternion& from, Quaternion to, Real t) {
  constexpr Real almost_equal = 0.9999;  // sin of the arc would be divided by
  Real cosine = dot(from, to);
  if (cosine < 0) {
    cosine = -cosine;
    to = Real(-1) * to;
  }
  if (cosine > almost_equal) return axes_of((1 - t) * from + t * to);
  const Real arc = std::acos(cosine), sine = std::sin(arc);
  return axes_of((std::sin((1 - t) * arc) / sine) * from + (std::sin(t * arc) / sine) * to);
}

}  // namespace

std::optional<Axes> wall_axes(Vector3 longitudinal, Vector3 transmural, Real least) {
  constexpr Real least_sine = 1e-6;
  const Real length = norm(longitudinal), across = norm(transmural);
  if (!(length > least && across > 0)) return std::nullopt;
  const Vector3 up = (1 / length) * longitudinal, out = (1 / across) * transmural;
  const Vector3 at_right_angles = out - dot(up, out) * up;
  if (!(norm(at_right_angles) > least_sine)) return std::nullopt;
  const Vector3 normal = unit(at_right_angles);
  return Axes{unit(cross(up, normal)), up, normal};
}

Axes oriented(const Axes& axes, Real alpha, Real beta) {
  const Real ca = std::cos(alpha), sa = std::sin(alpha), cb = std::cos(beta), sb = std::sin(beta);
  const Vector3 along = ca * axes.fiber + sa * axes.sheet_normal;
  return {cb * along - sb * axes.sheet, ca * axes.sheet_normal - sa * axes.fiber, sb * along + cb * axes.sheet};
}

Axes oriented_as_printed(const Axes& axes, Real alpha, Real beta) {
  const Real ca = std::cos(alpha), sa = std::sin(alpha), cb = std::cos(beta), sb = std::sin(beta);
  const Vector3 across = ca * axes.sheet_normal - sa * axes.fiber;
  return {ca * axes.fiber + sa * axes.sheet_normal, cb * across - sb * axes.sheet, sb * across + cb * axes.sheet};
}

Axes slerp(const Axes& from, const Axes& to, Real t) { return slerp(quaternion_of(from), quaternion_of(to), t); }

Axes bislerp(const Axes& from, const Axes& to, Real t) {
  const auto [w, x, y, z] = quaternion_of(from);
  const std::array<Quaternion, 4> same_axes{
      {{w, x, y, z}, {-x, w, z, -y}, {-y, -z, w, x}, {-z, y, -x, w}}};  // times 1, i, j and k
  const Quaternion end = quaternion_of(to);
  std::size_t nearest = 0;
  for (std::size_t k = 1; k < 4; ++k)
    if (std::fabs(dot(same_axes[k], end)) > std::fabs(dot(same_axes[nearest], end))) nearest = k;
  return slerp(same_axes[nearest], end, t);
}

}  // namespace cardiowarp
