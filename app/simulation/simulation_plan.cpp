#include "app/simulation/simulation_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "app/config/config_names.hpp"
#include "app/measure/setup_log.hpp"
#include "app/simulation/choose_assembly.hpp"
#include "app/simulation/choose_solver.hpp"
#include "app/simulation/point_order.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

/// The centroids have `weight` of their elements' volumes.
void plan_centroids(SimulationPlan& plan, Real weight, const Device& device) {
  const Problem& problem = plan.problem();
  const Mesh& mesh = *problem.mesh;
  const auto weigh = [&](auto centroids) {
    for (Real& volume : centroids.volume) volume *= weight;
    plan.assembly = std::move(centroids);
  };
  if (is_of_the_papers(problem.assembly.strategy)) {
    plan.assembly =
        plan_paper_assembly(problem.assembly.strategy, weight, tissue_to_assemble(plan), plan.matrix, device);
    return;
  }
  switch (problem.assembly.strategy) {
    case AssemblyStrategy::spmv:
      plan.assembly = spmv_assembly_plan(mesh.tetrahedra, plan.sparsity, plan.matrix, problem.assembly);
      break;
    case AssemblyStrategy::row_gather:
      weigh(scalar_rows_plan(mesh, problem.diffusivity, plan.sparsity));
      break;
    case AssemblyStrategy::slice_gather:
      weigh(slice_gather_plan(mesh, problem.diffusivity, plan.sparsity, plan.matrix));
      break;
    default:
      weigh(scalar_gather_plan(mesh, problem.diffusivity, plan.sparsity, plan.matrix));
  }
}

/// The largest row sum of the magnitudes of the diffusion matrix over the mass of its node (Gershgorin).
Real stiffness_of_diffusion(const VertexPlan& vertices, const Sparsity& sparsity, const MatrixLayout& layout) {
  const auto of_row = [&](std::int64_t row) {
    Real mass = 0, sum = 0;
    for (Index point = vertices.points.begin[row]; point < vertices.points.begin[row + 1]; ++point)
      mass += vertices.points.volume[point];
    for (auto entry = sparsity.row_begin[row]; entry < sparsity.row_begin[row + 1]; ++entry)
      sum += std::fabs(vertices.diffusion[layout.slot_of_entry[entry]]);
    return mass > 0 ? sum / mass : 0;
  };
  return joined_blocks<Real>(
      sparsity.rows(), [&](Real& largest, std::int64_t row) { largest = std::max(largest, of_row(row)); },
      [](Real& largest, Real of_some) { largest = std::max(largest, of_some); });
}

/// Vertex points, beside centroids or, with `alone`, without.
void plan_vertices(SimulationPlan& plan, Real weight, bool alone) {
  const Problem& problem = plan.problem();
  const Mesh& mesh = *problem.mesh;
  VertexPlan vertices = vertex_plan(mesh, weight, problem.cell_model, plan.sparsity, plan.matrix);
  if (alone) {
    vertices.diffusion = diffusion_matrix(mesh, problem.diffusivity, plan.sparsity, plan.matrix);
    vertices.stiffness = stiffness_of_diffusion(vertices, plan.sparsity, plan.matrix);
  } else {
    vertices.first_point = static_cast<Index>(mesh.tetrahedra.size());
  }
  plan.vertices = std::move(vertices);
}

/// States at the points in the order of the input, [states × points], in that of the plan.
std::vector<Real> states_of_input(const SimulationPlan& plan, const std::vector<Real>& in_input) {
  const std::vector<Index> order = points_in_input(plan);
  if (in_input.size() != plan.states.size())
    throw InputError(fmt::format("initial states: expected {} of them at {} points, got {}", plan.states.size(),
                                 order.size(), in_input.size()));
  std::vector<Real> states;
  resize_by_team(states, in_input.size());
  for (std::size_t first = 0; first < states.size(); first += order.size())
    parallel_for(order.size(), [&](std::size_t i) { states[first + i] = in_input[first + order[i]]; });
  return states;
}

/// Throws where an operator without a global matrix meets what needs one.
void require_operator_suits(const SimulationPlan& plan) {
  const Problem& problem = plan.problem();
  const auto refuse = [&](const std::string& needed) {
    throw InputError(fmt::format("linear_solver.operator: {} needs {} (auto takes what suits)",
                                 name_of(plan.renumbered.solver.matrix_operator), needed));
  };
  if (problem.assembly.strategy != AssemblyStrategy::automatic) refuse("assembly.strategy: auto");
  if (problem.time.scheme == TimeScheme::rkc2) refuse("a time.scheme other than rkc2, which solves no system");
}

