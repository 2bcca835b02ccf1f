#include "fem/element_volume.hpp"

#include <numeric>

#include "fem/mesh.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "fem/tetrahedron.hpp"

namespace cardiowarp {

Real element_volume(const Mesh& mesh, std::size_t element) {
  if (!mesh.is_quadratic()) return tetrahedron_geometry(mesh.nodes, mesh.tetrahedra[element]).volume;
  const auto of_points = quadratic_volumes(positions_of(mesh, element));
  return std::accumulate(of_points.begin(), of_points.end(), Real{0});
}

}  // namespace cardiowarp
