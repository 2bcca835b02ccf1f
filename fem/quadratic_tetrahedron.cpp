#include "fem/quadratic_tetrahedron.hpp"

#include "fem/diffusivity.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

QuadraticNodes nodes_of(const Mesh& mesh, std::size_t element) {
  QuadraticNodes nodes;
  for (int i = 0; i < 4; ++i) nodes[i] = mesh.tetrahedra[element][i];
  for (int k = 0; k < 6; ++k) nodes[4 + k] = mesh.edge_nodes[element][k];
  return nodes;
}

std::vector<QuadraticNodes> quadratic_nodes_of(const Mesh& mesh) {
  std::vector<QuadraticNodes> nodes;
  resize_by_team(nodes, mesh.tetrahedra.size());
  parallel_for(nodes.size(), [&](std::size_t element) { nodes[element] = nodes_of(mesh, element); });
  return nodes;
}

QuadraticCorners positions_of(const Mesh& mesh, std::size_t element) {
  QuadraticCorners position;
  for (int i = 0; i < 4; ++i) position[i] = mesh.nodes[mesh.tetrahedra[element][i]];
  for (int k = 0; k < 6; ++k) position[4 + k] = mesh.nodes[mesh.edge_nodes[element][k]];
  return position;
}

QuadraticGeometry quadratic_geometry(const QuadraticCorners& position, const Barycentric& at) {
  const std::array<Vector3, quadratic_nodes> slope = quadratic_slopes(at);
  const QuadraticFrame frame = quadratic_frame(position.data(), slope.data());
  QuadraticGeometry geometry{frame.determinant, {}};
  for (int i = 0; i < quadratic_nodes; ++i) geometry.gradient[i] = frame.gradient(slope[i]);
  return geometry;
}

std::array<Real, quadratic_entries> quadratic_diffusion(const QuadraticCorners& position,
                                                        const Diffusivity& diffusivity) {
  std::array<Real, quadratic_entries> entries{};
  for (const QuadraturePoint& point : fourteen_points()) {
    const QuadraticGeometry geometry = quadratic_geometry(position, point.at);
    const Real volume = point.share * geometry.determinant / 6;
    for (int i = 0; i < quadratic_nodes; ++i) {
      const Vector3 flux = volume * diffusivity.times(geometry.gradient[i]);
      for (int j = i; j < quadratic_nodes; ++j) entries[quadratic_place(i, j)] += dot(flux, geometry.gradient[j]);
    }
  }
  return entries;
}

std::array<Real, quadratic_points> quadratic_volumes(const QuadraticCorners& position) {
  std::array<Real, quadratic_points> volume;
  constexpr auto points = fourteen_points();
  for (int q = 0; q < quadratic_points; ++q)
    volume[q] = points[q].share * quadratic_geometry(position, points[q].at).determinant / 6;
  return volume;
}

}  // namespace cardiowarp
