#include "assembly/papers/shared_nz.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/assembly_case.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 41;

SharedNzPlan shared_nz_of(const AssemblyCase& assembly, const SharedNzShape& shape,
                          const Device& device = nvidia_h200()) {
  const SimulationPlan& plan = assembly.plan;
  return shared_nz_plan(*plan.problem().mesh, plan.problem().diffusivity, plan.sparsity, plan.matrix, device, shape);
}

TEST(SharedNzAssembly, IsTheScalarGather) {
  std::vector<Mesh> meshes{wheel_mesh(60, seed), random_mesh({4, 3, 3}, 0.5, seed)};
  for (const Index n : {1, 31, 32, 33, 97, 800}) meshes.push_back(renumbered(part_of_a_box(n, seed), seed).mesh);
  for (const Mesh& mesh : meshes)
    for (const EllWarpOptions& format : all_variants(3, 64)) {
      if (format.renumbering == EllWarpRenumbering::none) continue;
      const AssemblyCase assembly(mesh, format, seed);
      const std::vector<AlievPanfilov>& cells = cells_of(assembly.plan.problem());
      CpuBackend backend;
      const AssembledSystem entries = assembly.assembled<ScalarGather>(backend, assembly.scalar_gather(), cells);
      for (const SharedNzShape& shape :
           {SharedNzShape{1, 0, 32}, {32, 0, 128}, {70, 0, 256}, {500, 0, 64}, {0, 8, 96}, {}}) {
        SCOPED_TRACE(std::to_string(mesh.nodes.size()) + " nodes, " + ell_warp_name(format) + ", " +
                     std::to_string(shape.rows) + " rows, " + std::to_string(shape.kib) + " KiB, " +
                     std::to_string(shape.threads) + " threads");
        const SharedNzPlan plan = shared_nz_of(assembly, shape);
        expect_scalar_gather(assembly, assembly.assembled<SharedNz>(backend, plan, cells), entries, plan.split == 1);
      }
    }
}

}  // namespace
}  // namespace cardiowarp
