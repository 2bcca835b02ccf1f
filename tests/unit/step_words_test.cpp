// What a step asks of its backend: which words, how often. Only `read` waits for a device, so its count is what a step
// costs beside the work.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/simulation/backend_simulation.hpp"
#include "app/simulation/make_assembly.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "assembly/papers/make_assembly.hpp"
#include "fem/scaling.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/jacobi_solvers.hpp"
#include "solver/make_linear_solver.hpp"
#include "solver/preconditioned_solver.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

struct WordCounts {
  int allocate = 0, upload = 0, download = 0, read = 0, synchronize = 0;
  friend bool operator==(const WordCounts&, const WordCounts&) = default;
};

void PrintTo(const WordCounts& counts, std::ostream* stream) {
  *stream << counts.allocate << " allocate, " << counts.upload << " upload, " << counts.download << " download, "
          << counts.read << " read, " << counts.synchronize << " synchronize";
}

/// The CPU, with a count of the words that make a device's host wait.
class CountingBackend {
 public:
  template <class T>
  Buffer<T> allocate(std::size_t size) {
    ++counts_.allocate;
    constexpr std::size_t granularity = 512;  // of the estimate, kernels/backend/sizing_backend.hpp
    bytes_ += (size * sizeof(T) + granularity - 1) / granularity * granularity;
    return cpu_.allocate<T>(size);
  }
  template <class T>
  void upload(std::span<const T> host, T* memory) {
    ++counts_.upload;
    cpu_.upload(host, memory);
  }
  template <class T>
  void download(const T* memory, std::span<T> host) {
    ++counts_.download;
    cpu_.download(memory, host);
  }
  template <class Body>
  void for_each(Index n, const Body& body) {
    cpu_.for_each(n, body);
  }
  template <int N, class Body, class Then = Nothing>
  void sum(Index n, Real* result, const Body& body, const Then& then = {}) {
    cpu_.sum<N>(n, result, body, then);
  }
  template <class Body, class Then = Nothing>
  void maximum(Index n, Real* result, const Body& body, const Then& then = {}) {
    cpu_.maximum(n, result, body, then);
  }
  using Repetition = CpuBackend::Repetition;
  template <class Body>
  void repeat_while(Repetition& repetition, const int* go_on, const Body& body, int calls = 1) {
    cpu_.repeat_while(repetition, go_on, body, calls);
  }
  template <class T>
  T read(const T* memory) {
    ++counts_.read;
    return cpu_.read(memory);
  }
  void synchronize() {
    ++counts_.synchronize;
    cpu_.synchronize();
  }
  void settle(Repetition& repetition) { cpu_.settle(repetition); }
  CpuBackend::Stopwatch stopwatch(double& seconds) { return cpu_.stopwatch(seconds); }

  const WordCounts& counts() const { return counts_; }
  std::size_t allocated_bytes() const { return bytes_; }

 private:
  CpuBackend cpu_;
  WordCounts counts_;
  std::size_t bytes_ = 0;
};

static_assert(Backend<CountingBackend>);

}  // namespace

/// No tissue here has ionic cells.
template <>
std::unique_ptr<IonicLoop<CountingBackend>> make_ionic_loop(CountingBackend& /*backend*/, const IonicModel& /*model*/,
                                                            std::span<const IonicCell> /*cells*/,
                                                            const Scaling& /*scaling*/) {
  return nullptr;
}

namespace {

class StepWords : public testing::Test {
 protected:
  StepWords() {
    Stimulus stimulus{{}, {0, 1}, AlievPanfilov::scaling.stimulus(60)};
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      if (mesh.nodes[i].x < 1) stimulus.nodes.push_back(static_cast<Index>(i));
    problem = resting_problem(mesh, 0.1, 0.3);
    problem.stimuli.push_back(stimulus);
  }

  /// Each assembly with a matrix in parts, compressed rows, fused and unfused ELL-WARP.
  template <class Check>
  void for_all_methods(const Check& check) {
    const MatrixOptions k1rs{
        MatrixFormat::ell_warp, {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 2, 64}, 0},
        k2{MatrixFormat::ell_warp, {EllWarpVariant::k2, EllWarpRenumbering::none, 2, 64}, 0};
    for (const AssemblyOptions& assembly : all_assemblies(all_variants(2, 64)))
      for (const auto& [path, matrix] : {std::pair(SolverPath::in_parts, k1rs), std::pair(SolverPath::plain, k1rs),
                                         std::pair(SolverPath::plain, MatrixOptions{.format = MatrixFormat::csr}),
                                         std::pair(SolverPath::automatic, k2)}) {
        problem.assembly = assembly;
        problem.matrix = matrix;
        problem.path = path;
        const SimulationPlan plan = plan_simulation(problem, nvidia_h200());
        SCOPED_TRACE(strategy_name(plan.problem().assembly) + (assembly.through_csr ? " through CSR, " : ", ") +
                     format_name(plan.matrix.options) + ", " + std::string(name_of(plan.solver.path)));
        check(plan);
      }
  }

