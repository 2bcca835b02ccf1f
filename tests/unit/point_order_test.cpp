#include "app/simulation/point_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "kernels/backend/device.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

/// What is at each place of the order of the mesh: the element or node of the input, and the parameter set.
std::vector<std::array<Index, 2>> points_in_order(const SimulationPlan& plan) {
  const std::vector<Index> order = points_in_input(plan);
  EXPECT_EQ(static_cast<Index>(order.size()), plan.points());
  std::vector<std::array<Index, 2>> found(order.size(), {-1, -1});
  std::size_t point = 0;
  const RenumberedProblem& renumbered = plan.renumbered;
  if (weights_of(plan.problem().quadrature).centroid > 0)
    for (std::size_t e = 0; e < renumbered.element_in_input.size(); ++e)
      found.at(order[point++]) = {renumbered.element_in_input[e], plan.problem().cell_model[e]};
  if (plan.vertices)
    for (std::size_t node = 0; node < renumbered.node_in_input.size(); ++node)
      for (Index k = plan.vertices->points.begin[node]; k < plan.vertices->points.begin[node + 1]; ++k)
        found.at(order[point++]) = {renumbered.node_in_input[node], plan.vertices->points.cell_model[k]};
  return found;
}

TEST(PointOrder, DoesNotDependOnTheOrderOfTheMachine) {
  const Mesh mesh = renumbered(random_mesh({3, 2.5, 2}, 0.5, 31), 31).mesh;
  Problem problem = resting_problem(mesh, 1, 0);
  problem.cell_models = std::vector<AlievPanfilov>{{.b = 0.1}, {.b = 0.2}, {.b = 0.3}};
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) problem.cell_model[e] = static_cast<std::uint16_t>(e % 3);
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid}) {
    problem.quadrature = quadrature;
    const SimulationPlan plan = plan_simulation(problem, cpu_device());
    RenumberedProblem as_given;
    as_given.problem = problem;
    as_given.problem.matrix = plan.problem().matrix;
    as_given.solver = plan.renumbered.solver;
    as_given.node_in_input.resize(mesh.nodes.size());
    as_given.element_in_input.resize(mesh.tetrahedra.size());
    std::iota(as_given.node_in_input.begin(), as_given.node_in_input.end(), 0);
    std::iota(as_given.element_in_input.begin(), as_given.element_in_input.end(), 0);
    ASSERT_FALSE(std::is_sorted(plan.renumbered.node_in_input.begin(), plan.renumbered.node_in_input.end()));
    const auto found = points_in_order(plan);
    EXPECT_EQ(found, points_in_order(plan_in_given_order(as_given, cpu_device())));
    EXPECT_EQ(std::count(found.begin(), found.end(), std::array<Index, 2>{-1, -1}), 0);
  }
}

}  // namespace
}  // namespace cardiowarp
