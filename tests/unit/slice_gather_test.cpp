#include "assembly/slice_gather.hpp"
#include "assembly/build_sparsity.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/assembly_case.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 17;
const EllWarpOptions k1rs{EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 2, 64};

SimulationPlan plan_of(const Mesh& mesh, const MatrixOptions& matrix, const Device& device = nvidia_h200()) {
  Problem problem = resting_problem(mesh, 1, 1);
  problem.matrix = matrix;
  if (matrix.format == MatrixFormat::ell_warp) problem.path = SolverPath::plain;  // in the windows that it has
  return plan_simulation(problem, device);
}

bool has_slices(const SimulationPlan& plan) { return std::holds_alternative<SliceGatherPlan>(plan.assembly); }

TEST(SliceGatherPlan, OfTwoTetrahedra) {
  // Element 0 is at nodes 0 1 2 3, element 1 at 1 2 3 4; the number 2 is padding. Rows are left as they come: row 0 has
  // the entries 0 1 2 3, rows 1 2 3 have 0 1 2 3 4, row 4 has 1 2 3 4.
  Mesh mesh;
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  mesh.tetrahedra = {{0, 1, 2, 3}, {2, 1, 3, 4}};
  const Sparsity sparsity = build_sparsity(mesh.tetrahedra, 5);
  const MatrixLayout layout =
      matrix_layout(sparsity, {MatrixFormat::ell_warp, {.renumbering = EllWarpRenumbering::rows, .sorted = false}, 0});
  ASSERT_TRUE(slice_gather_suits(layout, sparsity));
  const SliceGatherPlan plan = slice_gather_plan(mesh, {{1, 0, {}}, {1, 0, {}}}, sparsity, layout);
  EXPECT_EQ(plan.diagonal, (std::vector<std::uint8_t>{0, 1, 2, 3, 3}));
  EXPECT_EQ(plan.contribution_begin, (std::vector<std::int64_t>{0, 64}));
  EXPECT_EQ(plan.sums_begin, (std::vector<std::int64_t>{0, 160}));
  EXPECT_EQ(plan.block_sums, 160);
  struct Expected {
    int place;
    std::vector<Index> element_and_entries;
  };
  for (const Expected& expected : {Expected{0, {0, 1, 2, 3}}, Expected{32, {2, 0, 0, 0}},  // row 0, then padding
                                   Expected{1, {0, 0, 2, 3}}, Expected{33, {1, 2, 3, 4}},  // row 1
                                   Expected{4, {1, 1, 0, 2}}, Expected{31, {2, 0, 0, 0}}}) {
    const RowContribution c(plan.contribution[expected.place]);
    EXPECT_EQ((std::vector<Index>{c.element(), c.entry(0), c.entry(1), c.entry(2)}), expected.element_and_entries)
        << "at " << expected.place;
  }
}

TEST(SliceGatherPlan, HasTheSumsOfAsManySlicesAsABlock) {
  const AssemblyCase assembly(random_mesh({5, 4, 3}, 0.5, 3),
                              {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 3, 64}, 3);
  const SimulationPlan& plan = assembly.plan;
  Index last = 0;
  for (const Index slices : {1, 2, 4}) {
    const SliceGatherPlan gather =
        slice_gather_plan(*plan.problem().mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix, slices);
    const std::vector<std::int64_t>& begin = gather.sums_begin;
    const std::size_t count = begin.size() - 1;
    ASSERT_EQ(count % 4, 2u);  // the last block of four has two
    std::int64_t most = 0;
    for (std::size_t first = 0; first < count; first += slices)
      most = std::max(most, begin[std::min<std::size_t>(first + slices, count)] - begin[first]);
    EXPECT_EQ(gather.block_sums, most);
    EXPECT_EQ(gather.slices, slices);
    EXPECT_GT(gather.block_sums, last);
    last = gather.block_sums;
  }
}

