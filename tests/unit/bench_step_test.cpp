#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "app/bench/assembly_bench.hpp"
#include "app/bench/solver_bench.hpp"
#include "app/bench/step_bench.hpp"
#include "app/simulation/choose_assembly.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/small_mesh.hpp"

namespace cardiowarp {
namespace {

const DeviceCopy a_copy{"a GPU", 1000, 4000, {1e-6, 1e-6, 1e-6}};

TableCell cell(const Table& table, std::size_t row, const std::string& column) {
  return with_columns(table, {column}).rows.at(row).front();
}

double number(const Table& table, std::size_t row, const std::string& column) {
  return std::get<double>(cell(table, row, column));
}

bool empty(const Table& table, std::size_t row, const std::string& column) {
  return std::holds_alternative<std::monostate>(cell(table, row, column));
}

std::vector<Real> update_of(CpuBackend& cpu, const Real* memory, const SimulationPlan& plan) {
  std::vector<Real> update(plan.sparsity.rows());
  cpu.download(memory, std::span<Real>(update));
  return update;
}

TEST(BenchStep, TheFrontIsAcrossTheMiddleOfTheLongestSide) {
  Mesh mesh;
  mesh.nodes = {{5, -7, 0}, {6, 1, 0}, {5, -3, 1}, {5, -3.5, 0}};
  mesh.tetrahedra = {{0, 1, 2, 3}};
  const Problem problem = front_problem(mesh, Quadrature::centroid);
  const Real thickness = std::sqrt(2 * 12.9 / 8);  // mm
  EXPECT_NEAR(problem.phi[0], (1 + std::tanh(4 / (2 * thickness))) / 2, 1e-15);
  EXPECT_NEAR(problem.phi[1], (1 - std::tanh(4 / (2 * thickness))) / 2, 1e-15);
  EXPECT_EQ(problem.phi[2], 0.5);
  EXPECT_GT(problem.phi[3], 0.5);
  EXPECT_EQ(problem.states, std::vector<Real>{0});
}

TEST(BenchStep, TheIterationIsTheFirstOfAStepAndCanBeRepeated) {
  for (const Quadrature quadrature : {Quadrature::vertices, Quadrature::centroid}) {
    const Mesh mesh = random_mesh({3, 2, 2}, 0.6, 6);
    Problem problem = front_problem(mesh, quadrature);
    const SimulationPlan plan = plan_simulation(problem, nvidia_h200());
    CpuBackend cpu;
    FirstIteration<CpuBackend> iteration(cpu, plan);
    EXPECT_EQ(iteration.iterate().iterations, 10);
    const std::vector<Real> first = update_of(cpu, iteration.update(), plan);
    iteration.rewind();
    EXPECT_EQ(iteration.iterate().iterations, 10);
    EXPECT_EQ(update_of(cpu, iteration.update(), plan), first);
    EXPECT_EQ(expected_update(plan), first);

    problem.newton.max_iterations = 7;  // the first ends it all the same: its system is not solved
    const SimulationPlan step = plan_simulation(problem, nvidia_h200());
    BackwardEuler<CpuBackend> equation(cpu, step);
    const Buffer<Real> source = cpu.allocate<Real>(first.size());
    equation.attempt(AlievPanfilov::scaling.tau_from_ms(0.1), source.data());
    EXPECT_EQ(update_of(cpu, equation.last_update(), step), first);
  }
}

TEST(BenchStep, AnUpdateAgreesUpToABillionthOfTheLargest) {
  const std::vector<Real> expected{-2, 1e-3, 0};
  EXPECT_TRUE(agrees(expected, expected));
  EXPECT_TRUE(agrees({-2, 1e-3 + 1.9e-9, 0}, expected));
  EXPECT_FALSE(agrees({-2, 1e-3, 2.1e-9}, expected));
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_FALSE(agrees({-2, nan, 0}, expected));
  EXPECT_FALSE(agrees(expected, {nan, nan, nan}));
  EXPECT_FALSE(agrees({5, 1}, {nan, 1}));
  EXPECT_FALSE(agrees({0, 0}, {0, 0}));
}

TEST(BenchStep, BytesAreThoseOfElementsSumsTenIterationsAndTheUpdate) {
  const Mesh mesh = test::small_mesh();
  const SimulationPlan plan = plan_simulation(front_problem(mesh, Quadrature::centroid), nvidia_h200());
  const StepMeasurement step = described_step("small", plan);
  EXPECT_EQ(step.nodes, 5);
  EXPECT_EQ(step.elements, 2);
  EXPECT_EQ(step.nonzeros, 23);
  EXPECT_EQ(step.format, "k1rs");
  EXPECT_EQ(step.solver, "on_chip");
  ASSERT_EQ(step.phases.size(), 5u);
  EXPECT_EQ(step.phases[0].bytes, 2 * 58 + 5 * 16);
  EXPECT_EQ(step.phases[1].bytes, std::get<SliceGatherPlan>(plan.assembly).bytes());
  EXPECT_EQ(step.phases[2].bytes, 10 * (23 * 10 + 5 * 88));
  EXPECT_EQ(step.phases[2].bytes_once, 23 * 10 + 5 * 88);
  EXPECT_EQ(step.phases[3].bytes, 5 * 32);
  std::int64_t bytes = 0, once = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    bytes += step.phases[k].bytes;
    once += step.phases[k].bytes_once;
  }
  EXPECT_EQ(step.phases[4].name, "whole");
  EXPECT_EQ(step.phases[4].bytes, bytes);
  EXPECT_EQ(step.phases[4].bytes_once, once);
}

TEST(BenchStep, OfVerticesTheElementsAreNoPhaseOfTheirOwn) {
  const Mesh mesh = test::small_mesh();  // 5 nodes of one kind of cell, 23 entries
  Problem problem = front_problem(mesh, Quadrature::vertices);
  problem.matrix.format = MatrixFormat::csr;
  const SimulationPlan plan = plan_simulation(problem, cpu_device());
  StepMeasurement step = described_step("small", plan);
  EXPECT_EQ(step.phases[0].bytes, 0);
  EXPECT_EQ(step.phases[1].bytes, 5 * (8 + 2 + 2 * 8) + 23 * (8 + 4) + 5 * (2 * 4 + 4 * 8 + 2 * 8 + 3 * 8));
  EXPECT_EQ(step.phases[4].bytes, step.phases[1].bytes + step.phases[2].bytes + step.phases[3].bytes);
  step.correct = true;
  Table table = step_table();
  add_rows(table, step, a_copy);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(cell(table, 0, "quadrature"), TableCell(std::string("vertices")));
  EXPECT_EQ(cell(table, 0, "part"), TableCell(std::string("assembly")));
  EXPECT_FALSE(empty(table, 0, "ratio_to_roof"));
}

TEST(BenchStep, EveryStrategyOfAssemblyHasItsBytes) {
  const Mesh mesh = test::small_mesh();  // 5 nodes, 2 elements, 23 entries
  const auto phases_of = [&](const AssemblyOptions& assembly, MatrixFormat format = MatrixFormat::csr) {
    Problem problem = front_problem(mesh, Quadrature::centroid);
    problem.matrix.format = format;
    problem.matrix.ell_warp.renumbering = EllWarpRenumbering::rows;
    problem.assembly = assembly;
    const SimulationPlan plan = plan_simulation(problem, cpu_device());
    EXPECT_EQ(strategy_name(plan.problem().assembly), strategy_name(assembly));
    const StepMeasurement step = described_step("small", plan);
    EXPECT_EQ(step.phases[4].bytes_once, step.phases[0].bytes_once + step.phases[1].bytes_once +
                                             step.phases[2].bytes_once + step.phases[3].bytes_once);
    return step.phases;
  };
  const auto rows = phases_of({.strategy = AssemblyStrategy::row_gather});
  EXPECT_EQ(rows[0].bytes, 2 * 58 + 5 * 16);
  EXPECT_EQ(rows[1].bytes, 23 * (8 + 4 + 8) + 2 * (4 * 12 + 16) + 5 * (4 + 4 + 2 + 8 + 8 + 8));

  const auto entries = phases_of({.strategy = AssemblyStrategy::entry_gather});
  EXPECT_EQ(entries[0].bytes, rows[0].bytes);
  EXPECT_GT(entries[1].bytes, rows[1].bytes);

  const auto slices = phases_of({.strategy = AssemblyStrategy::slice_gather}, MatrixFormat::ell_warp);
  EXPECT_GT(slices[1].bytes, 23 * 20);

  // In K1 23 rows and 5 rows, of two contributions at most, are a slice of 64 each.
  AssemblyOptions spmv{.strategy = AssemblyStrategy::spmv, .ell_warp = {}};
  const auto straight = phases_of(spmv);
  EXPECT_EQ(straight[0].bytes, 2 * (20 * 12 + 16 + 40 + 2 + 16) + 5 * (24 + 16));
  EXPECT_EQ(straight[1].bytes, 8 * (64 + 23 + 64 + 5) + 5 * (4 + 16));
  spmv.through_csr = true;
  EXPECT_EQ(phases_of(spmv)[1].bytes, straight[1].bytes + 24L * 23);
  spmv.ell_warp.renumbering = EllWarpRenumbering::rows;
  EXPECT_EQ(phases_of(spmv)[1].bytes, straight[1].bytes + 24L * 23 + 24L * (23 + 5));
}

TEST(BenchStep, ARoofIsTheTimeOfACopyOfAsManyBytes) {
  StepMeasurement step;
  step.correct = true;
  step.phases = {{"cg", 8000, 800, {3e-6, 2e-6, 5e-6}}, {"whole", 12000, 1200, {6e-6, 6e-6, 6e-6}}};
  Table table = step_table();
  add_rows(table, step, a_copy);
  EXPECT_NEAR(number(table, 0, "median_us"), 3, 1e-9);
  EXPECT_NEAR(number(table, 0, "max_us"), 5, 1e-9);
  EXPECT_NEAR(number(table, 0, "roof_us"), 2, 1e-9);
  EXPECT_NEAR(number(table, 0, "ratio_to_roof"), 1.5, 1e-9);
  EXPECT_EQ(cell(table, 0, "in_l2"), TableCell(true));
  EXPECT_EQ(cell(table, 1, "in_l2"), TableCell(false));
  EXPECT_NEAR(number(table, 1, "ratio_to_roof"), 2, 1e-9);

  step.correct = false;
  add_rows(table, step, a_copy);
  for (const char* column : {"median_us", "min_us", "max_us", "ratio_to_roof"})
    EXPECT_TRUE(empty(table, 2, column)) << column;
  EXPECT_EQ(cell(table, 2, "correct"), TableCell(false));
  EXPECT_NEAR(number(table, 2, "roof_us"), 2, 1e-9);
}

TEST(BenchAssembly, OfItsStrategiesTheGathersAreMeasuredUnlessOthersAreNamed) {
  std::vector<std::string> measured;
  const auto measured_by = [&](const AssemblyBenchOptions& options) {
    measured.clear();
    for (const std::string& name : assembly_bench_strategies())
      if (is_measured(options, name)) measured.push_back(name);
    return measured;
  };
  EXPECT_EQ(measured_by({}), (std::vector<std::string>{"entry_gather", "slice_gather", "shared_nz"}));
  EXPECT_EQ(measured_by({.strategies = {"spmv_merge", "spmv_k1_joint"}}),
            (std::vector<std::string>{"spmv_k1_joint", "spmv_merge"}));
  EXPECT_EQ(measured_by({.strategies = {"all"}}), assembly_bench_strategies());
  EXPECT_EQ(assembly_bench_strategies().size(), 40u);
  EXPECT_EQ(test::input_error_of([] {
              require_valid(AssemblyBenchOptions{.strategies = {"spmv_cuspars"}});
            }).find("--strategy: unknown strategy 'spmv_cuspars'; expected diagonal, entry_gather, slice_gather, "),
            0u);
  EXPECT_NO_THROW(require_valid(AssemblyBenchOptions{.strategies = {"all", "spmv_cusparse"}}));
}

TEST(BenchAssembly, OfAQuadraticMeshHasTheStrategiesOfARunOnIt) {
  std::set<std::string> expected, measured;
  for (const bool repeating : {true, false})
    for (const AssemblyOptions& options : quadratic_assemblies(repeating)) expected.insert(strategy_name(options));
  for (const auto& [name, options] : quadratic_bench_strategies()) {
    EXPECT_TRUE(measured.insert(name).second) << name;
    EXPECT_EQ(strategy_name(options), name);
    EXPECT_EQ(strategy_name(choose_quadratic_assembly(options)), name);  // is not refused
  }
  EXPECT_EQ(measured, expected);
  const auto left_out = left_out_of_quadratic_mesh({.strategies = {"all", "atomics", "slice_gather"}});
  ASSERT_EQ(left_out.size(), 1u);
  EXPECT_EQ(left_out[0].name, "slice_gather");
  EXPECT_EQ(left_out[0].reason, "a run on quadratic tetrahedra does not have it");
  EXPECT_NO_THROW(require_suits_quadratic_mesh("bar.msh", {.format = "k1"}));
  EXPECT_EQ(test::input_error_of([] { require_suits_quadratic_mesh("bar.msh", {.format = "ell"}); }),
            "bar.msh: --format: expected a format of a run for a mesh of quadratic tetrahedra, got 'ell'");
  EXPECT_EQ(test::input_error_of([] { require_suits_quadratic_mesh("bar.msh", {.order = BenchOrder::rcm}); }),
            "bar.msh: --order: expected hilbert for a mesh of quadratic tetrahedra, got 'rcm'");
}

TEST(BenchAssembly, HasNoBandwidthWhereBytesAreNotCounted) {
  AssemblyReport report{"heart", 5, 2, 13, "k1", BenchOrder::hilbert, {}};
  AssemblyMeasurement m;
  m.strategy = "lazy_ell";
  m.correct = true;
  m.elements = m.assembly = m.together = {2e-6, 1e-6, 3e-6};
  report.measurements.push_back(m);
  m.element_bytes = 3000;
  m.assembly_bytes = 5000;
  report.measurements.push_back(m);
  Table table = assembly_table();
  add_rows(table, report, a_copy);
  for (const char* column : {"element_bytes", "assembly_bytes", "gb_per_s", "percent_of_copy", "in_l2"}) {
    EXPECT_TRUE(empty(table, 0, column)) << column;
    EXPECT_FALSE(empty(table, 1, column)) << column;
  }
  EXPECT_NEAR(number(table, 0, "median_us"), 2, 1e-9);
  EXPECT_NEAR(number(table, 1, "gb_per_s"), 4, 1e-9);
  EXPECT_EQ(cell(table, 0, "device"), TableCell(std::string("a GPU")));
}

TEST(BenchSolver, AnIterationIsHeldAgainstACopyOfValuesColumnsAndElevenVectors) {
  const BenchMatrix matrix{"heart", {0, 1, 3}, {0, 0, 1}, {1, 2, 3}};
  EXPECT_EQ(cg_iteration_bytes(2, 3), 3 * 10 + 2 * 88);
  EXPECT_EQ(cg_iteration_bytes(2, 3, sizeof(float)), 3 * 6 + 2 * 88);
  EXPECT_EQ(cg_iteration_bytes(2, 3, sizeof(float), sizeof(float)), 3 * 6 + 2 * 44);
  SolverMeasurement m;
  m.correct = true;
  m.iteration_s = 1e-7;
  Table table = solver_table();
  add_rows(table, matrix, {m}, a_copy);
  EXPECT_EQ(cell(table, 0, "iteration_bytes"), TableCell(std::int64_t{206}));
  EXPECT_NEAR(number(table, 0, "iteration_us"), 0.1, 1e-9);
  EXPECT_NEAR(number(table, 0, "effective_gb_per_s"), 2.06, 1e-9);
  EXPECT_NEAR(number(table, 0, "percent_of_copy"), 51.5, 1e-9);

  m.iteration_s = 0;  // too few iterations
  add_rows(table, matrix, {m}, a_copy);
  for (const char* column : {"iteration_us", "effective_gb_per_s"}) EXPECT_TRUE(empty(table, 1, column)) << column;
  m.correct = false;
  add_rows(table, matrix, {m}, a_copy);
  for (const char* column : {"median_us", "iteration_us", "effective_gb_per_s", "percent_of_copy"})
    EXPECT_TRUE(empty(table, 2, column)) << column;
}

}  // namespace
}  // namespace cardiowarp
