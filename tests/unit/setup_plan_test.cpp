#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "app/simulation/implicit_stage.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/build_sparsity.hpp"
#include "assembly/diffusion_matrix.hpp"
#include "tests/support/setup_meshes.hpp"
#include "tests/support/threads.hpp"

namespace cardiowarp {
namespace {

bool same(const EllWarpLayout& a, const EllWarpLayout& b) {
  return a.shape.row == b.shape.row && a.shape.slice_begin == b.shape.slice_begin &&
         a.shape.slice_row == b.shape.slice_row && a.shape.slice_lanes == b.shape.slice_lanes &&
         a.slot_of_entry == b.slot_of_entry && a.column == b.column;
}

void expect_same_assembly(const SimulationPlan& a, const SimulationPlan& b) {
  ASSERT_EQ(a.assembly.index(), b.assembly.index());
  if (const auto* rows = std::get_if<ScalarRowsPlan>(&a.assembly)) {
    const auto& other = std::get<ScalarRowsPlan>(b.assembly);
    EXPECT_EQ(rows->diffusion, other.diffusion);
    EXPECT_EQ(rows->diagonal, other.diagonal);
    EXPECT_EQ(rows->volume, other.volume);
  }
  if (const auto* slices = std::get_if<SliceGatherPlan>(&a.assembly)) {
    const auto& other = std::get<SliceGatherPlan>(b.assembly);
    EXPECT_EQ(slices->diffusion, other.diffusion);
    EXPECT_EQ(slices->contribution_begin, other.contribution_begin);
    EXPECT_EQ(slices->contribution, other.contribution);
    EXPECT_EQ(slices->sums_begin, other.sums_begin);
    EXPECT_EQ(slices->diagonal, other.diagonal);
    EXPECT_EQ(slices->volume, other.volume);
  }
  if (const auto* gather = std::get_if<ScalarGatherPlan>(&a.assembly)) {
    const auto& other = std::get<ScalarGatherPlan>(b.assembly);
    EXPECT_EQ(gather->diffusion, other.diffusion);
    EXPECT_TRUE(same(gather->entry_elements, other.entry_elements));
    EXPECT_TRUE(same(gather->node_elements, other.node_elements));
    EXPECT_EQ(gather->diagonal_slot, other.diagonal_slot);
    EXPECT_EQ(gather->volume, other.volume);
  }
}

void expect_same_vertices(const SimulationPlan& a, const SimulationPlan& b) {
  EXPECT_EQ(a.states, b.states);
  ASSERT_EQ(a.vertices.has_value(), b.vertices.has_value());
  if (!a.vertices) return;
  EXPECT_EQ(a.vertices->points.begin, b.vertices->points.begin);
  EXPECT_EQ(a.vertices->points.cell_model, b.vertices->points.cell_model);
  EXPECT_EQ(a.vertices->points.volume, b.vertices->points.volume);
  EXPECT_EQ(a.vertices->diagonal_slot, b.vertices->diagonal_slot);
  EXPECT_EQ(a.vertices->diffusion, b.vertices->diffusion);
  EXPECT_EQ(a.vertices->stiffness, b.vertices->stiffness);
}

void expect_same(const SimulationPlan& a, const SimulationPlan& b) {
  EXPECT_EQ(a.renumbered.node_in_input, b.renumbered.node_in_input);
  EXPECT_EQ(a.renumbered.element_in_input, b.renumbered.element_in_input);
  EXPECT_EQ(a.problem().mesh->tetrahedra, b.problem().mesh->tetrahedra);
  EXPECT_EQ(a.problem().mesh->nodes, b.problem().mesh->nodes);
  EXPECT_EQ(a.sparsity.column, b.sparsity.column);
  EXPECT_EQ(a.matrix.slot_of_entry, b.matrix.slot_of_entry);
  EXPECT_TRUE(same(a.matrix.ell_warp(), b.matrix.ell_warp()));
  expect_same_assembly(a, b);
  expect_same_vertices(a, b);
  ASSERT_EQ(a.solver.parts.has_value(), b.solver.parts.has_value());
  if (!a.solver.parts) return;
  EXPECT_EQ(a.solver.parts->local_column, b.solver.parts->local_column);
  EXPECT_EQ(a.solver.parts->halo_begin, b.solver.parts->halo_begin);
  EXPECT_EQ(a.solver.parts->halo_row, b.solver.parts->halo_row);
}

/// Kinds of cells that change from element to element, and states that differ.
void use_three_kinds_of_cells(Problem& problem) {
  problem.cell_models = std::vector(3, cells_of(problem).front());
  for (std::size_t e = 0; e < problem.cell_model.size(); ++e) {
    problem.cell_model[e] = static_cast<std::uint16_t>(e % 5 == 0 ? 2 : e / 7 % 2);
    problem.states[e] = 0.01 * static_cast<Real>(e % 11);
  }
}

TEST(Setup, PlansTheSameForAnyNumberOfThreads) {
  for (const auto& [name, mesh] : test::setup_meshes(3))
    for (const std::pair<Device, Quadrature>& on : {std::pair(cpu_device(), Quadrature::centroid),
                                                    {cpu_device(), Quadrature::vertices},
                                                    {nvidia_h200(), Quadrature::centroid},
                                                    {nvidia_h200(), Quadrature::vertices_and_centroid}}) {
      Problem problem = resting_problem(mesh, 1, 0.5);
      problem.quadrature = on.second;
      use_three_kinds_of_cells(problem);
      const auto plan = [&](int threads) {
        const test::Threads in_use(threads);
        return plan_simulation(problem, on.first);
      };
      const SimulationPlan expected = plan(1);
      for (const int threads : {2, 3, 7, 16}) {
        SCOPED_TRACE(testing::Message() << name << (on.first.is_gpu ? ", GPU, " : ", CPU, ") << threads << " threads");
        expect_same(plan(threads), expected);
      }
    }
}

TEST(DiffusionMatrix, InSlotsHasTheEntriesOfCompressedRowsAndZeros) {
  for (const auto& [name, mesh] : test::setup_meshes(4)) {
    const SimulationPlan plan = plan_simulation(resting_problem(mesh, 1, 0.5), nvidia_h200());
    const auto& of = plan.problem();
    std::vector<Real> expected(plan.matrix.slots, 0);
    const std::vector<Real> entries = diffusion_matrix(*of.mesh, of.diffusivity, plan.sparsity);
    for (std::size_t e = 0; e < entries.size(); ++e) expected[plan.matrix.slot_of_entry[e]] = entries[e];
    EXPECT_EQ(diffusion_matrix(*of.mesh, of.diffusivity, plan.sparsity, plan.matrix), expected) << name;
  }
}

// The points and means of each node, found in a loop over the elements.
TEST(VertexPoints, AreThoseOfALoopOverTheElements) {
  for (const auto& [name, mesh] : test::setup_meshes(5)) {
    SCOPED_TRACE(name);
    Problem problem = resting_problem(mesh, 1, 0.5);
    use_three_kinds_of_cells(problem);
    const std::vector<Real> volume = element_volumes(mesh);
    struct Point {
      std::uint16_t kind;
      Real volume, mean;
      int elements;
    };
    std::vector<std::vector<Point>> expected(mesh.nodes.size());
    for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
      for (const Index node : mesh.tetrahedra[e]) {
        auto& points = expected[node];
        auto point = std::ranges::find(points, problem.cell_model[e], &Point::kind);
        if (point == points.end()) point = points.insert(point, {problem.cell_model[e], 0, 0, 0});
        point->volume += volume[e] / 4;
        point->mean += (problem.states[e] - point->mean) / ++point->elements;
      }
    const Incidence incidence = incidence_of(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()));
    const VertexPoints points = vertex_points(incidence, volume, problem.cell_model);
    const std::vector<Real> means = at_vertex_points(points, incidence, problem.cell_model, problem.states);
    ASSERT_EQ(points.begin.size(), mesh.nodes.size() + 1);
    ASSERT_EQ(means.size(), static_cast<std::size_t>(points.points()));
    Index point = 0;
    for (std::size_t node = 0; node < expected.size(); ++node) {
      EXPECT_EQ(points.begin[node], point);
      for (const Point& of_node : expected[node]) {
        EXPECT_EQ(points.cell_model[point], of_node.kind);
        EXPECT_EQ(points.volume[point], of_node.volume);
        EXPECT_EQ(means[point], of_node.mean);
        ++point;
      }
    }
    EXPECT_EQ(points.points(), point);
  }
}

TEST(ResidualScales, AreTheSameForAnyNumberOfThreads) {
  for (const auto& [name, mesh] : test::setup_meshes(6)) {
    const Problem problem = resting_problem(mesh, 1, 0.5);
    const Incidence incidence = incidence_of(mesh.tetrahedra, static_cast<Index>(mesh.nodes.size()));
    const auto scales = [&](int threads) {
      const test::Threads in_use(threads);
      return residual_scales(problem, incidence);
    };
    const ResidualScales expected = scales(1);
    for (const int threads : {2, 7}) {
      const ResidualScales found = scales(threads);
      EXPECT_EQ(found.inverse_volume, expected.inverse_volume) << name;
      EXPECT_EQ(found.inverse_diffusion, expected.inverse_diffusion) << name;
    }
  }
}

}  // namespace
}  // namespace cardiowarp
