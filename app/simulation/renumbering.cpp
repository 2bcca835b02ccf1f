#include "app/simulation/renumbering.hpp"

#include <algorithm>
#include <span>

#include "assembly/global_matrix.hpp"
#include "assembly/locality_order.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {
namespace {

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<Index>& order) {
  std::vector<T> result;
  result.reserve(order.size());
  for (const Index i : order) result.push_back(values[i]);
  return result;
}

std::vector<Vector3> centroids(const Mesh& mesh) {
  std::vector<Vector3> points;
  points.reserve(mesh.tetrahedra.size());
  for (const Tetrahedron& nodes : mesh.tetrahedra) {
    Vector3 sum;
    for (const Index node : nodes) sum = sum + mesh.nodes[node];
    points.push_back(0.25 * sum);
  }
  return points;
}

}  // namespace

std::unique_ptr<RenumberedProblem> renumber_for_locality(const Problem& problem, const Device& device) {
  auto owner = std::make_unique<RenumberedProblem>();
  RenumberedProblem& renumbered = *owner;
  const Mesh& mesh = *problem.mesh;
  MatrixOptions matrix;
  {
    const Sparsity sparsity = build_sparsity(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()));
    renumbered.node_in_input = locality_order(mesh.nodes);
    const std::vector<Index> length = permuted(row_lengths(sparsity.row_begin), renumbered.node_in_input);
    renumbered.solver = choose_solver(device, length, {problem.path, problem.preconditioner, problem.matrix});
    matrix = renumbered.solver.matrix;
    const std::vector<Index> sorted = node_order_for(matrix, length);
    if (!sorted.empty()) renumbered.node_in_input = permuted(renumbered.node_in_input, sorted);
    if (matrix.ell_warp.renumbering == EllWarpRenumbering::rows) renumbered.column_key = sorted;
  }
  const std::vector<Index> new_node = inverse_permutation(renumbered.node_in_input);
  const auto rename = [&](Tetrahedron& nodes) {
    for (Index& node : nodes) node = new_node[node];
  };

  std::vector<Tetrahedron> tetrahedra = mesh.tetrahedra;
  std::for_each(tetrahedra.begin(), tetrahedra.end(), rename);
  renumbered.element_in_input = locality_order(centroids(mesh));
  renumbered.mesh.nodes = permuted(mesh.nodes, renumbered.node_in_input);
  renumbered.mesh.tetrahedra = permuted(tetrahedra, renumbered.element_in_input);

  Problem& result = renumbered.problem;
  result.mesh = &renumbered.mesh;
  result.cell_models = problem.cell_models;
  result.cell_model = permuted(problem.cell_model, renumbered.element_in_input);
  result.diffusivity = permuted(problem.diffusivity, renumbered.element_in_input);
  result.phi = permuted(problem.phi, renumbered.node_in_input);
  result.recovery = permuted(problem.recovery, renumbered.element_in_input);
  result.stimuli = problem.stimuli;
  for (Stimulus& stimulus : result.stimuli)
    for (Index& node : stimulus.nodes) node = new_node[node];
  result.probes = problem.probes;
  for (ProbePoint& probe : result.probes) rename(probe.nodes);
  result.newton = problem.newton;
  result.linear_solver = problem.linear_solver;
  result.preconditioner = problem.preconditioner;
  result.path = problem.path;
  result.matrix = matrix;
  result.assembly = problem.assembly;
  return owner;
}

}  // namespace cardiowarp
