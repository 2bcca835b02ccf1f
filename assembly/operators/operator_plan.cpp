#include "assembly/operators/operator_plan.hpp"

#include <algorithm>
#include <utility>

#include "assembly/diffusion_matrix.hpp"
#include "assembly/quadratic_assembly.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {

namespace {

/// What a plan has of any mesh; `nodes_of` is [elements].
template <class Nodes>
OperatorPlan plan_of(OperatorKind kind, const std::vector<Nodes>& nodes_of, const Sparsity& sparsity) {
  OperatorPlan plan;
  plan.kind = kind;
  plan.nodes = sparsity.rows();
  plan.elements = static_cast<Index>(nodes_of.size());
  const Incidence& incidence = sparsity.incidence;
  plan.incident.resize(incidence.element.size());
  parallel_for(plan.nodes, [&](std::int64_t node) {
    for (Index k = incidence.begin[node]; k < incidence.begin[node + 1]; ++k) {
      const Nodes& nodes = nodes_of[incidence.element[k]];
      const auto place = std::find(nodes.begin(), nodes.end(), static_cast<Index>(node)) - nodes.begin();
      plan.incident[k] = static_cast<Index>(nodes.size()) * incidence.element[k] + static_cast<Index>(place);
    }
  });
  return plan;
}

}  // namespace

int OperatorPlan::numbers_an_element() const {
  const int of_element = is_quadratic ? quadratic_nodes : 4;
  switch (kind) {
    case OperatorKind::local:
      return of_element * (of_element + 1) / 2;
    case OperatorKind::local_full:
      return of_element * of_element;
    default:
      return is_quadratic ? quadratic_points : 1;
  }
}

OperatorPlan operator_plan(OperatorKind kind, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                           const Sparsity& sparsity, const MatrixLayout& layout, Real weight) {
  OperatorPlan plan = plan_of(kind, mesh.tetrahedra, sparsity);
  plan.has_points = weight > 0;
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

OperatorPlan quadratic_operator_plan(OperatorKind kind, const Mesh& mesh, const std::vector<Diffusivity>& diffusivity,
                                     const Sparsity& sparsity, const MatrixLayout& layout) {
  OperatorPlan plan = plan_of(kind, quadratic_nodes_of(mesh), sparsity);
  plan.is_quadratic = true;
  QuadraticDiffusion diffusion =
      quadratic_diffusion_matrix(mesh, diffusivity, sparsity, layout, kind != OperatorKind::split);
  plan.diagonal = std::move(diffusion.diagonal);
  plan.diffusion = std::move(diffusion.in_slots);
  return plan;
}

}  // namespace cardiowarp
