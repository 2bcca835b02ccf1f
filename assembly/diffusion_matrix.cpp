#include "assembly/diffusion_matrix.hpp"

#include <algorithm>

#include "fem/tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

std::vector<Real> diffusion_matrix(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                   const Sparsity& sparsity) {
  std::vector<Real> value(sparsity.entries(), 0.0);
  parallel_for(sparsity.rows(), [&](Index row) {
    Real* row_value = value.data() + sparsity.row_begin[row];
    for (Index k = sparsity.incidence_begin[row]; k < sparsity.incidence_begin[row + 1]; ++k) {
      const Index element = sparsity.incident_element[k];
      const Tetrahedron& node = mesh.tetrahedra[element];
      const TetrahedronGeometry geometry = tetrahedron_geometry(mesh.nodes, node);
      const auto own = std::find(node.begin(), node.end(), row) - node.begin();
      const Vector3 flux = geometry.volume * diffusivity[element].times(geometry.gradient[own]);
      for (int j = 0; j < 4; ++j) row_value[sparsity.incident_slots[k][j]] += dot(flux, geometry.gradient[j]);
    }
  });
  return value;
}

}  // namespace cardiowarp
