// Newton's iteration is repeated by the device in every method of a step: a refusal would be hidden, since the host
// would then repeat it with the same answers.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "app/simulation/backward_euler.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "app/simulation/step_on_gpu.cuh"
#include "tests/support/all_options.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/large_gpu.cuh"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using NewtonRepetition = GpuTest;

/// Both of the repetitions are needed for two steps.
void expect_repetitions_on_the_device(const SimulationPlan& plan) {
  CudaBackend gpu;
  BackwardEuler<CudaBackend> equation(gpu, plan);
  const Buffer<Real> source = uploaded(gpu, std::vector<Real>(plan.problem().phi.size(), 5.0));
  for (int step = 0; step < 2; ++step) {
    const NewtonReport report = equation.advance(0.05, source.data());
    ASSERT_TRUE(report.converged());
    ASSERT_GT(report.iterations, 1);
  }
  for (const CudaBackend::Repetition& repetition : equation.newton_repetitions())
    EXPECT_EQ(repetition.is_made(), cuda::graph_loops) << repetition.refusal();
  EXPECT_EQ(equation.solver_path(), plan.solver.path);
  const StepSeconds seconds = equation.seconds();
  EXPECT_EQ(seconds.element > 0, make_assembly(gpu, plan)->evaluates_ahead());
  for (const double phase : {seconds.assembly, seconds.linear_solve, seconds.update}) EXPECT_GT(phase, 0);
}

TEST_F(NewtonRepetition, IsRepeatedByTheDeviceInEveryMethod) {
  const Mesh mesh = random_mesh({3, 2, 2}, 0.6, 6);
  Problem problem = resting_problem(mesh, 0.1, 0.3);
  const EllWarpOptions k1rs{EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 2, 64},
      k2{EllWarpVariant::k2, EllWarpRenumbering::none, 2, 64};
  std::vector<std::pair<Quadrature, AssemblyOptions>> assemblies{{Quadrature::vertices, {}}};
  for (const AssemblyOptions& assembly : all_assemblies(all_variants(2, 64)))
    assemblies.emplace_back(Quadrature::centroid, assembly);
  for (const auto& [quadrature, assembly] : assemblies)
    for (const auto& [path, matrix] :
         {std::pair(SolverPath::on_chip, MatrixOptions{}), std::pair(SolverPath::persistent, MatrixOptions{}),
          std::pair(SolverPath::in_parts, MatrixOptions{MatrixFormat::ell_warp, k1rs, 0}),
          std::pair(SolverPath::plain, MatrixOptions{MatrixFormat::ell_warp, k1rs, 0}),
          std::pair(SolverPath::plain, MatrixOptions{.format = MatrixFormat::csr}),
          std::pair(SolverPath::plain, MatrixOptions{MatrixFormat::ell_warp, k2, 0})}) {
      if (!has_room_for_large_blocks() && (path == SolverPath::on_chip || path == SolverPath::persistent)) continue;
      problem.quadrature = quadrature;
      problem.assembly = assembly;
      problem.matrix = matrix;
      problem.path = path;
      const SimulationPlan plan = plan_simulation(problem, gpu_device());
      SCOPED_TRACE(strategy_name(plan.problem().assembly) + (assembly.through_csr ? " through CSR, " : ", ") +
                   format_name(plan.matrix.options) + ", " + std::string(name_of(plan.solver.path)));
      expect_repetitions_on_the_device(plan);
    }
}

}  // namespace
}  // namespace cardiowarp
