#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "fem/mesh.hpp"

namespace cardiowarp::test {

inline Real volume(const Mesh& mesh, const Tetrahedron& nodes) {
  const Vector3 origin = mesh.nodes[nodes[0]];
  const auto edge = [&](int corner) { return mesh.nodes[nodes[corner]] - origin; };
  return dot(edge(1), cross(edge(2), edge(3))) / 6;
}

inline Real volume_of_tag(const Mesh& mesh, int tag) {
  Real sum = 0;
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
    if (mesh.element_tags[e] == tag) sum += volume(mesh, mesh.tetrahedra[e]);
  return sum;
}

/// The normal, as long as the area.
inline Vector3 area_vector(const Mesh& mesh, const Triangle& nodes) {
  return 0.5 * cross(mesh.nodes[nodes[1]] - mesh.nodes[nodes[0]], mesh.nodes[nodes[2]] - mesh.nodes[nodes[0]]);
}

/// Total triangle area of each tag.
inline std::map<int, Real> area_of_tags(const Mesh& mesh) {
  std::map<int, Real> areas;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    areas[mesh.triangle_tags[t]] += norm(area_vector(mesh, mesh.triangles[t]));
  return areas;
}

inline std::vector<Triangle> sorted_triangles(std::vector<Triangle> triangles) {
  for (Triangle& nodes : triangles) std::sort(nodes.begin(), nodes.end());
  std::sort(triangles.begin(), triangles.end());
  return triangles;
}

/// Faces of the tetrahedra by the number of tetrahedra that have them: [0] with one, [1] with two, [2] with more.
inline std::array<std::vector<Triangle>, 3> faces_by_use(const Mesh& mesh) {
  std::vector<Triangle> faces;
  for (const auto& [a, b, c, d] : mesh.tetrahedra)
    faces.insert(faces.end(), {{a, b, c}, {a, b, d}, {a, c, d}, {b, c, d}});
  faces = sorted_triangles(std::move(faces));
  std::array<std::vector<Triangle>, 3> by_use;
  for (auto begin = faces.begin(); begin != faces.end();) {
    const auto end = std::find_if(begin, faces.end(), [&](const Triangle& face) { return face != *begin; });
    by_use[std::min<std::ptrdiff_t>(end - begin, 3) - 1].push_back(*begin);
    begin = end;
  }
  return by_use;
}

/// Three times inscribed over circumscribed radius: 1 for the regular tetrahedron, 0 for a flat one.
inline Real radius_ratio(const Mesh& mesh, const Tetrahedron& nodes) {
  const auto& [i, j, k, l] = nodes;
  const Vector3 a = mesh.nodes[j] - mesh.nodes[i], b = mesh.nodes[k] - mesh.nodes[i], c = mesh.nodes[l] - mesh.nodes[i];
  const Real area = norm(area_vector(mesh, {i, j, k})) + norm(area_vector(mesh, {i, j, l})) +
                    norm(area_vector(mesh, {i, k, l})) + norm(area_vector(mesh, {j, k, l}));
  const Real six_volume = std::abs(dot(a, cross(b, c)));
  const Real circumscribed =
      norm(dot(c, c) * cross(a, b) + dot(b, b) * cross(c, a) + dot(a, a) * cross(b, c)) / (2 * six_volume);
  return 3 * (six_volume / 2 / area) / circumscribed;
}

inline Real smallest_radius_ratio(const Mesh& mesh) {
  Real smallest = 1;
  for (const Tetrahedron& nodes : mesh.tetrahedra) smallest = std::min(smallest, radius_ratio(mesh, nodes));
  return smallest;
}

}  // namespace cardiowarp::test
