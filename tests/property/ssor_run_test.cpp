// SSOR changes how fast the systems of a run are solved, and not what comes out.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/config/config_names.hpp"
#include "app/simulation/choose_solver.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/linear_solver.hpp"
#include "tests/support/polynomial_case.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/random_symmetric.hpp"
#include "tests/support/single_run.hpp"
#include "tests/support/solver_for.hpp"

namespace cardiowarp {
namespace {

using namespace polynomial_case;

constexpr SsorKind both_kinds[]{SsorKind::sweeps, SsorKind::eisenstat};

TEST(Ssor, NeedsAboutHalfOfTheIterationsOfJacobiOnAHeart) {
  // A human heart of 38,131 nodes takes 7 for 13 and, refined, one of 259,419 nodes 10 for 23, with 0.1 ms.
  CpuBackend backend;
  const Mesh mesh = random_mesh({19, 13, 11}, 0.5, 4);
  for (const Real step_ms : {0.1, 1.0, 10.0}) {
    const BenchMatrix matrix = mesh_matrix("box", mesh, {step_ms, true});
    Matrix A(backend, matrix.view());
    std::vector<std::int64_t> slot(matrix.column.size());
    for (std::size_t e = 0; e < slot.size(); ++e) slot[e] = static_cast<std::int64_t>(e);
    const int jacobi = iterations_of(backend, A, {});
    for (const SsorKind kind : both_kinds) {
      std::vector<Real> r = random_values(A.rows, seed + 6), x(A.rows);
      CgState state{};
      SolverPlan plan;
      plan.preconditioner = ssor_plan(kind, {matrix.row_begin, matrix.column}, slot);
      EXPECT_LE(std::get<SsorPlan>(plan.preconditioner).halves.colors(), 16);
      test::solver_for(backend, plan, {}, A,
                       {A.rows, A.slots(), A.product.value(), A.inverse_diagonal.data(), r.data(), x.data(), &state})
          ->solve(backend, {1e-10, 500}, nullptr);
      EXPECT_EQ(state.report.status, CgStatus::converged);
      EXPECT_LE(state.report.iterations, 0.6 * jacobi + 1) << step_ms << " ms";
      EXPECT_GE(state.report.iterations, 0.3 * jacobi) << step_ms << " ms";
    }
  }
}

struct Beat {
  std::vector<Real> potential_mv;
  int linear_iterations = 0;
};

Beat run_beat(const Mesh& mesh, PreconditionerChoice preconditioner, Quadrature quadrature, SolverPrecision precision) {
  Problem problem = resting_problem(mesh, 1, 0.5);
  problem.preconditioner = preconditioner;
  problem.quadrature = quadrature;
  problem.precision = precision;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 1) problem.phi[i] = 1;
  const auto simulation = make_cpu_simulation(problem);
  Beat beat{std::vector<Real>(mesh.nodes.size())};
  for (int step = 1; step <= 10; ++step) {
    const StepReport report = simulation->step_to(step * 0.2);
    EXPECT_FALSE(report.failure);
    beat.linear_iterations += report.linear_iterations;
  }
  simulation->potential_mv(beat.potential_mv);
  return beat;
}

TEST(Ssor, ChangesTheIterationsOfARunAndNotItsPotentials) {
  const Mesh mesh = random_mesh({9, 6, 5}, 0.5, 3);
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid})
    for (const SolverPrecision precision : {SolverPrecision::double_precision, SolverPrecision::mixed}) {
      const Beat jacobi = run_beat(mesh, PreconditionerChoice::jacobi, quadrature, precision);
      for (const PreconditionerChoice ssor : {PreconditionerChoice::ssor, PreconditionerChoice::ssor_eisenstat}) {
        const Beat other = run_beat(mesh, ssor, quadrature, precision);
        EXPECT_LT(other.linear_iterations, 0.7 * jacobi.linear_iterations);
        for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
          ASSERT_NEAR(other.potential_mv[node], jacobi.potential_mv[node], 1e-6) << "node " << node;
      }
    }
}

}  // namespace
}  // namespace cardiowarp
