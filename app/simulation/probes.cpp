#include "app/simulation/probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "app/config/output_config.hpp"
#include "fem/barycentric.hpp"
#include "fem/extent.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "meshes/generate.hpp"

namespace cardiowarp {
namespace {

/// A point of a simplex by its weights, and how far it is from the point asked for.
struct NearestPoint {
  std::array<Real, 4> weights{};
  Vector3 point;
  Real distance = std::numeric_limits<Real>::max();
};

NearestPoint nearest_of(const std::array<Vector3, 4>& corners, const std::array<Real, 4>& weights, Vector3 target) {
  NearestPoint nearest{weights, {}, 0};
  for (std::size_t corner = 0; corner < 4; ++corner) nearest.point = nearest.point + weights[corner] * corners[corner];
  nearest.distance = norm(target - nearest.point);
  return nearest;
}

bool all_positive(const std::array<Real, 4>& weights) {
  return std::ranges::all_of(weights, [](Real weight) { return weight >= 0; });
}

/// Nearest point of the edge a-b: the projection, cut to the edge.
NearestPoint nearest_on_edge(const std::array<Vector3, 4>& corners, std::size_t a, std::size_t b, Vector3 target) {
  const Vector3 edge = corners[b] - corners[a];
  const Real along = std::clamp(dot(target - corners[a], edge) / dot(edge, edge), Real(0), Real(1));
  std::array<Real, 4> weights{};
  weights[a] = 1 - along;
  weights[b] = along;
  return nearest_of(corners, weights, target);
}

/// Nearest point of the face a-b-c: the projection where it is inside, else the best of the edges.
NearestPoint nearest_on_face(const std::array<Vector3, 4>& corners, std::size_t a, std::size_t b, std::size_t c,
                             Vector3 target) {
  const Vector3 ab = corners[b] - corners[a], ac = corners[c] - corners[a], at = target - corners[a];
  const Vector3 normal = cross(ab, ac);
  std::array<Real, 4> weights{};
  weights[b] = dot(cross(at, ac), normal) / dot(normal, normal);
  weights[c] = dot(cross(ab, at), normal) / dot(normal, normal);
  weights[a] = 1 - weights[b] - weights[c];
  if (all_positive(weights)) return nearest_of(corners, weights, target);
  return std::min({nearest_on_edge(corners, a, b, target), nearest_on_edge(corners, b, c, target),
                   nearest_on_edge(corners, c, a, target)},
                  [](const NearestPoint& l, const NearestPoint& r) { return l.distance < r.distance; });
}

/// Nearest point of the tetrahedron: the target itself where it is inside (distance 0), else the best of the faces.
NearestPoint nearest_in_tetrahedron(const std::array<Vector3, 4>& corners, Vector3 target) {
  const std::array<Real, 4> weights = barycentric_coordinates(corners, target);
  if (all_positive(weights)) return {weights, target, 0};
  return std::min({nearest_on_face(corners, 1, 2, 3, target), nearest_on_face(corners, 0, 2, 3, target),
                   nearest_on_face(corners, 0, 1, 3, target), nearest_on_face(corners, 0, 1, 2, target)},
                  [](const NearestPoint& l, const NearestPoint& r) { return l.distance < r.distance; });
}

Real distance_to(const Extent& box, Vector3 p) {
  const auto gap = [](Real least, Real value, Real most) { return std::max({least - value, value - most, Real(0)}); };
  return norm({gap(box.min.x, p.x, box.max.x), gap(box.min.y, p.y, box.max.y), gap(box.min.z, p.z, box.max.z)});
}

/// x(λ) of a quadratic element.
Vector3 quadratic_point(const QuadraticCorners& position, const Barycentric& at) {
  Vector3 point;
  const auto shapes = quadratic_shapes(at);
  for (int i = 0; i < quadratic_nodes; ++i) point = point + shapes[i] * position[i];
  return point;
}

/// The element that is nearest to a point.
struct Host {
  NearestPoint nearest;
  std::size_t element;
};

/// One pass over the elements; those whose bounding box is not nearer than the best so far cost a few comparisons.
Host nearest_element(const Mesh& mesh, const ProbeConfig& probe) {
  NearestPoint nearest;
  std::optional<std::size_t> host;
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const Tetrahedron& nodes = mesh.tetrahedra[element];
    const std::array<Vector3, 4> corners{mesh.nodes[nodes[0]], mesh.nodes[nodes[1]], mesh.nodes[nodes[2]],
                                         mesh.nodes[nodes[3]]};
    if (distance_to(extent_of(corners), probe.point) >= nearest.distance) continue;
    const NearestPoint candidate = nearest_in_tetrahedron(corners, probe.point);
    if (candidate.distance >= nearest.distance) continue;
    nearest = candidate;
    host = element;
    if (nearest.distance == 0) break;
  }
  if (!host) throw InputError(fmt::format("{}: probe '{}': the mesh has no tetrahedra", probe.place, probe.name));
  return {nearest, *host};
}

void require_near(const ProbeConfig& probe, const NearestPoint& nearest, Real largest_gap_mm) {
  const Vector3 p = probe.point, q = nearest.point;
  if (!(nearest.distance <= largest_gap_mm))
    throw InputError(fmt::format(
        "{}: probe '{}': [{}, {}, {}] lies {:.4g} mm outside the mesh; its nearest point is [{:.6g}, {:.6g}, {:.6g}]",
        probe.place, probe.name, p.x, p.y, p.z, nearest.distance, q.x, q.y, q.z));
}

ProbePoint locate(const Mesh& mesh, const ProbeConfig& probe, Real largest_gap_mm) {
  const Host host = nearest_element(mesh, probe);
  require_near(probe, host.nearest, largest_gap_mm);
  return {mesh.tetrahedra[host.element], host.nearest.weights};
}

/// A quadratic element near λ = `at`, taken for straight: x(λ) + J (μ − λ) is a tetrahedron of μ, whose corners these
/// are.
std::array<Vector3, 4> tangent_corners(const QuadraticCorners& position, const Barycentric& at) {
  std::array<Vector3, 4> slope{};  // Σ_i x_i ∂N_i/∂λ_k, where all four λ are free
  for (int k = 0; k < 4; ++k) slope[k] = (4 * at[k] - 1) * position[k];
  for (int edge = 0; edge < 6; ++edge) {
    const auto [a, b] = edge_corners[edge];
    slope[a] = slope[a] + 4 * at[b] * position[4 + edge];
    slope[b] = slope[b] + 4 * at[a] * position[4 + edge];
  }
  Vector3 middle = quadratic_point(position, at);
  for (int k = 0; k < 4; ++k) middle = middle - at[k] * slope[k];
  std::array<Vector3, 4> corners;
  for (int k = 0; k < 4; ++k) corners[k] = middle + slope[k];
  return corners;
}

/// The nearest point of a quadratic element to one near λ = `at`, to rounding: the nearest of the tangent tetrahedron
/// again and again, which is Newton's method on x(λ) = target for a point inside and ends after two iterations where
/// edges are straight. It never leaves the element, and the nearest of all points on the way is taken, so that the
/// distance is true even where it has not come to rest.
NearestPoint nearest_in_quadratic(const QuadraticCorners& position, Barycentric at, Vector3 target) {
  constexpr int most = 30;
  constexpr Real at_rest = 1e-15;
  NearestPoint best;
  const auto judge = [&] {
    const Vector3 point = quadratic_point(position, at);
    if (const Real distance = norm(target - point); distance < best.distance) best = {at, point, distance};
  };
  judge();
  for (int iteration = 0; iteration < most; ++iteration) {
    const Barycentric last = std::exchange(at, nearest_in_tetrahedron(tangent_corners(position, at), target).weights);
    judge();
    Real change = 0;
    for (int k = 0; k < 4; ++k) change = std::max(change, std::abs(at[k] - last[k]));
    if (change <= at_rest) break;
  }
  return best;
}

/// The nearest point of the quadratic elements that share a node with `host`, which comes first, to one near λ = `at`
/// of it: curved faces let a point be in another element than its nearest piece. The first element that has the point
/// to within `rounding_mm` is taken, or else the nearest.
Host nearest_around(const Mesh& mesh, std::size_t host, const Barycentric& at, Vector3 target, Real rounding_mm) {
  Host best{nearest_in_quadratic(positions_of(mesh, host), at, target), host};
  const QuadraticNodes around = nodes_of(mesh, host);
  const auto is_shared = [&](Index node) { return std::ranges::find(around, node) != around.end(); };
  for (std::size_t element = 0; element < mesh.tetrahedra.size() && best.nearest.distance > rounding_mm; ++element) {
    if (std::ranges::none_of(mesh.tetrahedra[element], is_shared)) continue;
    constexpr Barycentric middle{0.25, 0.25, 0.25, 0.25};
    const NearestPoint candidate = nearest_in_quadratic(positions_of(mesh, element), middle, target);
    if (candidate.distance < best.nearest.distance) best = {candidate, element};
  }
  return best;
}

/// In a quadratic mesh the nearest of the pieces between its nodes tells the element, or one beside it.
ProbePoint locate_quadratic(const Mesh& mesh, const Mesh& pieces, const ProbeConfig& probe, Real largest_gap_mm) {
  const Host piece = nearest_element(pieces, probe);
  const std::size_t host = piece.element / 8;
  const QuadraticNodes nodes = nodes_of(mesh, host);
  Barycentric near{};
  for (int i = 0; i < 4; ++i) {
    const Index node = pieces.tetrahedra[piece.element][i];
    const auto local = std::ranges::find(nodes, node) - nodes.begin();
    if (local < 4) near[local] += piece.nearest.weights[i];
    if (local >= 4)
      for (const int corner : edge_corners[local - 4]) near[corner] += piece.nearest.weights[i] / 2;
  }
  const Real rounding_mm = 1e-6 * largest_gap_mm;  // 1e-12 of the mesh's size
  const auto [nearest, element] = nearest_around(mesh, host, near, probe.point, rounding_mm);
  require_near(probe, nearest, largest_gap_mm);
  const auto shapes = quadratic_shapes(nearest.weights);
  ProbePoint point{mesh.tetrahedra[element], {}, mesh.edge_nodes[element], {}};
  std::copy_n(shapes.begin(), 4, point.weights.begin());
  std::copy_n(shapes.begin() + 4, 6, point.edge_weights.begin());
  return point;
}

}  // namespace

std::vector<ProbePoint> locate_probes(const Mesh& mesh, const std::vector<ProbeConfig>& probes) {
  std::vector<ProbePoint> points;
  if (probes.empty()) return points;
  const Extent extent = extent_of(mesh.nodes);
  const Real largest_gap_mm = 1e-6 * norm(extent.max - extent.min);
  const Mesh pieces = mesh.is_quadratic() ? linear_pieces(mesh) : Mesh();
  for (const ProbeConfig& probe : probes)
    points.push_back(mesh.is_quadratic() ? locate_quadratic(mesh, pieces, probe, largest_gap_mm)
                                         : locate(mesh, probe, largest_gap_mm));
  return points;
}

}  // namespace cardiowarp
