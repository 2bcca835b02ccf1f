// Whole runs by every precision and every polynomial on each path that has it, on a slab, an idealized heart and a
// human heart: the GPU's are the CPU's, step by step, and the same bits twice.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config_names.hpp"
#include "app/simulation/gpu.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/history.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

using SolverChoices = GpuTest;
using enum SolverPath;

/// A way to solve, and the paths that have it on a GPU.
struct Choice {
  std::string name;
  SolverPrecision precision;
  PreconditionerChoice preconditioner;
  PolynomialOptions polynomial;
  std::vector<SolverPath> paths;
};

/// Each polynomial has another degree, so that an odd one, an even one and the highest are among them.
std::vector<Choice> all_choices() {
  std::vector<Choice> choices;
  for (const SolverPrecision precision : {SolverPrecision::mixed, SolverPrecision::single})
    choices.push_back({std::string(name_of(precision)),
                       precision,
                       PreconditionerChoice::jacobi,
                       {},
                       {plain, in_parts, persistent, on_chip}});
  const std::vector<std::pair<PolynomialKind, int>> polynomials{
      {PolynomialKind::neumann, 3}, {PolynomialKind::least_squares, 2}, {PolynomialKind::chebyshev, 8}};
  for (const auto& [kind, degree] : polynomials)
    for (const PolynomialPrecision inside : {PolynomialPrecision::double_precision, PolynomialPrecision::single})
      for (const SolverPrecision precision : {SolverPrecision::double_precision, SolverPrecision::mixed})
        choices.push_back({"polynomial of degree " + std::to_string(degree) +
                               (inside == PolynomialPrecision::single ? " in single precision, " : ", ") +
                               std::string(name_of(precision)),
                           precision,
                           PreconditionerChoice::polynomial,
                           {kind, degree, inside},
                           {plain, in_parts, persistent}});
  return choices;
}

void expect_runs_of_the_cpu(const Mesh& mesh, Real isotropic, Real anisotropic, int steps) {
  Problem problem = wave_from_below(mesh, isotropic, anisotropic);
  problem.quadrature = Quadrature::vertices;
  problem.newton.forcing = ForcingChoice::fixed;  // to a tolerance that single precision holds
  problem.linear_solver.relative_tolerance = 1e-6;
  const History in_double(*make_cpu_simulation(problem), mesh, steps, 0.2);
  for (const Choice& choice : all_choices()) {
    SCOPED_TRACE(choice.name);
    problem.precision = choice.precision;
    problem.preconditioner = choice.preconditioner;
    problem.polynomial = choice.polynomial;
    problem.path = automatic;
    const History expected(*make_cpu_simulation(problem), mesh, steps, 0.2);
    expect_equal(expected, in_double, choice.name + " against double");
    EXPECT_NE(expected.potential_mv, in_double.potential_mv);
    for (const SolverPath path : choice.paths) {
      SCOPED_TRACE(std::string(name_of(path)));
      problem.path = path;
      const History run(*make_gpu_simulation(problem), mesh, steps, 0.2),
          again(*make_gpu_simulation(problem), mesh, steps, 0.2);
      EXPECT_EQ(run.solver, name_of(path));
      expect_equal(run, expected, choice.name);
      EXPECT_TRUE(run.potential_mv == again.potential_mv);
    }
  }
}

TEST_F(SolverChoices, OnASlabAreRunsOfTheCpu) {
  expect_runs_of_the_cpu(random_mesh({9, 6.5, 12}, 0.7, 29), 0.1, 0.3, 60);
}

TEST_F(SolverChoices, OnTheDefaultHeartAreRunsOfTheCpu) {
  Mesh mesh = biventricle_mesh(3);
  check_mesh(mesh);
  expect_runs_of_the_cpu(mesh, 1, 0, 30);
}

TEST_F(SolverChoices, OnAHumanHeartAreRunsOfTheCpu) {
  const std::filesystem::path surface = CARDIOWARP_SHARED_MESHES "/human_biventricle_surface.vtp";
  if (!std::filesystem::exists(surface)) GTEST_SKIP() << surface << " is not there";
  Mesh mesh = fill_surface(surface, 0);
  check_mesh(mesh);
  expect_runs_of_the_cpu(mesh, 1, 0, 15);
}

}  // namespace
}  // namespace cardiowarp
