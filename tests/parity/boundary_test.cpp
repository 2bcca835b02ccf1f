// Prescribed potentials on the GPU against the CPU: by every format, strategy, quadrature, scheme, path and precision;
// and Laplace's equation.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/simulation/gpu.hpp"
#include "app/simulation/laplace.hpp"
#include "app/simulation/read_at.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/prescribed_problem.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/second_order_schemes.hpp"

namespace cardiowarp {
namespace {

using GpuBoundary = GpuTest;

/// The potential after every step; prescribed nodes are held at each, and in the middle of each.
std::vector<std::vector<Real>> history(Simulation& simulation, const Problem& problem, int steps) {
  constexpr Real step_ms = 0.3;
  std::vector<std::vector<Real>> result;
  std::vector<Real> start_mv(problem.mesh->nodes.size()), now_mv(start_mv.size());
  simulation.potential_mv(start_mv);
  for (int step = 1; step <= steps; ++step) {
    const StepReport report = simulation.step_to(step * step_ms);
    if (report.failure) {
      ADD_FAILURE() << "step " << step << ": " << report.failure->reason;
      break;
    }
    simulation.look_at((step - 0.5) * step_ms);
    simulation.potential_mv(now_mv);
    EXPECT_TRUE(test::are_held(problem, now_mv, start_mv)) << "in step " << step;
    simulation.look_at(step * step_ms);
    simulation.potential_mv(now_mv);
    EXPECT_TRUE(test::are_held(problem, now_mv, start_mv)) << "after step " << step;
    result.push_back(now_mv);
  }
  return result;
}

/// The GPU's run is the one that is expected, and a front has left the side that is held at 20 mV.
void expect_run(const Problem& problem, const std::vector<std::vector<Real>>& expected, Real most_mv,
                const std::string& name) {
  SCOPED_TRACE(name);
  const auto simulation = make_gpu_simulation(problem);
  const auto run = history(*simulation, problem, static_cast<int>(expected.size()));
  ASSERT_EQ(run.size(), expected.size());
  Real largest = 0;
  for (std::size_t step = 0; step < run.size(); ++step)
    for (std::size_t i = 0; i < run[step].size(); ++i)
      largest = std::fmax(largest, std::fabs(run[step][i] - expected[step][i]));
  std::printf("RESULT parity boundary %s solver=%s largest_difference_mv=%.2e\n", name.c_str(),
              simulation->methods().solver.c_str(), largest);
  EXPECT_LE(largest, most_mv);
  const auto active = std::ranges::count_if(expected.back(), [](Real mv) { return mv > 0; });
  EXPECT_GT(active, static_cast<std::ptrdiff_t>(problem.prescribed.size()));
}

TEST_F(GpuBoundary, OfEveryFormatStrategyAndQuadratureIsTheCpus) {
  const Mesh mesh = random_mesh({9, 4, 4}, 0.6, 41);
  Problem problem = test::held_box(mesh);
  const std::vector<EllWarpOptions> variants = all_variants(8, default_window);
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid}) {
    problem.quadrature = quadrature;
    problem.matrix = {};
    problem.assembly = {};
    problem.path = SolverPath::automatic;
    const auto expected = history(*make_cpu_simulation(problem), problem, 40);
    const std::string of = " quadrature " + std::to_string(static_cast<int>(quadrature));
    expect_run(problem, expected, 1e-6, "auto" + of);
    std::vector<MatrixOptions> formats{{.format = MatrixFormat::csr}, {.format = MatrixFormat::cusparse}};
    for (const EllWarpOptions& variant : variants) formats.push_back({MatrixFormat::ell_warp, variant, 64});
    for (const MatrixOptions& format : formats) {
      problem.matrix = format;
      problem.path = SolverPath::plain;
      expect_run(problem, expected, 1e-6, format_name(format) + of);
    }
    if (quadrature != Quadrature::centroid) continue;
    problem.matrix = {};
    problem.path = SolverPath::automatic;
    for (const AssemblyOptions& assembly : all_assemblies(variants)) {
      problem.assembly = assembly;
      expect_run(problem, expected, 1e-6, strategy_name(assembly) + (assembly.through_csr ? " through csr" : "") + of);
    }
  }
}

TEST_F(GpuBoundary, OnEveryPathInEveryPrecisionAndWithAPolynomialIsTheCpus) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.7, 42);
  Problem problem = test::held_box(mesh);
  problem.newton.forcing = ForcingChoice::fixed;
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices}) {
    problem.quadrature = quadrature;
    problem.linear_solver = tight_cg;
    problem.path = SolverPath::automatic;
    const auto expected = history(*make_cpu_simulation(problem), problem, 30);
    problem.linear_solver.relative_tolerance = 1e-6;  // which single precision holds; Newton's method mends the rest
    for (const SolverPath path :
         {SolverPath::plain, SolverPath::in_parts, SolverPath::persistent, SolverPath::on_chip}) {
      problem.path = path;
      for (const SolverPrecision precision :
           {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
        problem.precision = precision;
        expect_run(problem, expected, 1e-6, std::string(name_of(path)) + " " + std::string(name_of(precision)));
      }
      problem.precision = SolverPrecision::double_precision;
      if (path != SolverPath::plain && path != SolverPath::in_parts) continue;
      problem.preconditioner = PreconditionerChoice::polynomial;
      expect_run(problem, expected, 1e-6, std::string(name_of(path)) + " polynomial");
      problem.preconditioner = PreconditionerChoice::jacobi;
    }
  }
}

