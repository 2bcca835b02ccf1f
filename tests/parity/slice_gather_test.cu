// The slice gather on the device: it is the scalar gather up to the order in which the lanes of a row are added. A
// second run gives the same bits, and where the two machines have the same elements so does the CPU.

#include "assembly/slice_gather.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assembly/formats.cuh"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/scatter.cuh"
#include "tests/support/all_options.hpp"
#include "tests/support/assembly_case.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/joint_sums.hpp"
#include "tests/support/plain_cell.hpp"

namespace cardiowarp {
namespace {

using SliceGatherOnAGpu = GpuTest;

constexpr unsigned seed = 23;

std::vector<EllWarpOptions> formats() {
  std::vector<EllWarpOptions> formats = all_variants(3, 64);
  const std::vector<EllWarpOptions> wide = all_variants(8, 1024);
  formats.insert(formats.end(), wide.begin(), wide.end());
  std::erase_if(formats, [](const auto& format) { return format.renumbering == EllWarpRenumbering::none; });
  return formats;
}

void expect_scalar_gather(const Mesh& mesh, const EllWarpOptions& format) {
  SCOPED_TRACE(std::to_string(mesh.nodes.size()) + " nodes, " + ell_warp_name(format));
  const AssemblyCase assembly(mesh, format, seed);
  const std::vector<AlievPanfilov>& cells = cells_of(assembly.plan.problem());
  ASSERT_TRUE(std::holds_alternative<SliceGatherPlan>(assembly.plan.assembly));
  const auto& plan = std::get<SliceGatherPlan>(assembly.plan.assembly);
  CudaBackend backend;
  const AssembledSystem slices = assembly.assembled<SliceGather>(backend, plan, cells);
  expect_scalar_gather(assembly, slices, assembly.assembled<ScalarGather>(backend, assembly.scalar_gather(), cells));
  EXPECT_TRUE(same_bits(slices, assembly.assembled<SliceGather>(backend, plan, cells))) << "two runs differ";
}

TEST_F(SliceGatherOnAGpu, IsTheScalarGather) {
  std::vector<Mesh> meshes{wheel_mesh(60, seed), random_mesh({4, 3, 3}, 0.5, seed)};
  for (const Index n : {1, 31, 32, 33, 97, 800}) meshes.push_back(renumbered(part_of_a_box(n, seed), seed).mesh);
  for (const Mesh& mesh : meshes)
    for (const EllWarpOptions& format : formats()) expect_scalar_gather(mesh, format);
}

TEST_F(SliceGatherOnAGpu, IsTheScalarGatherForRowsThatFillTheSharedMemory) {
  expect_scalar_gather(wheel_mesh(175, seed),
                       {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 5, 1024});
  expect_scalar_gather(wheel_mesh(89, seed),
                       {EllWarpVariant::k2, EllWarpRenumbering::rows_and_columns_sorted, 5, 1024});
}

TEST_F(SliceGatherOnAGpu, IsTheScalarGatherOfALargeMesh) {
  const Mesh mesh = random_mesh({60, 50, 40}, 0.8, seed);
  for (const auto variant : {EllWarpVariant::k1, EllWarpVariant::k2})
    expect_scalar_gather(mesh, {variant, EllWarpRenumbering::rows_and_columns_sorted, 8, 1024});
}

using SpmvAssemblyOnAGpu = GpuTest;

TEST_F(SpmvAssemblyOnAGpu, OneProductForMatrixAndResidualHasTheBitsOfTwo) {
  CudaBackend gpu;
  expect_joint_sums_are_two(gpu, 72);
}

TEST_F(SliceGatherOnAGpu, IsTheCpusBitForBitWhereTheElementsAre) {
  for (const Mesh& mesh : {wheel_mesh(60, seed), renumbered(part_of_a_box(97, seed), seed).mesh})
    for (const EllWarpOptions& format : formats()) {
      SCOPED_TRACE(ell_warp_name(format));
      AssemblyCase assembly(mesh, format, seed);
      const auto& plan = std::get<SliceGatherPlan>(assembly.plan.assembly);
      std::fill(assembly.phi.begin(), assembly.phi.end(), 0);  // the products are exact
      CudaBackend device;
      CpuBackend host;
      EXPECT_TRUE(same_bits(assembly.assembled<SliceGather>(device, plan, std::vector<PlainCell>(2)),
                            assembly.assembled<SliceGather>(host, plan, std::vector<PlainCell>(2))));
    }
}

TEST_F(SliceGatherOnAGpu, AValueThatIsNotANumberStaysInItsRows) {
  AssemblyCase assembly(random_mesh({4, 3, 3}, 0.5, seed), formats().front(), seed);
  const Index node = 200;
  assembly.phi[node] = NAN;
  const Sparsity& sparsity = assembly.plan.sparsity;
  CudaBackend backend;
  const AssembledSystem system = assembly.assembled<SliceGather>(
      backend, std::get<SliceGatherPlan>(assembly.plan.assembly), cells_of(assembly.plan.problem()));
  std::vector<bool> expected(sparsity.rows(), false);
  for (Index e = sparsity.row_begin[node]; e < sparsity.row_begin[node + 1]; ++e) expected[sparsity.column[e]] = true;
  for (Index row = 0; row < sparsity.rows(); ++row)
    EXPECT_EQ(std::isnan(system.negative_residual[row]), expected[row]) << "row " << row;
}

}  // namespace
}  // namespace cardiowarp
