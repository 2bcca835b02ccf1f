// Runs on meshes of quadratic tetrahedra: the GPU's are the CPU's, and the same bits twice.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/config/config_names.hpp"
#include "app/simulation/gpu.hpp"
#include "meshes/generate.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using QuadraticRunsOnAGpu = GpuTest;

/// A box whose inner nodes are moved a little, so that edges are curved.
Mesh curved_box() {
  Mesh mesh = quadratic_mesh(slab_mesh({4, 2, 2}, 0.5, true));
  for (Vector3& p : mesh.nodes) {
    const Real inside = p.x * (4 - p.x) * p.y * (2 - p.y) * p.z * (2 - p.z);
    p = p + 0.01 * inside * Vector3{1, -2, 1.5};
  }
  mesh.fibers.assign(mesh.tetrahedra.size(), {0.6, 0.8, 0});
  check_mesh(mesh);
  return mesh;
}

struct Answer {
  std::vector<Real> potential_mv, recovery, activation_ms;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer answer_after_steps(Simulation& simulation, const Mesh& mesh) {
  for (int step = 1; step <= 8; ++step) EXPECT_FALSE(simulation.step_to(step * 0.2).failure);
  Answer answer{std::vector<Real>(mesh.nodes.size()), std::vector<Real>(mesh.tetrahedra.size()),
                std::vector<Real>(mesh.nodes.size())};
  simulation.potential_mv(answer.potential_mv);
  simulation.state(0, answer.recovery);
  simulation.activation_time_ms(answer.activation_ms);
  return answer;
}

void expect_parity(const Problem& problem, const std::string& words) {
  SCOPED_TRACE(words);
  const Mesh& mesh = *problem.mesh;
  const Answer cpu = answer_after_steps(*make_cpu_simulation(problem), mesh),
               gpu = answer_after_steps(*make_gpu_simulation(problem), mesh),
               again = answer_after_steps(*make_gpu_simulation(problem), mesh);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    ASSERT_NEAR(gpu.potential_mv[i], cpu.potential_mv[i], 1e-7) << "node " << i;
    ASSERT_NEAR(gpu.activation_ms[i], cpu.activation_ms[i], 1e-7) << "node " << i;
  }
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) ASSERT_NEAR(gpu.recovery[e], cpu.recovery[e], 1e-9) << e;
  EXPECT_EQ(gpu, again);
}

Problem problem_on(const Mesh& mesh, TimeScheme scheme) {
  Problem problem = resting_problem(mesh, 0.5, 0.5);
  problem.quadrature = Quadrature::fourteen_points;
  problem.time.scheme = scheme;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 1) problem.phi[i] = 1;
  return problem;
}

TEST_F(QuadraticRunsOnAGpu, WithEveryImplicitSchemeAreThoseOfTheCpu) {
  const Mesh mesh = curved_box();
  for (const TimeScheme scheme : {TimeScheme::backward_euler, TimeScheme::sdirk2, TimeScheme::trbdf2, TimeScheme::bdf2})
    expect_parity(problem_on(mesh, scheme), name_of(scheme, time_scheme_names));
}

TEST_F(QuadraticRunsOnAGpu, InEveryFormatAndPrecisionAreThoseOfTheCpu) {
  const Mesh mesh = curved_box();
  for (const auto& [name, options] : named_formats()) {
    if (options.format == MatrixFormat::automatic || needs_gpu(options.format)) continue;
    Problem problem = problem_on(mesh, TimeScheme::sdirk2);
    problem.matrix = options;
    expect_parity(problem, name);
  }
  for (const SolverPrecision precision : {SolverPrecision::mixed, SolverPrecision::single}) {
    Problem problem = problem_on(mesh, TimeScheme::sdirk2);
    problem.precision = precision;
    expect_parity(problem, std::string(name_of(precision)));
  }
}

TEST_F(QuadraticRunsOnAGpu, ByEveryAssemblyThatRepeatsItsBitsAreThoseOfTheCpu) {
  const Mesh mesh = curved_box();
  for (const AssemblyOptions& assembly : quadratic_assemblies(true)) {
    Problem problem = problem_on(mesh, TimeScheme::sdirk2);
    problem.assembly = assembly;
    expect_parity(problem, strategy_name(assembly));
    if (assembly.strategy != AssemblyStrategy::spmv) continue;
    problem.assembly.through_csr = true;
    problem.matrix.format = MatrixFormat::ell_warp;
    expect_parity(problem, strategy_name(assembly) + " through CSR");
  }
}

TEST_F(QuadraticRunsOnAGpu, WithPrescribedNodesByEveryAssemblyThatRepeatsItsBitsAreThoseOfTheCpu) {
  const Mesh mesh = curved_box();
  for (const AssemblyOptions& assembly : quadratic_assemblies(true)) {
    Problem problem = problem_on(mesh, TimeScheme::sdirk2);
    problem.assembly = assembly;
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      if (mesh.nodes[i].x > 3.9) problem.prescribed.push_back(static_cast<Index>(i));
    ASSERT_GT(problem.prescribed.size(), 3u);
    expect_parity(problem, strategy_name(assembly));
  }
}

TEST_F(QuadraticRunsOnAGpu, ByAdditionsInAnyOrderAreThoseOfTheCpuUpToRounding) {
  const Mesh mesh = curved_box();
  for (const AssemblyOptions& assembly : quadratic_assemblies(false)) {
    Problem problem = problem_on(mesh, TimeScheme::sdirk2);
    problem.assembly = assembly;
    const Answer cpu = answer_after_steps(*make_cpu_simulation(problem), mesh),
                 gpu = answer_after_steps(*make_gpu_simulation(problem), mesh);
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      ASSERT_NEAR(gpu.potential_mv[i], cpu.potential_mv[i], 1e-7) << strategy_name(assembly) << ", node " << i;
  }
}

TEST_F(QuadraticRunsOnAGpu, ByEveryOperatorInEveryPrecisionAreThoseOfTheCpu) {
  const Mesh mesh = curved_box();
  for (const OperatorKind kind :
       {OperatorKind::local, OperatorKind::local_full, OperatorKind::matrix_free, OperatorKind::split})
    for (const SolverPrecision precision :
         {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
      Problem problem = problem_on(mesh, TimeScheme::sdirk2);
      problem.matrix_operator = kind;
      problem.precision = precision;
      expect_parity(problem, std::string(name_of(kind)) + ", " + std::string(name_of(precision)));
    }
}

}  // namespace
}  // namespace cardiowarp
