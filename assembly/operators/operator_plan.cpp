#include "assembly/operators/operator_plan.hpp"

#include "assembly/diffusion_matrix.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

int OperatorPlan::numbers_an_element() const {
  switch (kind) {
    case OperatorKind::local:
      return 10;
    case OperatorKind::local_full:
      return 16;
    default:
      return 1;
  }
}

OperatorPlan operator_plan(OperatorKind kind, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                           const Sparsity& sparsity, const MatrixLayout& layout, Real weight) {
  OperatorPlan plan;
  plan.kind = kind;
  plan.nodes = sparsity.rows();
  plan.elements = static_cast<Index>(mesh.tetrahedra.size());
  plan.has_points = weight > 0;
  const Incidence& incidence = sparsity.incidence;
  plan.incident.resize(incidence.element.size());
  parallel_for(plan.nodes, [&](std::int64_t node) {
    for (Index k = incidence.begin[node]; k < incidence.begin[node + 1]; ++k) {
      const Index element = incidence.element[k];
      Index corner = 0;
      while (mesh.tetrahedra[element][corner] != node) ++corner;
      plan.incident[k] = 4 * element + corner;
    }
  });
  if (plan.has_points) {
    plan.volume = element_volumes(mesh);
    for (Real& volume : plan.volume) volume *= weight;
  }
  std::vector<Real> diffusion = diffusion_matrix(mesh, diffusivity, sparsity);
  plan.diagonal.resize(plan.nodes);
  for (Index node = 0; node < plan.nodes; ++node) plan.diagonal[node] = diffusion[sparsity.diagonal[node]];
  if (kind == OperatorKind::split) {
    plan.diffusion.resize(layout.slots);
    for (std::size_t e = 0; e < diffusion.size(); ++e) plan.diffusion[layout.slot_of_entry[e]] = diffusion[e];
  }
  return plan;
}

}  // namespace cardiowarp