/// The loops in place of an assembly where the linear solver has no global matrix.
void plan_operator(SimulationPlan& plan, const QuadratureWeights& weights) {
  require_operator_suits(plan);
  const Problem& problem = plan.problem();
  const Mesh& mesh = *problem.mesh;
  plan.operators = operator_plan(plan.renumbered.solver.matrix_operator, mesh, problem.diffusivity, plan.sparsity,
                                 plan.matrix, weights.centroid);
  plan.operators->in_single = plan.renumbered.solver.precision != SolverPrecision::double_precision;
  if (weights.vertices > 0) {
    plan.vertices = vertex_plan(mesh, weights.vertices, problem.cell_model, plan.sparsity, plan.matrix);
    if (weights.centroid > 0) plan.vertices->first_point = plan.operators->elements;
  }
}

/// Plans the assembly of a quadratic mesh that is asked for. Returns true, with nothing planned, for `entry_gather`,
/// which is part of the QuadraticPlan.
bool plan_quadratic_strategy(SimulationPlan& plan, const Device& device) {
  const Problem& problem = plan.problem();
  const AssemblyStrategy strategy = problem.assembly.strategy;
  if (strategy == AssemblyStrategy::spmv)
    plan.assembly = spmv_assembly_plan(quadratic_nodes_of(*problem.mesh), plan.sparsity, plan.matrix, problem.assembly);
  else if (is_of_the_papers(strategy))
    plan.assembly = plan_paper_assembly(strategy, 1, tissue_to_assemble(plan), plan.matrix, device);
  else
    return true;
  return false;
}

/// [nodes] The diagonal of a quadratic mesh's diffusion matrix where no sums gather: of the matrix that the operator or
/// the assembly has in its plan, or else, for general elements, of one that is made for it.
std::vector<Real> diagonal_of_diffusion(const SimulationPlan& plan) {
  if (plan.operators) return plan.operators->diagonal;
  const Problem& problem = plan.problem();
  if (const auto* paper = std::get_if<PaperAssemblyPlan>(&plan.assembly); paper && !paper->diffusion().empty()) {
    std::vector<Real> diagonal;
    for (const Index entry : plan.sparsity.diagonal)
      diagonal.push_back(paper->diffusion()[plan.matrix.slot_of_entry[entry]]);
    return diagonal;
  }
  return quadratic_diffusion_matrix(*problem.mesh, problem.diffusivity, plan.sparsity, plan.matrix, true).diagonal;
}

/// The assembly of a quadratic mesh, or its operator, and its states: an element's at each of its points.
void plan_quadratic(SimulationPlan& plan, const Device& device) {
  const Problem& problem = plan.problem();
  const auto refuse = [](const std::string& key, const std::string& value, const char* needed) {
    throw InputError(
        fmt::format("{}: {} is for linear tetrahedra: a mesh of quadratic ones needs {}", key, value, needed));
  };
  if (problem.quadrature != Quadrature::fourteen_points)
    refuse("quadrature", name_of(problem.quadrature, quadrature_names), "fourteen_points");
  if (problem.time.scheme == TimeScheme::rkc2)
    refuse("time.scheme", "rkc2, which needs a lumped mass,", "another scheme");
  bool gathers = false;
  if (plan.renumbered.solver.matrix_operator != OperatorKind::assembled) {
    require_operator_suits(plan);
    plan.operators = quadratic_operator_plan(plan.renumbered.solver.matrix_operator, *problem.mesh, problem.diffusivity,
                                             plan.sparsity, plan.matrix);
    plan.operators->in_single = plan.renumbered.solver.precision != SolverPrecision::double_precision;
  } else {
    plan.renumbered.problem.assembly = choose_quadratic_assembly(problem.assembly);
    gathers = plan_quadratic_strategy(plan, device);
  }
  plan.quadratic = quadratic_plan(gathers, *problem.mesh, problem.diffusivity, plan.sparsity, plan.matrix);
  if (!gathers) plan.quadratic->diffusion_diagonal = diagonal_of_diffusion(plan);
  resize_by_team(plan.states, quadratic_points * problem.states.size());
  parallel_for(plan.states.size(), [&](std::size_t i) { plan.states[i] = problem.states[i / quadratic_points]; });
}

void plan_assembly(SimulationPlan& plan, const Device& device) {
  if (plan.problem().mesh->is_quadratic()) {
    plan_quadratic(plan, device);
    if (plan.problem().point_states) plan.states = states_of_input(plan, *plan.problem().point_states);
    return;
  }
  const QuadratureWeights weights = weights_of(plan.problem().quadrature);
  AssemblyOptions& assembly = plan.renumbered.problem.assembly;
  const bool is_assembled = plan.renumbered.solver.matrix_operator == OperatorKind::assembled;
  if (!is_assembled) plan_operator(plan, weights);
  assembly = choose_assembly(assembly, plan.problem().quadrature, device, plan.matrix, plan.sparsity);
  if (is_assembled) {
    if (weights.centroid > 0) plan_centroids(plan, weights.centroid, device);
    if (weights.vertices > 0) plan_vertices(plan, weights.vertices, weights.centroid == 0);
  }
  if (plan.vertices)
    plan.states = states_at_points(plan.problem(), plan.sparsity.incidence, plan.vertices->points,
                                   plan.vertices->points.points());
  else
    plan.states = plan.problem().states;
  if (plan.problem().point_states) plan.states = states_of_input(plan, *plan.problem().point_states);
}

