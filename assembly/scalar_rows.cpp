#include "assembly/scalar_rows.hpp"

#include "assembly/diffusion_matrix.hpp"
#include "fem/tetrahedron.hpp"

namespace cardiowarp {

ScalarRowsPlan scalar_rows_plan(const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                const Sparsity& sparsity) {
  ScalarRowsPlan plan;
  plan.diffusion = diffusion_matrix(mesh, diffusivity, sparsity);
  for (Index row = 0; row < sparsity.rows(); ++row)
    plan.diagonal.push_back(static_cast<std::uint16_t>(sparsity.diagonal[row] - sparsity.row_begin[row]));
  for (const Tetrahedron& corners : mesh.tetrahedra)
    plan.volume.push_back(tetrahedron_geometry(mesh.nodes, corners).volume);
  return plan;
}

}  // namespace cardiowarp