  const Mesh mesh = random_mesh({3, 2, 2}, 0.6, 6);
  Problem problem;
};

TEST_F(StepWords, AreOfASolveOnTheChipWhereAGpuMayChooseTheFormat) {
  const auto nodes = static_cast<Index>(mesh.nodes.size());
  const SimulationPlan chosen = plan_simulation(problem, nvidia_h200());
  ASSERT_TRUE(chosen.solver.on_chip);
  EXPECT_EQ(format_name(chosen.matrix.options), "k1rs");
  const Index window = on_chip_window(nodes, nvidia_h200());
  EXPECT_EQ(chosen.solver.on_chip->rows_a_part, window);
  EXPECT_EQ(chosen.solver.on_chip->parts, (nodes - 1) / window + 1);
  EXPECT_FALSE(plan_simulation(problem, cpu_device()).solver.on_chip);
  problem.matrix = chosen.matrix.options;  // what is reported can be asked for by name
  EXPECT_TRUE(plan_simulation(problem, nvidia_h200()).solver.on_chip);
  problem.path = SolverPath::plain;
  EXPECT_FALSE(plan_simulation(problem, nvidia_h200()).solver.parts);
}

TEST_F(StepWords, AStepInPartsIsThatOfTheWholeMatrixBitForBit) {
  problem.matrix = {
      MatrixFormat::ell_warp, {.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = 64}, 0};
  problem.path = SolverPath::in_parts;
  BackendSimulation<CpuBackend> in_parts(plan_simulation(problem, nvidia_h200()));
  EXPECT_EQ(in_parts.methods().solver, "in_parts");
  problem.path = SolverPath::plain;
  BackendSimulation<CpuBackend> whole(plan_simulation(problem, nvidia_h200()));
  EXPECT_EQ(whole.methods().solver, "plain");
  std::vector<Real> potential(mesh.nodes.size()), expected(mesh.nodes.size());
  for (int step = 1; step <= 5; ++step) {
    const StepReport report = in_parts.step_to(0.5 * step), other = whole.step_to(0.5 * step);
    ASSERT_FALSE(report.failure || other.failure);
    EXPECT_EQ(report.linear_iterations, other.linear_iterations);
    in_parts.potential_mv(potential);
    whole.potential_mv(expected);
    EXPECT_EQ(potential, expected);
  }
  EXPECT_GT(*std::max_element(potential.begin(), potential.end()), -80);
}

TEST_F(StepWords, ASolveWithoutASolutionLeavesTheIterate) {
  problem.phi.assign(mesh.nodes.size(), 0.6);  // where the front rises
  const SimulationPlan plan = plan_simulation(problem, cpu_device());
  CpuBackend backend;
  BackwardEuler<CpuBackend> equation(backend, plan);
  const std::vector<Real> source(mesh.nodes.size());
  const NewtonReport report = equation.attempt(1.2, source.data());
  ASSERT_EQ(report.linear.status, CgStatus::not_positive_definite);
  EXPECT_EQ(std::vector<Real>(equation.iterate(), equation.iterate() + mesh.nodes.size()), problem.phi);
}

TEST_F(StepWords, AStepWaitsOnce) {
  for_all_methods([](const SimulationPlan& plan) {
    CountingBackend backend;
    BackwardEuler<CountingBackend> equation(backend, plan);
    const Buffer<Real> source = uploaded(backend, std::vector<Real>(plan.problem().phi.size(), 5.0));
    WordCounts expected = backend.counts();
    EXPECT_GT(expected.allocate, 10);
    EXPECT_GT(expected.upload, 5);
    for (int step = 0; step < 3; ++step) {
      const NewtonReport report = equation.advance(0.05, source.data());
      ASSERT_TRUE(report.converged());
      ASSERT_GT(report.linear_iterations, 0);
      ASSERT_GT(report.iterations, 1);
      ++expected.read;
      EXPECT_EQ(backend.counts(), expected);
    }
  });
}

TEST_F(StepWords, AnAdaptiveStepWaitsOnceAndARejectedOneLeavesTheState) {
  const SimulationPlan plan = plan_simulation(problem, nvidia_h200());
  BackendSimulation<CountingBackend> simulation(plan);
  int reads = simulation.backend().counts().read;
  for (const Real end_ms : {0.1, 0.25, 0.3}) {
    std::vector<Real> before(mesh.nodes.size()), after(mesh.nodes.size());
    simulation.potential_mv(before);
    const Real start_ms = simulation.time_ms();
    const StepReport rejected = simulation.try_step_to(end_ms, -1);
    EXPECT_TRUE(rejected.rejected);
    EXPECT_EQ(rejected.error.has_value(), start_ms > 0);  // nothing predicts the first step
    EXPECT_EQ(simulation.time_ms(), start_ms);
    simulation.potential_mv(after);
    EXPECT_EQ(after, before);
    const StepReport taken = simulation.try_step_to(end_ms, 1);
    EXPECT_FALSE(taken.rejected || taken.failure);
    EXPECT_EQ(taken.error, rejected.error);
    EXPECT_EQ(simulation.time_ms(), end_ms);
    reads += 2;
    EXPECT_EQ(simulation.backend().counts().read, reads);
  }
}

TEST_F(StepWords, TheEstimateOfDeviceMemoryIsTheSumOfAllThatASimulationAllocates) {
  for_all_methods([](const SimulationPlan& plan) {
    const BackendSimulation<CountingBackend> simulation(plan);
    EXPECT_EQ(backend_bytes(plan), simulation.backend().allocated_bytes());
    EXPECT_GT(backend_bytes(plan), 50u * 512);
  });
}

TEST_F(StepWords, AStepInWhichAStimulusBeginsOrEndsAsksForNothingMore) {
  for_all_methods([](const SimulationPlan& plan) {
    BackendSimulation<CountingBackend> simulation(plan);
    WordCounts expected = simulation.backend().counts();
    for (int step = 1; step <= 4; ++step) {  // on in the first two
      const StepReport report = simulation.step_to(0.5 * step);
      ASSERT_FALSE(report.failure);
      ++expected.read;
      EXPECT_EQ(simulation.backend().counts(), expected);
    }
  });
}

}  // namespace
}  // namespace cardiowarp
