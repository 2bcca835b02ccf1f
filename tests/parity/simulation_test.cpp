// Whole runs step by step: GPU against CPU, and one way to store the matrix against the other.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/time_config.hpp"
#include "app/config/time_grid.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/time_stepper.hpp"
#include "fem/mesh_check.hpp"
#include "meshes/generate.hpp"
#include "solver/on_chip/on_chip_shape.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/history.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/second_order_schemes.hpp"
#include "tests/support/sent_potential.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

using GpuSimulation = GpuTest;

/// A way to store the matrix and one to assemble it, by their YAML names.
struct Methods {
  MatrixOptions matrix;
  AssemblyOptions assembly;
  std::string name;
};

/// A format that is named is multiplied as it is, by loops.
SolverPath path_of(const MatrixOptions& matrix) {
  return matrix.format == MatrixFormat::automatic ? SolverPath::automatic : SolverPath::plain;
}

/// Each format with the gather, each `spmv_..` strategy with the matrix that `auto` takes. K2's threshold is one at
/// which hearts have rows with several lanes.
std::vector<Methods> all_methods(bool with_cusparse) {
  const std::vector<EllWarpOptions> variants = all_variants(8, default_window);
  std::vector<Methods> methods{{{}, {}, "auto"}, {{.format = MatrixFormat::csr}, {}, "csr"}};
  if (with_cusparse) methods.push_back({{.format = MatrixFormat::cusparse}, {}, "cusparse"});
  for (const EllWarpOptions& variant : variants)
    methods.push_back({{MatrixFormat::ell_warp, variant, 64}, {}, ell_warp_name(variant)});
  for (const AssemblyOptions& assembly : all_assemblies(variants))
    if (assembly.strategy == AssemblyStrategy::spmv)
      methods.push_back(
          {{}, assembly, "spmv_" + ell_warp_name(assembly.ell_warp) + (assembly.through_csr ? "_through_csr" : "")});
  return methods;
}

/// Every format and `spmv_..` strategy against the CPU's compressed rows and gather.
void expect_equal_runs(Problem problem, int steps, Real step_ms, std::unique_ptr<Simulation> (*make)(const Problem&)) {
  const History expected(*make_cpu_simulation(problem), *problem.mesh, steps, step_ms);
  for (const Methods& methods : all_methods(make == make_gpu_simulation)) {
    SCOPED_TRACE(methods.name);
    problem.matrix = methods.matrix;
    problem.path = path_of(methods.matrix);
    problem.assembly = methods.assembly;
    expect_equal(History(*make(problem), *problem.mesh, steps, step_ms), expected, methods.name);
  }
}

TEST(CpuSimulation, IsTheSameForEveryFormatAndSpmvStrategy) {
  const Mesh mesh = random_mesh({9, 4.5, 6}, 0.5, 24);
  ASSERT_GT(mesh.nodes.size(), 2u * default_window);
  expect_equal_runs(wave_from_below(mesh, 0.1, 0.3), 20, 0.2, make_cpu_simulation);
}

TEST_F(GpuSimulation, OfASlabWithRandomFibresIsTheCpusForEveryFormatAndSpmvStrategy) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.7, 21);
  expect_equal_runs(wave_from_below(mesh, 0.1, 0.3), 300, 0.2, make_gpu_simulation);
}

TEST_F(GpuSimulation, OfTheDefaultHeartIsTheCpusForEveryFormatAndSpmvStrategy) {
  Mesh mesh = biventricle_mesh(3);
  check_mesh(mesh);
  expect_equal_runs(wave_from_below(mesh, 1, 0), 100, 0.2, make_gpu_simulation);
}

TEST_F(GpuSimulation, OfAHumanBiventricleIsTheCpusForEveryFormatAndSpmvStrategy) {
  const std::filesystem::path surface = CARDIOWARP_SHARED_MESHES "/human_biventricle_surface.vtp";
  if (!std::filesystem::exists(surface)) GTEST_SKIP() << surface << " is not there";
  Mesh mesh = fill_surface(surface, 0);
  check_mesh(mesh);
  expect_equal_runs(wave_from_below(mesh, 1, 0), 50, 0.2, make_gpu_simulation);
}