TEST(SliceGatherPlan, CountsTheBytesOfWhatItsPassesMove) {
  // The sizes of the plan in the test before: 64 contributions of 8 bytes, 160 slots with two values of 8 and a column
  // of 4, two tetrahedra with tangent and residual, five rows with three values of 8 and one of 1.
  SliceGatherPlan plan;
  plan.contribution.resize(64);
  EXPECT_EQ(plan.bytes(), 64 * 8);
  plan.diffusion.resize(160);
  EXPECT_EQ(plan.bytes(), 64 * 8 + 160 * 20);
  plan.volume.resize(2);
  EXPECT_EQ(plan.bytes(), 64 * 8 + 160 * 20 + 2 * 16);
  plan.diagonal.resize(5);
  EXPECT_EQ(plan.bytes(), 64 * 8 + 160 * 20 + 2 * 16 + 5 * 25);
}

TEST(RowContribution, HoldsTheLargestNumbers) {
  const RowContribution contribution(2'147'483'647, {255, 0, 254});
  EXPECT_EQ(contribution.element(), 2'147'483'647);
  EXPECT_EQ(contribution.entry(0), 255);
  EXPECT_EQ(contribution.entry(1), 0);
  EXPECT_EQ(contribution.entry(2), 254);
}

TEST(SliceGather, IsForGpusAndSlicesWhoseRowsHaveTheirOrder) {
  const Mesh mesh = random_mesh({2, 1, 1}, 0.5, seed);
  for (const EllWarpOptions& format : all_variants(2, 64)) {
    SCOPED_TRACE(ell_warp_name(format));
    EXPECT_EQ(has_slices(plan_of(mesh, {MatrixFormat::ell_warp, format, 0})),
              format.renumbering != EllWarpRenumbering::none);
    EXPECT_FALSE(has_slices(plan_of(mesh, {MatrixFormat::ell_warp, format, 0}, cpu_device())));
  }
  EXPECT_TRUE(has_slices(plan_of(mesh, {})));
  EXPECT_FALSE(has_slices(plan_of(mesh, {.format = MatrixFormat::csr})));
}

TEST(SliceGather, IsNotForBlocksWhoseSumsPassTheSharedMemory) {
  // The first block has rows of n + 2 entries in one slice of K1 and of 5 in three, or in two of K2 each; at most 192.
  EXPECT_TRUE(has_slices(plan_of(wheel_mesh(175, seed), {MatrixFormat::ell_warp, k1rs, 0})));
  EXPECT_FALSE(has_slices(plan_of(wheel_mesh(176, seed), {MatrixFormat::ell_warp, k1rs, 0})));
  const EllWarpOptions k2rs{EllWarpVariant::k2, EllWarpRenumbering::rows_and_columns_sorted, 5, 1024};
  EXPECT_TRUE(has_slices(plan_of(wheel_mesh(89, seed), {MatrixFormat::ell_warp, k2rs, 0})));
  EXPECT_FALSE(has_slices(plan_of(wheel_mesh(90, seed), {MatrixFormat::ell_warp, k2rs, 0})));
}

TEST(SliceGather, IsTheScalarGather) {
  std::vector<Mesh> meshes{wheel_mesh(60, seed), random_mesh({4, 3, 3}, 0.5, seed)};
  for (const Index n : {1, 31, 32, 33, 97, 800}) meshes.push_back(renumbered(part_of_a_box(n, seed), seed).mesh);
  for (const Mesh& mesh : meshes)
    for (const Index window : {64, 1024})
      for (const EllWarpOptions& format : all_variants(3, window)) {
        if (format.renumbering == EllWarpRenumbering::none) continue;
        SCOPED_TRACE(std::to_string(mesh.nodes.size()) + " nodes, " + ell_warp_name(format));
        const AssemblyCase assembly(mesh, format, seed);
        const std::vector<AlievPanfilov>& cells = cells_of(assembly.plan.problem());
        CpuBackend backend;
        ASSERT_TRUE(has_slices(assembly.plan));
        const AssembledSystem slices =
            assembly.assembled<SliceGather>(backend, std::get<SliceGatherPlan>(assembly.plan.assembly), cells);
        const AssembledSystem entries = assembly.assembled<ScalarGather>(backend, assembly.scalar_gather(), cells);
        expect_scalar_gather(assembly, slices, entries);
      }
}

}  // namespace
}  // namespace cardiowarp
