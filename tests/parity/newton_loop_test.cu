// Newton's loop is repeated by the device in every method of a step: a refusal would be hidden, since the host would
// then repeat it with the same answers.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/backward_euler.hpp"
#include "app/simulation_plan.hpp"
#include "app/step_kernels.cuh"
#include "tests/support/all_options.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/large_gpu.cuh"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using NewtonLoop = GpuTest;

constexpr const char* any = "any";

/// Both of the loops are needed for two steps.
void expect_loops_on_the_device(const SimulationPlan& plan, const char* solver) {
  CudaBackend gpu;
  BackwardEuler<CudaBackend> equation(gpu, plan, make_global_matrix(gpu, plan.sparsity, plan.matrix));
  const Buffer<Real> source = uploaded(gpu, std::vector<Real>(plan.problem().phi.size(), 5.0));
  for (int step = 0; step < 2; ++step) {
    const NewtonReport report = equation.advance(0.05, source.data());
    ASSERT_TRUE(report.converged());
    ASSERT_GT(report.iterations, 1);
  }
  for (const CudaBackend::Loop& loop : equation.newton_loops())
    EXPECT_EQ(loop.is_made(), cuda::graph_loops) << loop.refusal();
  if (solver != any) {
    EXPECT_STREQ(equation.solver(), solver);
  }
  const StepSeconds seconds = equation.seconds();
  for (const double phase : {seconds.element, seconds.assembly, seconds.linear_solve, seconds.update})
    EXPECT_GT(phase, 0);
}

TEST_F(NewtonLoop, IsRepeatedByTheDeviceInEveryMethod) {
  const Mesh mesh = random_mesh({3, 2, 2}, 0.6, 6);
  Problem problem = resting_problem(mesh, 0.1, 0.3);
  const EllWarpOptions k1rs{EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 2, 64},
      k2{EllWarpVariant::k2, EllWarpRenumbering::none, 2, 64};
  for (const AssemblyOptions& assembly : all_assemblies(all_variants(2, 64)))
    for (const MatrixOptions& matrix :
         {MatrixOptions{}, MatrixOptions{.format = MatrixFormat::csr}, MatrixOptions{MatrixFormat::ell_warp, k1rs, 0},
          MatrixOptions{MatrixFormat::ell_warp, k2, 0}}) {
      problem.assembly = assembly;
      problem.matrix = matrix;
      SimulationPlan plan = plan_simulation(problem, true);
      SCOPED_TRACE(strategy_name(plan.problem().assembly) + (assembly.through_csr ? " through CSR, " : ", ") +
                   format_name(plan.matrix.options) + (plan.on_chip ? " on the chip" : ""));
      expect_loops_on_the_device(plan, plan.on_chip ? "on_chip" : "plain");
      if (!plan.on_chip) continue;
      plan.on_chip.reset();  // as of a matrix that is too large
      const std::optional<PersistentShape> shape = persistent_shape(*plan.parts);
      PersistentShape too_large = shape.value();
      too_large.shared_bytes = 1 << 20;
      for (const auto& [persistent, solver] :
           {std::pair(shape, has_room_for_large_blocks() ? "persistent" : any),
            std::pair(std::optional(too_large), "in_parts"), std::pair(std::optional<PersistentShape>(), "in_parts")}) {
        SCOPED_TRACE(solver);
        plan.persistent = persistent;
        expect_loops_on_the_device(plan, solver);
      }
    }
}

}  // namespace
}  // namespace cardiowarp