TEST_F(GpuSimulation, OfEveryQuadratureIsTheCpusForEveryFormat) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.7, 23);
  Problem problem = wave_from_below(mesh, 0.1, 0.3);
  for (const Quadrature quadrature : {Quadrature::vertices, Quadrature::vertices_and_centroid}) {
    problem.quadrature = quadrature;
    problem.matrix = {};
    problem.path = SolverPath::automatic;
    const History expected(*make_cpu_simulation(problem), mesh, 100, 0.2);
    for (const Methods& methods : all_methods(true)) {
      if (methods.assembly.strategy == AssemblyStrategy::spmv) continue;  // of centroids only
      SCOPED_TRACE(methods.name);
      problem.matrix = methods.matrix;
      problem.path = path_of(methods.matrix);
      expect_equal(History(*make_gpu_simulation(problem), mesh, 100, 0.2), expected, methods.name);
    }
  }
}

TEST_F(GpuSimulation, InMixedAndInSinglePrecisionIsTheCpusOnEveryPath) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.7, 24);
  Problem problem = wave_from_below(mesh, 0.1, 0.3);
  problem.newton.forcing = ForcingChoice::fixed;  // to a tolerance that single precision holds
  problem.linear_solver.relative_tolerance = 1e-6;
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices}) {
    problem.quadrature = quadrature;
    problem.precision = SolverPrecision::double_precision;
    problem.path = SolverPath::automatic;
    const History in_double(*make_cpu_simulation(problem), mesh, 100, 0.2);
    for (const SolverPrecision precision : {SolverPrecision::mixed, SolverPrecision::single}) {
      const std::string name(name_of(precision));
      problem.precision = precision;
      problem.path = SolverPath::automatic;
      const History expected(*make_cpu_simulation(problem), mesh, 100, 0.2);
      EXPECT_EQ(make_cpu_simulation(problem)->methods().precision, name);
      expect_equal(expected, in_double, name + " against double");
      EXPECT_NE(expected.potential_mv, in_double.potential_mv);
      for (const SolverPath path :
           {SolverPath::plain, SolverPath::in_parts, SolverPath::persistent, SolverPath::on_chip}) {
        SCOPED_TRACE(std::string(name_of(path)));
        problem.path = path;
        const History run(*make_gpu_simulation(problem), mesh, 100, 0.2);
        EXPECT_EQ(run.solver, name_of(path));
        expect_equal(run, expected, name);
      }
    }
  }
}

TEST_F(GpuSimulation, OfASlabTooLargeForTheChipIsTheCpus) {
  const Mesh mesh = slab_mesh({15, 14, 13}, 0.2, true);
  ASSERT_GT(mesh.nodes.size(), static_cast<std::size_t>(gpu_device().multiprocessors) * most_on_chip_rows);
  const Problem problem = wave_from_below(mesh, 0.1, 0.3);
  const History run(*make_gpu_simulation(problem), mesh, 8, 0.2);
  EXPECT_TRUE(run.solver == "persistent" || run.solver == "in_parts") << run.solver;  // where there is no room
  expect_equal(run, History(*make_cpu_simulation(problem), mesh, 8, 0.2), "large");
}

/// The potential in the middle of each step, too.
struct HistoryInside {
  HistoryInside(Simulation& simulation, const Mesh& mesh, int steps, Real step_ms)
      : recovery_(mesh.tetrahedra.size()), potential_(mesh.nodes.size()) {
    for (int step = 1; step <= steps; ++step) {
      const StepReport report = simulation.try_step_to(step * step_ms, std::numeric_limits<Real>::infinity());
      if (report.failure) ADD_FAILURE() << "step " << step << " failed";
      errors.push_back(report.error.value_or(0));
      simulation.look_at((step - 0.5) * step_ms);
      simulation.potential_mv(potential_);
      potential_mv.push_back(potential_);
      simulation.state(0, recovery_);
      recoveries.push_back(recovery_);
    }
  }
  std::vector<Real> errors;
  std::vector<std::vector<Real>> potential_mv, recoveries;

 private:
  std::vector<Real> recovery_, potential_;
};

/// rkc2 has a way of its own to compute rates for each format: rows of a product that are stored, and rows that are
/// not.
std::vector<std::pair<SolverPath, MatrixOptions>> ways_to_store(TimeScheme scheme) {
  std::vector<std::pair<SolverPath, MatrixOptions>> ways{{SolverPath::automatic, {}}, {SolverPath::plain, {}}};
  if (scheme != TimeScheme::rkc2) return ways;
  ways.emplace_back(SolverPath::plain, MatrixOptions{.format = MatrixFormat::csr});
  for (const EllWarpOptions& variant : all_variants(2, 64))
    ways.emplace_back(SolverPath::plain, MatrixOptions{MatrixFormat::ell_warp, variant, 0});
  return ways;
}

