#include "fem/anatomy/near_faces.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fem/extent.hpp"

namespace cardiowarp {
namespace {

/// The mean length of the edges, so that a face is in few cubes.
Real mean_edge_mm(const std::vector<Vector3>& nodes, const std::vector<Triangle>& faces) {
  Real sum = 0;
  for (const auto& [a, b, c] : faces)
    sum += norm(nodes[b] - nodes[a]) + norm(nodes[c] - nodes[b]) + norm(nodes[a] - nodes[c]);
  return faces.empty() ? 0 : sum / (3 * static_cast<Real>(faces.size()));
}

/// The point between `a` and `b` at `to_a` from the one and `to_b` from the other.
Vector3 between(Vector3 a, Vector3 b, Real to_a, Real to_b) { return a + (to_a / (to_a + to_b)) * (b - a); }

}  // namespace

NearFaces::NearFaces(const std::vector<Vector3>& nodes, std::vector<Triangle> faces, Real reach_mm)
    : nodes_(nodes),
      faces_(std::move(faces)),
      reach_mm_(reach_mm),
      table_(std::max(reach_mm, mean_edge_mm(nodes, faces_))) {
  const Vector3 reach{reach_mm, reach_mm, reach_mm};
  for (std::size_t face = 0; face < faces_.size(); ++face) {
    const auto& [a, b, c] = faces_[face];
    const Extent extent = extent_of(std::array{nodes[a], nodes[b], nodes[c]});
    table_.add(static_cast<Index>(face), extent.min - reach, extent.max + reach);
  }
}

void NearFaces::take(std::size_t face, Vector3 place, std::optional<PointOnFace>& nearest) const {
  const auto& [a, b, c] = faces_[face];
  const Vector3 point = nearest_in_triangle(place, nodes_[a], nodes_[b], nodes_[c]);
  const Real distance = norm(place - point);
  if (!nearest || distance < nearest->distance_mm) nearest = PointOnFace{face, point, distance};
}

std::optional<PointOnFace> NearFaces::nearest(Vector3 place) const {
  std::optional<PointOnFace> nearest;
  for (const Index face : table_.at(place)) take(static_cast<std::size_t>(face), place, nearest);
  if (nearest && nearest->distance_mm > reach_mm_) nearest.reset();
  return nearest;
}

PointOnFace NearFaces::nearest_of_all(Vector3 place) const {
  std::optional<PointOnFace> nearest;
  for (std::size_t face = 0; face < faces_.size(); ++face) take(face, place, nearest);
  return *nearest;
}

Vector3 NearFaces::normal(std::size_t face) const {
  const auto& [a, b, c] = faces_[face];
  const Vector3 area = cross(nodes_[b] - nodes_[a], nodes_[c] - nodes_[a]);
  const Real length = norm(area);
  return length > 0 ? (1 / length) * area : Vector3{};
}

Vector3 nearest_in_triangle(Vector3 place, Vector3 a, Vector3 b, Vector3 c) {
  const Vector3 ab = b - a, ac = c - a;
  const Real ab_a = dot(ab, place - a), ac_a = dot(ac, place - a);
  if (ab_a <= 0 && ac_a <= 0) return a;
  const Real ab_b = dot(ab, place - b), ac_b = dot(ac, place - b);
  if (ab_b >= 0 && ac_b <= ab_b) return b;
  const Real to_c = ab_a * ac_b - ab_b * ac_a;
  if (to_c <= 0 && ab_a >= 0 && ab_b <= 0) return between(a, b, ab_a, -ab_b);
  const Real ab_c = dot(ab, place - c), ac_c = dot(ac, place - c);
  if (ac_c >= 0 && ab_c <= ac_c) return c;
  const Real to_b = ab_c * ac_a - ab_a * ac_c;
  if (to_b <= 0 && ac_a >= 0 && ac_c <= 0) return between(a, c, ac_a, -ac_c);
  const Real to_a = ab_b * ac_c - ab_c * ac_b;
  if (to_a <= 0 && ac_b - ab_b >= 0 && ab_c - ac_c >= 0) return between(b, c, ac_b - ab_b, ab_c - ac_c);
  const Real all = to_a + to_b + to_c;
  return a + (to_b / all) * ab + (to_c / all) * ac;
}

}  // namespace cardiowarp
