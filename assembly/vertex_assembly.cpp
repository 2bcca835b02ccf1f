#include "assembly/vertex_assembly.hpp"

#include "assembly/diffusion_matrix.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

VertexPlan vertex_plan(const Mesh& mesh, Real share, const std::vector<std::uint16_t>& cell_model,
                       const Sparsity& sparsity, const MatrixLayout& layout) {
  VertexPlan plan;
  std::vector<Real> volume = element_volumes(mesh);
  parallel_for(volume.size(), [&](std::size_t element) { volume[element] *= share; });
  plan.points = vertex_points(sparsity.incidence, volume, cell_model);
  resize_by_team(plan.diagonal_slot, sparsity.diagonal.size());
  parallel_for(plan.diagonal_slot.size(), [&](std::size_t node) {
    plan.diagonal_slot[node] = static_cast<Index>(layout.slot_of_entry[sparsity.diagonal[node]]);
  });
  return plan;
}

}  // namespace cardiowarp