class GpuSimulationOfOrderTwo : public GpuSimulation, public testing::WithParamInterface<TimeScheme> {};
INSTANTIATE_TEST_SUITE_P(Schemes, GpuSimulationOfOrderTwo, test::second_order_schemes(), test::name_of_scheme_in_test);

TEST_P(GpuSimulationOfOrderTwo, StepsAreTheCpusAtTheirEndsAndInside) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.7, 21);
  Problem problem = wave_from_below(mesh, 0.1, 0.3);
  problem.time.scheme = GetParam();
  problem.quadrature = test::quadrature_for(GetParam());
  for (const bool follows : {false, true}) {
    problem.time.newton_follows = problem.time.linear_follows = follows;
    if (follows) {
      problem.time.tolerance = 1e-8;  // solvers to 2e-10
      problem.linear_solver.relative_tolerance = 0;
    }
    const Real most_mv = follows ? 1e-4 : 1e-10;
    for (const auto& [path, matrix] : ways_to_store(GetParam())) {
      problem.path = path;
      problem.matrix = matrix;
      const HistoryInside expected(*make_cpu_simulation(problem), mesh, 100, 0.6),
          run(*make_gpu_simulation(problem), mesh, 100, 0.6);
      Real largest_mv = 0;
      for (std::size_t step = 0; step < run.potential_mv.size(); ++step) {
        ASSERT_NEAR(run.errors[step], expected.errors[step], follows ? 1e-5 : 1e-10);
        for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
          const Real difference = std::fabs(run.potential_mv[step][i] - expected.potential_mv[step][i]);
          ASSERT_LE(difference, most_mv) << step;
          largest_mv = std::max(largest_mv, difference);
        }
        for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e)
          ASSERT_NEAR(run.recoveries[step][e], expected.recoveries[step][e], most_mv) << step;
      }
      std::printf("RESULT parity %s%s solver=%s nodes=%zu steps=100 largest_difference_mv=%.2e\n",
                  std::string(test::name_of_scheme(GetParam())).c_str(), follows ? ", solvers that follow" : "",
                  std::string(name_of(path)).c_str(), mesh.nodes.size(), largest_mv);
      EXPECT_GT(*std::max_element(run.potential_mv.back().begin(), run.potential_mv.back().end()), 0);
      problem.path = path;
      const History gpu(*make_gpu_simulation(problem), mesh, 100, 0.6),
          cpu(*make_cpu_simulation(problem), mesh, 100, 0.6);
      for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
        ASSERT_NEAR(gpu.activation_ms[i], cpu.activation_ms[i], follows ? 1e-4 : 1e-6);
      EXPECT_EQ(gpu.captures, cpu.captures);
    }
  }
}

/// The steps of a beat, and what is known at each look and at the end, with up to `steps` of them between looks.
struct FlownBeat {
  FlownBeat(const Problem& problem, const TimeConfig& time, int steps,
            std::unique_ptr<Simulation> (*make)(const Problem&))
      : activation_ms(problem.mesh->nodes.size()) {
    const std::unique_ptr<Simulation> simulation = make(problem);
    TimeStepper stepper(time, 5, problem.stimuli);
    FrameClock frames(4.3);
    frames.due(0);
    std::vector<Real> potential(problem.mesh->nodes.size()), recovery(problem.mesh->tetrahedra.size()),
        probe(problem.probes.size());
    while (!stepper.finished()) {
      const StepReport report = stepper.advance(*simulation, {steps, frames.not_before_ms()});
      if (report.failure) {
        ADD_FAILURE() << report.failure->reason;
        return;
      }
      told_later += simulation->flown_ms().has_value();
      iterations += report.linear_iterations;
      simulation->probe_mv(probe);
      probes.insert(probes.end(), probe.begin(), probe.end());
      while (const std::optional<Real> due = frames.due_before(simulation->time_ms())) {
        simulation->look_at(*due);
        simulation->potential_mv(potential);
        simulation->state(0, recovery);
        looks.push_back(potential);
        looks.push_back(recovery);
      }
      simulation->look_at(simulation->time_ms());
    }
    counts = stepper.counts();
    for (const StepAttempt& attempt : stepper.attempts()) ends.push_back(attempt.end_ms);
    simulation->potential_mv(potential);
    looks.push_back(potential);
    simulation->activation_time_ms(activation_ms);
    captures = simulation->captures();
  }
  std::vector<std::vector<Real>> looks;
  std::vector<Real> ends, probes, activation_ms;
  std::vector<PulseCaptures> captures;
  StepCounts counts;
  int iterations = 0, told_later = 0;
};

