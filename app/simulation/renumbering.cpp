#include "app/simulation/renumbering.hpp"

#include <utility>

#include "app/measure/setup_log.hpp"
#include "app/simulation/select_tissue.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/locality_order.hpp"
#include "assembly/sparsity.hpp"
#include "kernels/backend/thread_team.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {
namespace {

std::vector<Vector3> centroids(const Mesh& mesh) {
  std::vector<Vector3> points;
  resize_by_team(points, mesh.tetrahedra.size());
  parallel_for(points.size(), [&](std::size_t element) {
    Vector3 sum;
    for (const Index node : mesh.tetrahedra[element]) sum = sum + mesh.nodes[node];
    points[element] = 0.25 * sum;
  });
  return points;
}

}  // namespace

RenumberedProblem renumber_for_locality(const Problem& problem, const Device& device) {
  const Mesh& mesh = *problem.mesh;
  SetupLog log;
  std::vector<Index> nodes = locality_order(mesh.nodes);
  log.ended("order nodes");
  std::vector<Index> elements = locality_order(centroids(mesh));
  log.ended("order elements");
  return renumber_in_orders(problem, device, std::move(nodes), std::move(elements));
}

RenumberedProblem renumber_in_orders(const Problem& problem, const Device& device, std::vector<Index> node_order,
                                     std::vector<Index> element_order) {
  RenumberedProblem renumbered;
  const Mesh& mesh = *problem.mesh;
  SetupLog log;
  renumbered.node_in_input = std::move(node_order);
  renumbered.element_in_input = std::move(element_order);
  // In that order, in which what belongs to a row is near, each entry is met once; the sort below moves it.
  const std::vector<Index>&nodes = renumbered.node_in_input, &elements = renumbered.element_in_input;
  const auto node_count = static_cast<Index>(mesh.nodes.size());
  Sparsity sparsity = mesh.is_quadratic()
                          ? unsorted_quadratic_sparsity(selected_quadratic(mesh, nodes, elements), node_count, nodes)
                          : unsorted_sparsity(selected_tetrahedra(mesh, nodes, elements), node_count, nodes);
  const std::vector<Index> length = row_lengths(sparsity.row_begin);
  log.ended("sparsity");
  renumbered.solver = choose_solver(device, length,
                                    {problem.path, problem.preconditioner, problem.matrix, problem.polynomial,
                                     problem.precision, least_linear_tolerance(problem), problem.matrix_operator});
  log.ended("choose solver");
  const MatrixOptions& matrix = renumbered.solver.matrix;
  const std::vector<Index> sorted = node_order_for(matrix, length);
  if (!sorted.empty()) renumbered.node_in_input = selected(renumbered.node_in_input, sorted);
  if (matrix.ell_warp.renumbering == EllWarpRenumbering::rows) renumbered.column_key = sorted;
  log.ended("sort rows");
  renumbered.sparsity = sorted_sparsity(sparsity, sorted, renumbered.column_key);
  sparsity = {};
  log.ended("sort sparsity");
  renumbered.problem = {select_tissue(problem, renumbered.node_in_input, renumbered.element_in_input),
                        static_cast<const Methods&>(problem)};
  log.ended("reorder tissue");
  renumbered.problem.matrix = renumbered.solver.matrix;
  renumbered.problem.point_states = problem.point_states;
  return renumbered;
}

}  // namespace cardiowarp
