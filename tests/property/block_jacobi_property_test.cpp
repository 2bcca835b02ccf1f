// Block Jacobi is symmetric and positive, and changes how fast a heart is solved but not what comes out.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "meshes/generate.hpp"
#include "solver/preconditioners/block_jacobi.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/random_symmetric.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 23;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

Real inner(const std::vector<Real>& a, const std::vector<Real>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), Real{0});
}

TEST(BlockJacobi, IsSymmetricAndPositiveDefinite) {
  CpuBackend backend;
  for (const Index n : {1, 31, 32, 33, 97, 2049, 10007})
    for (const Index block_rows : {1, 31, 32, 2048}) {
      const RandomSymmetric A(n, 13, seed);
      BlockJacobi M(backend, A.view(), A.slot, block_rows);
      M.factorize(A.value.data());
      const std::vector<Real> u = random_values(n, seed + 1), v = random_values(n, seed + 2);
      std::vector<Real> Mu(n), Mv(n);
      M.apply(u.data(), Mu.data());
      M.apply(v.data(), Mv.data());
      // Each sweep is backward stable, a row rounds once an entry and the condition number of A scaled by its diagonal
      // is at most (1 + 0.8) / (1 - 0.8) = 9; the dot of n terms rounds n times.
      const Real bound =
          epsilon * ((2 * 9 * A.longest + n) * std::sqrt(inner(u, u) * inner(Mv, Mv)) + n * std::fabs(inner(u, Mv)));
      EXPECT_NEAR(inner(Mu, v), inner(u, Mv), bound) << n << " rows in blocks of " << block_rows << ", seed " << seed;
      EXPECT_GT(inner(Mu, u), 0) << n << " rows in blocks of " << block_rows << ", seed " << seed;
    }
}

struct Beat {
  std::vector<Real> potential_mv;
  int linear_iterations = 0;
};

/// 20 steps of 0.2 ms of a wave from the lower end.
Beat run_beat(const Mesh& mesh, PreconditionerChoice preconditioner, const MatrixOptions& matrix) {
  Problem problem = resting_problem(mesh, 1, 0);
  problem.newton = {1e-10, 30};
  problem.linear_solver = {1e-11, 1000};
  problem.preconditioner = preconditioner;
  problem.matrix = matrix;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].z < -35) problem.phi[i] = 1;
  const auto simulation = make_cpu_simulation(problem);
  Beat beat{std::vector<Real>(mesh.nodes.size())};
  for (int step = 1; step <= 20; ++step) {
    const StepReport report = simulation->step_to(step * 0.2);
    EXPECT_FALSE(report.failure);
    beat.linear_iterations += report.linear_iterations;
  }
  simulation->potential_mv(beat.potential_mv);
  return beat;
}

TEST(BlockJacobi, SolvesAHeartInFewerIterationsToTheSamePotentials) {
  Mesh mesh = biventricle_mesh(4);
  check_mesh(mesh);
  ASSERT_GT(mesh.nodes.size(), 2u * BlockJacobi::default_block_rows);  // three blocks
  MatrixOptions k1r{.format = MatrixFormat::ell_warp}, k2rs = k1r;
  k1r.ell_warp.renumbering = EllWarpRenumbering::rows;
  k2rs.ell_warp.variant = EllWarpVariant::k2;
  k2rs.ell_warp.renumbering = EllWarpRenumbering::rows_and_columns_sorted;
  const Beat jacobi = run_beat(mesh, PreconditionerChoice::jacobi, {});
  EXPECT_GT(*std::max_element(jacobi.potential_mv.begin(), jacobi.potential_mv.end()), 0);
  EXPECT_LT(*std::min_element(jacobi.potential_mv.begin(), jacobi.potential_mv.end()), -60);  // a wave, no plateau
  for (const MatrixOptions& matrix : {MatrixOptions{}, k1r, k2rs}) {
    const Beat other = run_beat(mesh, PreconditionerChoice::block_jacobi, matrix);
    EXPECT_LT(other.linear_iterations, 0.75 * jacobi.linear_iterations) << format_name(matrix);  // 495 of 717
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      ASSERT_NEAR(other.potential_mv[i], jacobi.potential_mv[i], 1e-6) << "node " << i << ", " << format_name(matrix);
  }
}

TEST(BlockJacobi, IsFactorizedAnewForEachStepAndEachAttempt) {
  // A first step of a thousandth of the second, at rest: the second then begins like the first of another run, and its
  // matrix, in which diffusion counts for more by that factor, has to be solved with as many iterations.
  const Mesh mesh = random_mesh({6, 5, 4}, 0.5, seed);
  Problem problem = resting_problem(mesh, 1, 0.5);
  problem.preconditioner = PreconditionerChoice::block_jacobi;
  constexpr Real wait_ms = 1.0 / 1024, step_ms = 2;
  Stimulus stimulus{{}, {0, step_ms}, AlievPanfilov::scaling.stimulus(30)};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 1.5) stimulus.nodes.push_back(static_cast<Index>(i));
  problem.stimuli = {stimulus};
  const auto at_once = make_cpu_simulation(problem);
  const StepReport expected = at_once->step_to(step_ms);
  ASSERT_FALSE(expected.failure);
  ASSERT_GT(expected.linear_iterations, 0);

  problem.stimuli[0].pulses.start_ms = wait_ms;
  const auto after_a_step = make_cpu_simulation(problem), after_an_attempt = make_cpu_simulation(problem);
  ASSERT_FALSE(after_a_step->step_to(wait_ms).failure);
  ASSERT_TRUE(after_an_attempt->try_step_to(wait_ms, -1).rejected);
  EXPECT_EQ(after_a_step->step_to(wait_ms + step_ms).linear_iterations, expected.linear_iterations);
  EXPECT_EQ(after_an_attempt->step_to(step_ms).linear_iterations, expected.linear_iterations);
  const auto potential_mv = [&](Simulation& simulation) {
    std::vector<Real> values(mesh.nodes.size());
    simulation.potential_mv(values);
    return values;
  };
  EXPECT_TRUE(potential_mv(*after_a_step) == potential_mv(*at_once));
  EXPECT_TRUE(potential_mv(*after_an_attempt) == potential_mv(*at_once));
}

TEST(BlockJacobi, IsRefusedOnAGpu) {
  const Mesh mesh = slab_mesh({2, 2, 2}, 1, true);
  Problem problem = resting_problem(mesh, 1, 0);
  problem.preconditioner = PreconditionerChoice::block_jacobi;
  EXPECT_EQ(test::input_error_of([&] { plan_simulation(problem, nvidia_h200()); }),
            "linear_solver.preconditioner: expected jacobi or a polynomial on a GPU, got "
            "'block_jacobi'");
  EXPECT_EQ(plan_simulation(problem, cpu_device()).problem().preconditioner, PreconditionerChoice::block_jacobi);
}

}  // namespace
}  // namespace cardiowarp