TEST_P(GpuSimulationOfOrderTwo, StepsOfAFlightAreThoseThatTheHostLooksAtBitForBit) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.7, 27);
  Problem problem = wave_from_below(mesh, 0.1, 0.3);
  problem.time = {GetParam(), 1e-3, true, true};
  problem.newton = {};
  problem.linear_solver = {0, 1000};
  problem.stimuli[0].pulses = {1.3, 2, 60, 3};
  problem.probes = {{mesh.tetrahedra[5], {0.1, 0.2, 0.3, 0.4}}, {mesh.tetrahedra[1], {0, 0.5, 0.5, 0}}};
  const TimeConfig time{190, 0.1, GetParam(), {true, 1e-3, 0.01, 5}};
  for (const Quadrature quadrature : {Quadrature::centroid, Quadrature::vertices}) {
    problem.quadrature = GetParam() == TimeScheme::rkc2 ? Quadrature::vertices : quadrature;
    for (const SolverPath path : {SolverPath::automatic, SolverPath::plain}) {
      problem.path = path;
      const FlownBeat expected(problem, time, 1, make_gpu_simulation);
      EXPECT_EQ(expected.told_later, 0);
      EXPECT_GT(expected.counts.rejected, 0);
      for (const int steps : {0, 2, 5}) {
        SCOPED_TRACE(steps);
        const FlownBeat flown(problem, time, steps, make_gpu_simulation);
        EXPECT_EQ(flown.told_later > 20, GetParam() == TimeScheme::sdirk2 || GetParam() == TimeScheme::trbdf2);
        EXPECT_TRUE(flown.ends == expected.ends);
        EXPECT_TRUE(flown.looks == expected.looks);
        EXPECT_TRUE(flown.probes == expected.probes);
        EXPECT_TRUE(flown.activation_ms == expected.activation_ms);
        EXPECT_EQ(flown.captures, expected.captures);
        EXPECT_EQ(flown.iterations, expected.iterations);
        EXPECT_EQ(flown.counts.rejected, expected.counts.rejected);
      }
    }
  }
}

TEST_F(GpuSimulation, SendsThePotentialThatItLooksAtInSinglePrecision) {
  for (const Real size_mm : {0.3, 5.0}) {
    const Mesh mesh = random_mesh({size_mm, 0.9 * size_mm, 1.1 * size_mm}, 0.3, 7);
    Problem problem = wave_from_below(mesh, 0.1, 0.1);
    for (const TimeScheme scheme : {TimeScheme::backward_euler, TimeScheme::sdirk2}) {
      problem.time.scheme = scheme;
      problem.sends_potential = scheme == TimeScheme::sdirk2;
      test::expect_sent_potential_is_rounded(*make_gpu_simulation(problem), mesh.nodes.size(), 0.2);
    }
  }
}

TEST_F(GpuSimulation, IsTheSameBitForBitForEveryBlockSize) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.5, 25);
  Problem problem = wave_from_below(mesh, 0.1, 0.3);
  for (const EllWarpOptions& variant : all_variants(8, default_window)) {
    SCOPED_TRACE(ell_warp_name(variant));
    std::vector<std::vector<Real>> first;
    for (const int block_size : {0, 32, 96, 256, 1024}) {
      problem.matrix = {MatrixFormat::ell_warp, variant, block_size};
      problem.path = SolverPath::plain;
      problem.assembly = {AssemblyStrategy::spmv, variant, block_size, false};
      const History run(*make_gpu_simulation(problem), mesh, 20, 0.2);
      if (first.empty()) first = run.potential_mv;
      ASSERT_TRUE(run.potential_mv == first) << "blocks of " << block_size;
    }
    EXPECT_GT(*std::max_element(first.back().begin(), first.back().end()), 0);
  }
}

TEST_F(GpuSimulation, IsTheSameBitForBitInTwoRunsForEveryFormatAndSpmvStrategy) {
  const Mesh mesh = random_mesh({9, 6.5, 12}, 0.5, 22);
  Problem problem = wave_from_below(mesh, 0.1, 0.3);
  for (const Methods& methods : all_methods(true)) {
    SCOPED_TRACE(methods.name);
    problem.matrix = methods.matrix;
    problem.path = path_of(methods.matrix);
    problem.assembly = methods.assembly;
    const History one(*make_gpu_simulation(problem), mesh, 30, 0.2),
        other(*make_gpu_simulation(problem), mesh, 30, 0.2);
    ASSERT_TRUE(one.potential_mv == other.potential_mv);
    EXPECT_GT(*std::max_element(one.potential_mv.back().begin(), one.potential_mv.back().end()), 0);
  }
}

}  // namespace
}  // namespace cardiowarp
