#include "fem/mesh_quality.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

std::array<Vector3, 4> corners_of(const Mesh& mesh, std::size_t element) {
  std::array<Vector3, 4> corners;
  for (std::size_t k = 0; k < 4; ++k) corners[k] = mesh.nodes[static_cast<std::size_t>(mesh.tetrahedra[element][k])];
  return corners;
}

/// r = 3 V / ΣA and R = √(s (s − p)(s − q)(s − t)) / (6 V), where p, q and t are the products of the lengths of
/// opposite edges and s is half their sum (Crelle's formula): 3 r / R = 54 V² / (ΣA √(..)).
Real radius_ratio(const std::array<Vector3, 4>& corners) {
  const Vector3 a = corners[1] - corners[0], b = corners[2] - corners[0], c = corners[3] - corners[0];
  const Real six_volumes = std::abs(dot(cross(a, b), c));
  const Real areas = 0.5 * (norm(cross(a, b)) + norm(cross(b, c)) + norm(cross(c, a)) + norm(cross(b - a, c - a)));
  const Real p = norm(a) * norm(c - b), q = norm(b) * norm(c - a), t = norm(c) * norm(b - a), s = 0.5 * (p + q + t);
  const Real product = s * (s - p) * (s - q) * (s - t);
  if (!(product > 0) || !(areas > 0)) return 0;
  return std::min<Real>(1, 54 * (six_volumes / 6) * (six_volumes / 6) / (areas * std::sqrt(product)));
}

}  // namespace

std::vector<Real> radius_ratios(const Mesh& mesh) {
  std::vector<Real> ratios(mesh.tetrahedra.size());
  for (std::size_t element = 0; element < ratios.size(); ++element)
    ratios[element] = radius_ratio(corners_of(mesh, element));
  return ratios;
}

ElementShape element_shape(const Mesh& mesh, std::size_t element) {
  const std::array<Vector3, 4> at = corners_of(mesh, element);
  ElementShape shape{.shortest_edge_mm = norm(at[1] - at[0]), .smallest_angle_deg = 180};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j) {
      const Vector3 along = at[j] - at[i];
      shape.shortest_edge_mm = std::min(shape.shortest_edge_mm, norm(along));
      shape.longest_edge_mm = std::max(shape.longest_edge_mm, norm(along));
      // the two faces at this edge go to the other two corners
      const std::size_t k = i > 0 ? 0 : j > 1 ? 1 : 2, l = 6 - i - j - k;
      const Vector3 one = cross(along, at[k] - at[i]), other = cross(along, at[l] - at[i]);
      const Real angle = std::atan2(norm(cross(one, other)), dot(one, other)) * 180 / std::numbers::pi;
      shape.smallest_angle_deg = std::min(shape.smallest_angle_deg, angle);
      shape.largest_angle_deg = std::max(shape.largest_angle_deg, angle);
    }
  return shape;
}

std::array<std::size_t, 10> tenths(const std::vector<Real>& values) {
  std::array<std::size_t, 10> counts{};
  for (const Real value : values) ++counts[static_cast<std::size_t>(std::clamp<Real>(10 * value, 0, 9))];
  return counts;
}

std::vector<std::size_t> smallest(const std::vector<Real>& values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end(),
                    [&](std::size_t a, std::size_t b) { return std::pair(values[a], a) < std::pair(values[b], b); });
  order.erase(end, order.end());
  return order;
}

}  // namespace cardiowarp