TEST_F(GpuBoundary, WithEveryOperatorIsTheCpusAndTheSameTwice) {
  const Mesh linear = random_mesh({9, 4, 4}, 0.6, 46), quadratic = quadratic_mesh(random_mesh({5, 4, 3}, 0.9, 47));
  Problem of_linear = test::held_box(linear), of_quadratic = test::held_box(quadratic);
  of_linear.newton.forcing = of_quadratic.newton.forcing = ForcingChoice::fixed;
  for (const Quadrature quadrature :
       {Quadrature::centroid, Quadrature::vertices, Quadrature::vertices_and_centroid, Quadrature::fourteen_points}) {
    Problem problem = quadrature == Quadrature::fourteen_points ? of_quadratic : of_linear;
    problem.quadrature = quadrature;
    problem.matrix_operator = OperatorKind::assembled;
    const auto expected = history(*make_cpu_simulation(problem), problem, 30);
    problem.linear_solver.relative_tolerance = 1e-6;  // which single precision holds; Newton's method mends the rest
    for (const OperatorKind kind :
         {OperatorKind::local, OperatorKind::local_full, OperatorKind::matrix_free, OperatorKind::split})
      for (const SolverPrecision precision :
           {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
        problem.matrix_operator = kind;
        problem.precision = precision;
        const std::string name = std::string("operator ") + std::string(name_of(kind)) + " quadrature " +
                                 std::to_string(static_cast<int>(quadrature)) + " " + std::string(name_of(precision));
        expect_run(problem, expected, 1e-6, name);
        EXPECT_EQ(history(*make_gpu_simulation(problem), problem, 10),
                  history(*make_gpu_simulation(problem), problem, 10))
            << name;
      }
  }
}

class GpuBoundaryOfOrderTwo : public GpuBoundary, public testing::WithParamInterface<TimeScheme> {};
INSTANTIATE_TEST_SUITE_P(Schemes, GpuBoundaryOfOrderTwo, test::second_order_schemes(), test::name_of_scheme_in_test);

TEST_P(GpuBoundaryOfOrderTwo, IsTheCpus) {
  const Mesh mesh = random_mesh({9, 4, 4}, 0.6, 43);
  Problem problem = test::held_box(mesh);
  problem.time.scheme = GetParam();
  problem.quadrature = test::quadrature_for(GetParam());
  expect_run(problem, history(*make_cpu_simulation(problem), problem, 40), 1e-6, test::name_of_scheme(GetParam()));
}

void expect_field(const Mesh& mesh, const std::vector<std::string>& words, const std::string& name) {
  std::vector<PrescribedPlace> places;
  for (const std::string& word : words) places.push_back(read_at(mesh, word));
  const PrescribedValues values = prescribed_values(mesh, places, "");
  const LaplaceField cpu = solve_laplace_on_cpu(mesh, values), gpu = solve_laplace_on_gpu(mesh, values);
  EXPECT_EQ(gpu.status, CgStatus::converged);
  EXPECT_LE(gpu.residual, 1e-12);
  Real largest = 0;
  for (std::size_t i = 0; i < cpu.value.size(); ++i)
    largest = std::fmax(largest, std::fabs(gpu.value[i] - cpu.value[i]));
  std::printf(
      "RESULT parity laplace %s nodes=%zu solver=%s cpu_iterations=%d gpu_iterations=%d residual=%.2e "
      "largest_difference=%.2e\n",
      name.c_str(), mesh.nodes.size(), gpu.solver.c_str(), cpu.iterations, gpu.iterations, gpu.residual, largest);
  EXPECT_LE(largest, 1e-9);
  for (std::size_t k = 0; k < values.node.size(); ++k) EXPECT_EQ(gpu.value[values.node[k]], values.value[k]);
}

TEST_F(GpuBoundary, LaplacesFieldIsTheCpus) {
  expect_field(random_mesh({9, 6.5, 12}, 0.7, 44), {"x0=-80", "x1=40"}, "box");
  Mesh heart = biventricle_mesh(3);
  check_mesh(heart);
  expect_field(heart, {"epi=1", "endo_lv=0", "endo_rv=0"}, "heart");
  expect_field(slab_mesh({15, 14, 13}, 0.2, true), {"z0=0", "z1=1"}, "large box");
  expect_field(quadratic_mesh(random_mesh({5, 4, 3}, 0.7, 45)), {"x0=-80", "x1=40"}, "quadratic box");
}

}  // namespace
}  // namespace cardiowarp
