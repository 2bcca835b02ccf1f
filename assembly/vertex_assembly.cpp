#include "assembly/vertex_assembly.hpp"

#include "assembly/diffusion_matrix.hpp"

namespace cardiowarp {

VertexPlan vertex_plan(const Mesh& mesh, Real share, const std::vector<std::uint16_t>& cell_model,
                       const Sparsity& sparsity, const MatrixLayout& layout) {
  VertexPlan plan;
  std::vector<Real> volume = element_volumes(mesh);
  for (Real& of_element : volume) of_element *= share;
  plan.points = vertex_points(mesh.tetrahedra, volume, cell_model, static_cast<Index>(mesh.nodes.size()));
  plan.diagonal_slot.reserve(sparsity.diagonal.size());
  for (const Index entry : sparsity.diagonal)
    plan.diagonal_slot.push_back(static_cast<Index>(layout.slot_of_entry[entry]));
  return plan;
}

}  // namespace cardiowarp