/// What the steps and the watch over the pulses need of the nodes.
void plan_steps(SimulationPlan& plan) {
  const Problem& problem = plan.problem();
  const Mesh& mesh = *problem.mesh;
  plan.lowest_phi = lowest_admissible_phi(problem);
  if (plan.operators) {
    plan.operators->prescribed = problem.prescribed;
    plan.prescribed = prescribed_plan_of_operator(problem.prescribed);
  } else {
    plan.prescribed = prescribed_plan(problem.prescribed, plan.sparsity, plan.matrix);
  }
  if (problem.time.linear_follows)
    plan.residual_scales = plan.quadratic ? quadratic_residual_scales(problem, *plan.quadratic)
                                          : residual_scales(problem, plan.sparsity.incidence);
  if (problem.quadrature == Quadrature::vertices)
    plan.corner_points = std::make_shared<const std::vector<Tetrahedron>>(
        points_of_corners(plan.vertices->points, mesh.tetrahedra, problem.cell_model));
  if (problem.stimuli.empty()) return;
  const std::vector<Real> widths_mm = front_widths_mm(problem);
  // The trains of a protocol, which follow each other, have the same nodes.
  const std::vector<Index>* before = nullptr;
  for (const Stimulus& stimulus : problem.stimuli) {
    plan.surroundings.push_back(before && *before == stimulus.nodes
                                    ? plan.surroundings.back()
                                    : std::make_shared<const PulseSurroundings>(
                                          surroundings_of(plan.sparsity, mesh.nodes, stimulus.nodes, widths_mm)));
    before = &stimulus.nodes;
  }
}

}  // namespace

std::vector<Real> states_at_points(const Problem& problem, const Incidence& incidence, const VertexPoints& vertices,
                                   Index kept) {
  std::vector<Real> at_vertices = at_vertex_points(vertices, incidence, problem.cell_model, problem.states);
  const bool centroids = weights_of(problem.quadrature).centroid > 0;
  if (!centroids && kept == vertices.points()) return at_vertices;
  const std::size_t elements = problem.mesh->tetrahedra.size(), number = state_count(problem.cell_models);
  std::vector<Real> states;
  states.reserve(number * ((centroids ? elements : 0) + kept));
  for (std::size_t k = 0; k < number; ++k) {
    const auto copy = [&](const std::vector<Real>& from, std::size_t of_a_state, std::size_t count) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(k * of_a_state);
      states.insert(states.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    if (centroids) copy(problem.states, elements, elements);
    copy(at_vertices, vertices.points(), kept);
  }
  return states;
}

RenumberedProblem choose_solver_and_order(const Problem& problem, MeshOrder order, const Device& device) {
  SetupLog log;
  Sparsity rows = rows_in_order(problem, order);
  const std::vector<Index> length = row_lengths(rows.row_begin);
  log.ended("sparsity");
  SolverChoice solver = choose_solver(device, length,
                                      {problem.path, problem.preconditioner, problem.matrix, problem.polynomial,
                                       problem.precision, least_linear_tolerance(problem), problem.matrix_operator});
  log.ended("choose solver");
  return renumbered_for(problem, std::move(order), std::move(rows), std::move(solver));
}

RenumberedProblem choose_solver_and_order(const Problem& problem, const Device& device) {
  return choose_solver_and_order(problem, order_by_locality(problem), device);
}

SimulationPlan plan_simulation(const Problem& problem, const Device& device) {
  return plan_in_given_order(choose_solver_and_order(problem, device), device);
}

SimulationPlan plan_in_given_order(RenumberedProblem problem, const Device& device) {
  SetupLog log;
  SimulationPlan plan;
  plan.renumbered = std::move(problem);
  const Mesh& mesh = *plan.problem().mesh;
  const auto nodes = static_cast<Index>(mesh.nodes.size());
  if (plan.renumbered.sparsity)
    plan.sparsity = std::exchange(plan.renumbered.sparsity, {}).value();
  else if (mesh.is_quadratic())
    plan.sparsity = build_quadratic_sparsity(quadratic_nodes_of(mesh), nodes, plan.renumbered.column_key);
  else
    plan.sparsity = build_sparsity(mesh.tetrahedra, nodes, plan.renumbered.column_key);
  plan.matrix = matrix_layout(plan.sparsity, plan.problem().matrix);
  log.ended("matrix layout");
  plan_assembly(plan, device);
  log.ended("plan assembly");
  plan.solver = plan_solver(device, plan.renumbered.solver, plan.matrix, pattern_of(plan.sparsity));
  log.ended("plan solver");
  plan_steps(plan);
  log.ended("plan steps");
  return plan;
}

}  // namespace cardiowarp
