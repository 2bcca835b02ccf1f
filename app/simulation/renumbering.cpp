#include "app/simulation/renumbering.hpp"

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

/// [nodes] of the matrix, in the order `node_in_input`. They are counted in that order and that of the elements, in
/// which what belongs to a row is near. Throws as build_sparsity() does, with numbers of the input.
std::vector<Index> row_lengths_in_order(const Mesh& mesh, const std::vector<Index>& node_in_input,
                                        const std::vector<Index>& element_in_input) {
  const std::vector<Index> length = pattern_row_lengths(selected_tetrahedra(mesh, node_in_input, element_in_input),
                                                        static_cast<Index>(node_in_input.size()));
  std::vector<Index> in_input(length.size());
  parallel_for(length.size(), [&](std::size_t i) { in_input[node_in_input[i]] = length[i]; });
  row_begins_of(in_input);
  return length;
}

}  // namespace

RenumberedProblem renumber_for_locality(const Problem& problem, const Device& device) {
  RenumberedProblem renumbered;
  const Mesh& mesh = *problem.mesh;
  SetupLog log;
  renumbered.node_in_input = locality_order(mesh.nodes);
  log.ended("order nodes");
  renumbered.element_in_input = locality_order(centroids(mesh));
  log.ended("order elements");
  const std::vector<Index> length = row_lengths_in_order(mesh, renumbered.node_in_input, renumbered.element_in_input);
  log.ended("count row lengths");
  renumbered.solver = choose_solver(device, length,
                                    {problem.path, problem.preconditioner, problem.matrix, problem.polynomial,
                                     problem.precision, least_linear_tolerance(problem)});
  log.ended("choose solver");
  const MatrixOptions& matrix = renumbered.solver.matrix;
  const std::vector<Index> sorted = node_order_for(matrix, length);
  if (!sorted.empty()) renumbered.node_in_input = selected(renumbered.node_in_input, sorted);
  if (matrix.ell_warp.renumbering == EllWarpRenumbering::rows) renumbered.column_key = sorted;
  log.ended("sort rows");
  renumbered.problem = {select_tissue(problem, renumbered.node_in_input, renumbered.element_in_input),
                        static_cast<const Methods&>(problem)};
  log.ended("reorder tissue");
  renumbered.problem.matrix = renumbered.solver.matrix;
  return renumbered;
}

}  // namespace cardiowarp
