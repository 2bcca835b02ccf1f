#include "app/simulation/laplace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "app/simulation/laplace_solver.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "assembly/quadratic_assembly.hpp"
#include "fem/components.hpp"
#include "fem/input_error.hpp"
#include "fem/quadratic_tetrahedron.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/thread_team.hpp"
#include "solver/cg/power_of_two.hpp"

namespace cardiowarp {
namespace {

/// Throws where the equation has no single solution.
void require_prescribed_everywhere(const Mesh& mesh, const PrescribedValues& values) {
  const Components components = connected_components(mesh);
  std::vector<bool> has_value(components.all.size(), false);
  for (const Index node : values.node) has_value[components.component_of_node[node]] = true;
  for (std::size_t k = 0; k < has_value.size(); ++k) {
    if (has_value[k]) continue;
    const auto& [nodes, centre] = components.all[k];
    throw InputError(
        fmt::format("--at: expected a prescribed value in each connected part of the mesh, got none in part "
                    "{} of {}, {} node{} around ({:.3g}, {:.3g}, {:.3g}) mm",
                    k + 1, has_value.size(), nodes, nodes == 1 ? "" : "s", centre.x, centre.y, centre.z));
  }
}

/// The equation as a problem whose order and solver can be chosen; it has no cells to speak of.
Problem problem_of(const Mesh& mesh, const PrescribedValues& values) {
  Problem problem;
  problem.mesh = borrowed(mesh);
  problem.cell_model.assign(mesh.tetrahedra.size(), 0);
  problem.diffusivity.assign(mesh.tetrahedra.size(), Diffusivity{1, 0, {}});
  problem.phi.assign(mesh.nodes.size(), 0);
  problem.prescribed = values.node;
  for (std::size_t k = 0; k < values.node.size(); ++k) problem.phi[values.node[k]] = values.value[k];
  return problem;
}

}  // namespace

LaplacePlan plan_laplace(const Mesh& mesh, const PrescribedValues& values, const Device& device,
                         SolverPrecision precision) {
  require_prescribed_everywhere(mesh, values);
  LaplacePlan plan;
  Problem wanted = problem_of(mesh, values);
  wanted.precision = precision;
  plan.renumbered = choose_solver_and_order(wanted, device);
  const Problem& problem = plan.renumbered.problem;
  plan.sparsity = std::exchange(plan.renumbered.sparsity, {}).value();
  plan.matrix = matrix_layout(plan.sparsity, problem.matrix);
  require_countable_slots(plan.matrix.slots);
  plan.solver = plan_solver(device, plan.renumbered.solver, plan.matrix, pattern_of(plan.sparsity));
  plan.diffusion =
      mesh.is_quadratic()
          ? quadratic_diffusion_matrix(*problem.mesh, problem.diffusivity, plan.sparsity, plan.matrix, false).in_slots
          : diffusion_matrix(*problem.mesh, problem.diffusivity, plan.sparsity, plan.matrix);
  plan.diagonal_slot = diagonal_slots(plan.sparsity, plan.matrix);
  plan.prescribed = prescribed_plan(problem.prescribed, plan.sparsity, plan.matrix);
  return plan;
}

LaplaceField solve_laplace_on_cpu(const Mesh& mesh, const PrescribedValues& values, const LaplaceOptions& options) {
  return solve_laplace_scaled(values, [&](const PrescribedValues& scaled) {
    const LaplacePlan plan = plan_laplace(mesh, scaled, cpu_device(), options.precision);
    CpuBackend backend;
    return LaplaceSolver<CpuBackend>(backend, plan).solve(options);
  });
}

std::vector<LaplaceField> solve_laplace_on_cpu(const Mesh& mesh, const std::vector<Index>& nodes,
                                               const std::vector<std::vector<Real>>& values,
                                               const LaplaceOptions& options) {
  LaplacePlan plan = plan_laplace(mesh, {nodes, values.at(0)}, cpu_device(), options.precision);
  std::vector<LaplaceField> fields;
  CpuBackend backend;
  std::vector<Real> in_input(mesh.nodes.size(), 0);
  for (const std::vector<Real>& of_nodes : values) {
    for (std::size_t k = 0; k < nodes.size(); ++k) in_input[nodes[k]] = of_nodes[k];
    std::vector<Real>& phi = plan.renumbered.problem.phi;
    for (std::size_t i = 0; i < phi.size(); ++i) phi[i] = in_input[plan.renumbered.node_in_input[i]];
    fields.push_back(LaplaceSolver<CpuBackend>(backend, plan).solve(options));
  }
  return fields;
}

LaplaceField solve_laplace_scaled(const PrescribedValues& values,
                                  const std::function<LaplaceField(const PrescribedValues&)>& solve) {
  Real largest = 0;
  for (const Real value : values.value) largest = std::max(largest, std::fabs(value));
  const int exponent = exponent_near(largest);
  PrescribedValues scaled = values;
  for (Real& value : scaled.value) value = std::ldexp(value, -exponent);
  LaplaceField field = solve(scaled);
  for (Real& value : field.value) value = std::ldexp(value, exponent);
  for (std::size_t k = 0; k < values.node.size(); ++k) field.value[values.node[k]] = values.value[k];
  return field;
}

namespace {

/// The mean over an element that may be curved.
Vector3 quadratic_gradient(const Mesh& mesh, std::size_t element, std::span<const Real> value) {
  const QuadraticNodes nodes = nodes_of(mesh, element);
  const QuadraticCorners position = positions_of(mesh, element);
  Vector3 sum;
  Real volume = 0;
  for (const QuadraturePoint& point : fourteen_points()) {
    const QuadraticGeometry geometry = quadratic_geometry(position, point.at);
    const Real share = point.share * geometry.determinant;
    for (int i = 0; i < quadratic_nodes; ++i) sum = sum + share * value[nodes[i]] * geometry.gradient[i];
    volume += share;
  }
  return (1 / volume) * sum;
}

}  // namespace

std::vector<Vector3> gradients(const Mesh& mesh, std::span<const Real> value) {
  std::vector<Vector3> result;
  resize_by_team(result, mesh.tetrahedra.size());
  parallel_for(result.size(), [&](std::size_t element) {
    if (mesh.is_quadratic()) {
      result[element] = quadratic_gradient(mesh, element, value);
      return;
    }
    const Tetrahedron& corners = mesh.tetrahedra[element];
    const TetrahedronGeometry geometry = tetrahedron_geometry(mesh.nodes, corners);
    Vector3 sum;
    for (int i = 0; i < 4; ++i) sum = sum + value[corners[i]] * geometry.gradient[i];
    result[element] = sum;
  });
  return result;
}

}  // namespace cardiowarp
