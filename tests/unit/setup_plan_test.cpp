#include <gtest/gtest.h>

#include "app/simulation/simulation_plan.hpp"
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

void expect_same(const SimulationPlan& a, const SimulationPlan& b) {
  EXPECT_EQ(a.renumbered.node_in_input, b.renumbered.node_in_input);
  EXPECT_EQ(a.renumbered.element_in_input, b.renumbered.element_in_input);
  EXPECT_EQ(a.problem().mesh->tetrahedra, b.problem().mesh->tetrahedra);
  EXPECT_EQ(a.problem().mesh->nodes, b.problem().mesh->nodes);
  EXPECT_EQ(a.sparsity.column, b.sparsity.column);
  EXPECT_EQ(a.matrix.slot_of_entry, b.matrix.slot_of_entry);
  EXPECT_TRUE(same(a.matrix.ell_warp(), b.matrix.ell_warp()));
  expect_same_assembly(a, b);
  ASSERT_EQ(a.solver.parts.has_value(), b.solver.parts.has_value());
  if (!a.solver.parts) return;
  EXPECT_EQ(a.solver.parts->local_column, b.solver.parts->local_column);
  EXPECT_EQ(a.solver.parts->halo_begin, b.solver.parts->halo_begin);
  EXPECT_EQ(a.solver.parts->halo_row, b.solver.parts->halo_row);
}

TEST(Setup, PlansTheSameForAnyNumberOfThreads) {
  for (const auto& [name, mesh] : test::setup_meshes(3))
    for (const Device& device : {cpu_device(), nvidia_h200()}) {
      const Problem problem = resting_problem(mesh, 1, 0.5);
      const auto plan = [&](int threads) {
        const test::Threads in_use(threads);
        return plan_simulation(problem, device);
      };
      const SimulationPlan expected = plan(1);
      for (const int threads : {2, 3, 7, 16}) {
        SCOPED_TRACE(testing::Message() << name << (device.is_gpu ? ", GPU, " : ", CPU, ") << threads << " threads");
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

}  // namespace
}  // namespace cardiowarp
