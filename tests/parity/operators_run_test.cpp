// Whole runs with operators without a global matrix, with every assembly strategy and with SSOR and polynomials: the
// GPU's are the CPU's, and the same bits twice where the strategy repeats them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/config/config_names.hpp"
#include "app/simulation/gpu.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using RunsOnAGpu = GpuTest;

Problem problem_on(const Mesh& mesh, Quadrature quadrature) {
  Problem problem = resting_problem(mesh, 1, 0.5);
  problem.quadrature = quadrature;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 1) problem.phi[i] = 1;
  return problem;
}

std::vector<Real> potential_after_steps(Simulation& simulation, std::size_t nodes) {
  for (int step = 1; step <= 5; ++step) EXPECT_FALSE(simulation.step_to(step * 0.2).failure);
  std::vector<Real> potential_mv(nodes);
  simulation.potential_mv(potential_mv);
  return potential_mv;
}

std::vector<Real> on_cpu(const Problem& problem) {
  return potential_after_steps(*make_cpu_simulation(problem), problem.mesh->nodes.size());
}

std::vector<Real> on_gpu(const Problem& problem) {
  return potential_after_steps(*make_gpu_simulation(problem), problem.mesh->nodes.size());
}

void expect_parity(const Problem& problem, const std::vector<Real>& cpu, const std::string& words) {
  SCOPED_TRACE(words);
  const std::vector<Real> gpu = on_gpu(problem);
  for (std::size_t node = 0; node < cpu.size(); ++node) ASSERT_NEAR(gpu[node], cpu[node], 1e-7) << "node " << node;
  if (!repeats_bits(problem.assembly.strategy)) return;
  EXPECT_EQ(gpu, on_gpu(problem));
}

void expect_parity(const Problem& problem, const std::string& words) { expect_parity(problem, on_cpu(problem), words); }

constexpr Quadrature all_quadratures[]{Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid};

TEST_F(RunsOnAGpu, WithEachOperatorAreThoseOfTheCpu) {
  const Mesh mesh = random_mesh({8, 6, 5}, 0.5, 3);
  for (const Quadrature quadrature : all_quadratures)
    for (const auto& [name, kind] : operator_kinds)
      for (const SolverPrecision precision :
           {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
        Problem problem = problem_on(mesh, quadrature);
        problem.matrix_operator = kind;
        problem.precision = precision;
        expect_parity(problem, std::string(name) + ", " + name_of(quadrature, quadrature_names) + ", " +
                                   std::string(name_of(precision)));
      }
}

TEST_F(RunsOnAGpu, WithSsorAreThoseOfTheCpu) {
  const Mesh mesh = random_mesh({8, 6, 5}, 0.5, 3);
  for (const Quadrature quadrature : all_quadratures)
    for (const PreconditionerChoice ssor : {PreconditionerChoice::ssor, PreconditionerChoice::ssor_eisenstat})
      for (const SolverPrecision precision : {SolverPrecision::double_precision, SolverPrecision::mixed}) {
        Problem problem = problem_on(mesh, quadrature);
        problem.preconditioner = ssor;
        problem.precision = precision;
        expect_parity(problem, name_of(ssor, preconditioner_names) + ", " + name_of(quadrature, quadrature_names));
      }
}

TEST_F(RunsOnAGpu, WithAPolynomialAreThoseOfTheCpu) {
  const Mesh mesh = random_mesh({8, 6, 5}, 0.5, 3);
  for (const Quadrature quadrature : all_quadratures)
    for (const SolverPath path : {SolverPath::plain, SolverPath::in_parts})
      for (const SolverPrecision precision : {SolverPrecision::double_precision, SolverPrecision::mixed}) {
        Problem problem = problem_on(mesh, quadrature);
        problem.preconditioner = PreconditionerChoice::polynomial;
        problem.path = path;
        problem.precision = precision;
        expect_parity(problem, "polynomial, " + name_of(quadrature, quadrature_names) + ", " +
                                   std::string(name_of(path)) + ", " + std::string(name_of(precision)));
      }
}

TEST_F(RunsOnAGpu, WithEachStrategyAreThoseOfTheCpusGather) {
  const Mesh mesh = random_mesh({8, 6, 5}, 0.5, 3);
  std::vector<AssemblyOptions> assemblies = all_assemblies(all_variants(8, default_window));
  for (const AssemblyOptions& assembly : unrepeatable_assemblies()) assemblies.push_back(assembly);
  for (const SolverPrecision precision :
       {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
    Problem problem = problem_on(mesh, Quadrature::centroid);
    problem.precision = precision;
    const std::vector<Real> expected = on_cpu(problem);
    for (const AssemblyOptions& assembly : assemblies) {
      problem.assembly = assembly;
      expect_parity(problem, expected, strategy_name(assembly) + ", " + std::string(name_of(precision)));
    }
  }
}

}  // namespace
}  // namespace cardiowarp
