// Whole runs with operators without a global matrix and with every assembly strategy: what comes out is what a run with
// the assembled matrix and the gather finds.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/config/config_names.hpp"
#include "app/simulation/choose_solver.hpp"
#include "app/simulation/simulation.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

struct Outcome {
  std::vector<Real> potential_mv;
  int newton_iterations = 0, linear_iterations = 0;
};

Outcome run(const Problem& problem) {
  const auto simulation = make_cpu_simulation(problem);
  Outcome outcome{std::vector<Real>(problem.mesh->nodes.size())};
  for (int step = 1; step <= 8; ++step) {
    const StepReport report = simulation->step_to(step * 0.2);
    EXPECT_FALSE(report.failure);
    outcome.newton_iterations += report.newton_iterations;
    outcome.linear_iterations += report.linear_iterations;
  }
  simulation->potential_mv(outcome.potential_mv);
  return outcome;
}

Problem problem_on(const Mesh& mesh, Quadrature quadrature) {
  Problem problem = resting_problem(mesh, 1, 0.5);
  problem.quadrature = quadrature;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 1) problem.phi[i] = 1;
  return problem;
}

TEST(RunsWithAnOperator, FindWhatTheAssembledMatrixFinds) {
  const Mesh mesh = random_mesh({7, 5, 4}, 0.5, 3);
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid}) {
    Problem problem = problem_on(mesh, quadrature);
    problem.matrix_operator = OperatorKind::assembled;
    const Outcome assembled = run(problem);
    for (const OperatorKind kind :
         {OperatorKind::local, OperatorKind::local_full, OperatorKind::matrix_free, OperatorKind::split})
      for (const SolverPrecision precision :
           {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
        SCOPED_TRACE(std::string(name_of(kind)) + ", " + name_of(quadrature, quadrature_names) + ", " +
                     std::string(name_of(precision)));
        problem.matrix_operator = kind;
        problem.precision = precision;
        const Outcome other = run(problem);
        if (precision == SolverPrecision::double_precision) {
          EXPECT_EQ(other.newton_iterations, assembled.newton_iterations);
          EXPECT_NEAR(other.linear_iterations, assembled.linear_iterations, 0.02 * assembled.linear_iterations);
        }
        for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
          ASSERT_NEAR(other.potential_mv[node], assembled.potential_mv[node], 1e-7) << "node " << node;
      }
  }
}

TEST(RunsWithAStrategy, FindWhatTheGatherFindsInEveryPrecisionAndTheSameTwice) {
  const Mesh mesh = random_mesh({4, 3, 2.5}, 0.5, 3);
  std::vector<AssemblyOptions> assemblies = all_assemblies(all_variants(8, 64));
  for (const AssemblyOptions& assembly : unrepeatable_assemblies()) assemblies.push_back(assembly);
  for (const SolverPrecision precision :
       {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
    Problem problem = problem_on(mesh, Quadrature::centroid);
    problem.precision = precision;
    const Outcome expected = run(problem);
    for (const AssemblyOptions& assembly : assemblies) {
      SCOPED_TRACE(strategy_name(assembly) + (assembly.through_csr ? " through CSR, " : ", ") +
                   std::string(name_of(precision)));
      problem.assembly = assembly;
      const Outcome found = run(problem);
      EXPECT_EQ(found.newton_iterations, expected.newton_iterations);
      for (std::size_t node = 0; node < mesh.nodes.size(); ++node)
        ASSERT_NEAR(found.potential_mv[node], expected.potential_mv[node], 1e-7) << "node " << node;
      if (!repeats_bits(assembly.strategy)) continue;
      EXPECT_EQ(run(problem).potential_mv, found.potential_mv);
    }
  }
}

TEST(RunsWithAnOperator, AreRefusedWhatNeedsAMatrix) {
  const Mesh mesh = random_mesh({3, 2, 2}, 0.7, 3);
  const auto refusal = [&](const auto& change) {
    Problem problem = problem_on(mesh, Quadrature::centroid);
    problem.matrix_operator = OperatorKind::local;
    change(problem);
    return test::input_error_of([&] { plan_simulation(problem, cpu_device()); });
  };
  EXPECT_EQ(refusal([](Problem& problem) { problem.preconditioner = PreconditionerChoice::ssor; }),
            "linear_solver.operator: local needs linear_solver.preconditioner: jacobi, as it has no matrix to make "
            "another from (auto has one)");
  EXPECT_EQ(refusal([](Problem& problem) { problem.path = SolverPath::in_parts; }),
            "linear_solver.path: in_parts needs linear_solver.operator: assembled (auto takes the fastest path that is "
            "possible)");
  EXPECT_EQ(refusal([](Problem& problem) { problem.assembly.strategy = AssemblyStrategy::row_gather; }),
            "linear_solver.operator: local needs assembly.strategy: auto (auto takes what suits)");
  EXPECT_EQ(
      refusal([](Problem& problem) {
        problem.quadrature = Quadrature::vertices;
        problem.time.scheme = TimeScheme::rkc2;
      }),
      "linear_solver.operator: local needs a time.scheme other than rkc2, which solves no system (auto takes what "
      "suits)");
}

TEST(RunsWithSsor, AreRefusedARowWithTooManyColors) {
  // 300 rows, each with an entry in every other one.
  std::vector<Index> row_begin{0}, column;
  for (Index row = 0; row < 300; ++row) {
    for (Index other = 0; other < 300; ++other) column.push_back(other);
    row_begin.push_back(static_cast<Index>(column.size()));
  }
  EXPECT_EQ(test::input_error_of([&] {
              MatrixLayout layout;
              layout.slot_of_entry.assign(column.size(), 0);
              SolverChoice choice;
              choice.wish.preconditioner = PreconditionerChoice::ssor;
              plan_solver(cpu_device(), choice, layout, {row_begin, column});
            }),
            "linear_solver.preconditioner: ssor needs rows that take at most 256 colors, each another than those of "
            "its neighbors; here they take 300 (jacobi needs none)");
}

}  // namespace
}  // namespace cardiowarp
