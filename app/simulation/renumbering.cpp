#include "app/simulation/renumbering.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "app/measure/setup_log.hpp"
#include "app/simulation/conducting.hpp"
#include "app/simulation/select_tissue.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/global_matrix.hpp"
#include "assembly/locality_order.hpp"
#include "fem/mesh.hpp"
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

MeshOrder order_by_locality(const Problem& problem) {
  const Mesh& mesh = *problem.mesh;
  SetupLog log;
  MeshOrder order;
  order.node = locality_order(mesh.nodes);
  log.ended("order nodes");
  order.element = locality_order(centroids(mesh));
  const auto has_tissue = [&](Index element) { return conducts(problem.diffusivity[element]); };
  if (std::ranges::any_of(order.element, has_tissue))  // otherwise cells that are not coupled are what is computed
    std::erase_if(order.element, std::not_fn(has_tissue));
  log.ended("order elements");
  return order;
}

Sparsity rows_in_order(const Problem& problem, const MeshOrder& order) {
  const Mesh& mesh = *problem.mesh;
  // In that order, in which what belongs to a row is near, each entry is met once; the sort of renumbered_for() moves
  // it.
  const auto nodes = static_cast<Index>(mesh.nodes.size());
  return mesh.is_quadratic()
             ? unsorted_quadratic_sparsity(selected_quadratic(mesh, order.node, order.element), nodes, order.node)
             : unsorted_sparsity(selected_tetrahedra(mesh, order.node, order.element), nodes, order.node);
}

RenumberedProblem renumbered_for(const Problem& problem, MeshOrder order, Sparsity rows, SolverChoice solver) {
  RenumberedProblem renumbered;
  SetupLog log;
  renumbered.node_in_input = std::move(order.node);
  renumbered.element_in_input = std::move(order.element);
  renumbered.solver = std::move(solver);
  const MatrixOptions& matrix = renumbered.solver.matrix;
  const std::vector<Index> sorted = node_order_for(matrix, row_lengths(rows.row_begin));
  if (!sorted.empty()) renumbered.node_in_input = selected(renumbered.node_in_input, sorted);
  if (matrix.ell_warp.renumbering == EllWarpRenumbering::rows) renumbered.column_key = sorted;
  log.ended("sort rows");
  renumbered.sparsity = sorted_sparsity(rows, sorted, renumbered.column_key);
  rows = {};
  log.ended("sort sparsity");
  renumbered.problem = {select_tissue(problem, renumbered.node_in_input, renumbered.element_in_input),
                        static_cast<const Methods&>(problem)};
  log.ended("reorder tissue");
  renumbered.problem.matrix = renumbered.solver.matrix;
  renumbered.problem.point_states = problem.point_states;
  return renumbered;
}

}  // namespace cardiowarp
