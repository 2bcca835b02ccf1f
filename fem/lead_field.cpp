#include "fem/lead_field.hpp"

#include <algorithm>
#include <cstddef>

#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "fem/near_lead_field.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "fem/tetrahedron.hpp"

namespace cardiowarp {
namespace {

/// 1/r of each node.
std::vector<Real> inverse_distances(const Mesh& mesh, Vector3 electrode) {
  std::vector<Real> inverse(mesh.nodes.size());
  for (std::size_t node = 0; node < inverse.size(); ++node) inverse[node] = 1 / norm(mesh.nodes[node] - electrode);
  return inverse;
}

void add_linear(const Mesh& mesh, std::span<const Diffusivity> diffusivity, const std::vector<Real>& inverse,
                std::vector<Real>& lead) {
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const Tetrahedron& corners = mesh.tetrahedra[element];
    const TetrahedronGeometry geometry = tetrahedron_geometry(mesh.nodes, corners);
    Vector3 gradient;
    for (int i = 0; i < 4; ++i) gradient = gradient + inverse[corners[i]] * geometry.gradient[i];
    const Vector3 flux = geometry.volume * diffusivity[element].times(gradient);
    for (int i = 0; i < 4; ++i) lead[corners[i]] += dot(geometry.gradient[i], flux);
  }
}

void add_quadratic(const Mesh& mesh, std::span<const Diffusivity> diffusivity, const std::vector<Real>& inverse,
                   std::vector<Real>& lead) {
  constexpr QuadraticTable table = quadratic_table();
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const QuadraticNodes nodes = nodes_of(mesh, element);
    const QuadraticCorners position = positions_of(mesh, element);
    for (int q = 0; q < quadratic_points; ++q) {
      const QuadraticFrame frame = quadratic_frame(position.data(), table.slope[q]);
      Vector3 slope;
      for (int i = 0; i < quadratic_nodes; ++i) slope = slope + inverse[nodes[i]] * table.slope[q][i];
      const Real volume = table.share[q] * frame.determinant / 6;
      const Vector3 flux = volume * diffusivity[element].times(frame.gradient(slope));
      for (int i = 0; i < quadratic_nodes; ++i) lead[nodes[i]] += dot(frame.gradient(table.slope[q][i]), flux);
    }
  }
}

}  // namespace

std::vector<Real> lead_vector(const Mesh& mesh, std::span<const Diffusivity> diffusivity, Vector3 electrode,
                              Real scale) {
  std::vector<Real> lead(mesh.nodes.size(), 0);
  if (too_near(mesh, longest_edges(mesh), electrode))
    add_near_lead(mesh, diffusivity, electrode, lead);
  else
    (mesh.is_quadratic() ? add_quadratic : add_linear)(mesh, diffusivity, inverse_distances(mesh, electrode), lead);
  for (Real& value : lead) value *= -scale;
  return lead;
}

std::vector<Real> longest_edges(const Mesh& mesh) {
  std::vector<Real> longest(mesh.nodes.size(), 0);
  const auto raise = [&](Index node, Real length) { longest[node] = std::max(longest[node], length); };
  for (std::size_t element = 0; element < mesh.tetrahedra.size(); ++element) {
    const Tetrahedron& corners = mesh.tetrahedra[element];
    Real length = 0;
    for (const auto& [a, b] : edge_corners)
      length = std::max(length, norm(mesh.nodes[corners[a]] - mesh.nodes[corners[b]]));
    for (const Index node : corners) raise(node, length);
    if (mesh.is_quadratic())
      for (const Index node : mesh.edge_nodes[element]) raise(node, length);
  }
  return longest;
}

std::optional<TooNear> too_near(const Mesh& mesh, const std::vector<Real>& longest_edges_mm, Vector3 electrode) {
  std::optional<TooNear> nearest;
  for (std::size_t node = 0; node < longest_edges_mm.size(); ++node) {
    const Real distance = norm(mesh.nodes[node] - electrode), least = longest_edges_mm[node];
    if (!(distance < least) || (nearest && nearest->distance_mm <= distance)) continue;
    nearest = {static_cast<Index>(node), distance, least};
  }
  return nearest;
}

}  // namespace cardiowarp
