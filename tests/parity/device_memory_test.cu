// Device memory: the estimate against what is taken, and what happens where there is too little. These tests fill the
// device's memory: nothing else may run on it meanwhile.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "app/simulation/backend_simulation.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/simulation_plan.hpp"
#include "app/simulation/step_on_gpu.cuh"
#include "fem/scaling.hpp"
#include "kernels/backend/cuda_check.hpp"
#include "tests/support/counted_allocations.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/program.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/single_run.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

/// cudaMalloc takes memory from the device in blocks of this size; small allocations share one.
constexpr std::size_t block_bytes = std::size_t{2} << 20;
/// Blocks that may be open for small allocations before and after.
constexpr std::size_t open_blocks = 4;

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  cuda_check(cudaDeviceSynchronize());
  cuda_check(cudaMemGetInfo(&free, &total));
  return free;
}

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

/// Takes device memory until between `leave` and `leave` + 2 blocks are free.
class MemoryHog {
 public:
  explicit MemoryHog(std::size_t leave) {
    std::size_t piece = ~std::size_t{0};
    while (true) {
      const std::size_t free = free_bytes();
      if (free < leave + 2 * block_bytes) return;
      piece = std::min(piece, (free - leave) / block_bytes * block_bytes);
      void* memory = nullptr;
      if (cudaMalloc(&memory, piece) == cudaSuccess) {
        taken_.push_back(memory);
      } else {
        cudaGetLastError();
        piece /= 2;
        if (piece < block_bytes) return;
      }
    }
  }
  MemoryHog(const MemoryHog&) = delete;
  MemoryHog& operator=(const MemoryHog&) = delete;
  ~MemoryHog() {
    for (void* memory : taken_) cudaFree(memory);
  }

 private:
  std::vector<void*> taken_;
};

Problem stimulated_problem(const Mesh& mesh) {
  Problem problem = resting_problem(mesh, 0.1, 0.3);
  problem.stimuli.push_back({{0, 1, 2}, {0, 2}, AlievPanfilov::scaling.stimulus(60)});
  return problem;
}

class DeviceMemory : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    // The context, and the code of every kernel of a step, take memory when they are first used, and keep it.
    const Mesh small = random_mesh({3, 2, 2}, 0.5, 41);
    for (const auto strategy : {AssemblyStrategy::scalar_gather, AssemblyStrategy::spmv}) {
      Problem problem = stimulated_problem(small);
      problem.assembly.strategy = strategy;
      const SimulationPlan plan = plan_simulation(problem, gpu_device());
      ASSERT_FALSE(make_gpu_simulation(problem)->step_to(0.2).failure);
      ASSERT_FALSE(BackendSimulation<CudaBackend>(plan).step_to(0.2).failure);
    }
  }
};

/// 357,911 nodes: the blocks of the allocations are a small part of what a simulation needs.
Mesh large_mesh() { return random_mesh({70, 70, 70}, 1, 42); }

TEST_F(DeviceMemory, TakenByASimulationIsTheEstimateUpToTheBlocksOfItsAllocations) {
  const Mesh mesh = large_mesh();
  Problem problem = stimulated_problem(mesh);
  for (const auto strategy : {AssemblyStrategy::scalar_gather, AssemblyStrategy::spmv}) {
    problem.assembly.strategy = strategy;
    const SimulationPlan plan = plan_simulation(problem, gpu_device());
    const std::size_t estimate = backend_bytes(plan), allocations = allocations_of(plan);
    const std::size_t before = free_bytes();
    std::size_t taken = 0;
    {
      const auto simulation = make_gpu_simulation(problem);
      taken = before - free_bytes();
    }
    std::printf("RESULT device_memory %s nodes=%zu estimate_bytes=%zu taken_bytes=%zu allocations=%zu\n",
                strategy_name(plan.problem().assembly).c_str(), mesh.nodes.size(), estimate, taken, allocations);
    ASSERT_GT(allocations, 30u);
    ASSERT_LT(allocations * block_bytes, estimate / 3);
    EXPECT_GE(taken + open_blocks * block_bytes, estimate);
    EXPECT_LE(taken, estimate + (allocations + open_blocks) * block_bytes);
    EXPECT_LE(distance(free_bytes(), before), open_blocks * block_bytes);
  }
}

TEST_F(DeviceMemory, ThatDoesNotSufficeIsRefusedWithTheNumbersBeforeAnyIsTaken) {
  const Mesh mesh = large_mesh();
  const Problem problem = stimulated_problem(mesh);
  const std::size_t needed = backend_bytes(plan_simulation(problem, gpu_device()));
  const MemoryHog hog(needed / 2);
  const std::size_t free = free_bytes();
  ASSERT_LT(free, needed);
  try {
    make_gpu_simulation(problem);
    FAIL() << "made";
  } catch (const DeviceError& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("not enough device memory: the run needs " + std::to_string(needed) + " bytes, " +
                        std::to_string(free) + " of "),
              0u)
        << error.what();
  }
  EXPECT_EQ(free_bytes(), free);
}

TEST_F(DeviceMemory, ThatRunsOutBetweenTwoAllocationsIsAllGivenBack) {
  const Mesh mesh = large_mesh();
  const Problem problem = stimulated_problem(mesh);
  const SimulationPlan plan = plan_simulation(problem, gpu_device());
  const MemoryHog hog(backend_bytes(plan) / 2);
  const std::size_t free = free_bytes();
  ASSERT_GT(free, 10 * open_blocks * block_bytes);
  try {
    const BackendSimulation<CudaBackend> simulation(plan);
    FAIL() << "made";
  } catch (const DeviceError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find("out of device memory: asked for "), 0u) << message;
    EXPECT_NE(message.find(" bytes, "), std::string::npos) << message;
    EXPECT_NE(message.find(" are free"), std::string::npos) << message;
  }
  EXPECT_LE(distance(free_bytes(), free), open_blocks * block_bytes);

  const Mesh small = random_mesh({3, 2, 2}, 0.5, 41);  // and the device goes on working
  EXPECT_FALSE(make_gpu_simulation(stimulated_problem(small))->step_to(0.2).failure);
}

constexpr const char* yaml = R"(mesh: {file: slab.msh}
diffusivity: {longitudinal: 0.2 mm^2/ms, transverse: 0.05 mm^2/ms}
fibers: {source: constant, direction: [1, 0, 0]}
stimuli:
  - {where: {box: {min: [0, 0, 0], max: [1, 2, 1]}}, duration: 2 ms, amplitude: 50 mV/ms}
time: {end: 1 ms, step: 0.2 ms}
output: {directory: result}
)";

TEST_F(DeviceMemory, ThatAnotherProgramHoldsEndsARunWithExitCode4OneLineAndNoFile) {
  using test::run_program;
  if (!std::filesystem::exists(CARDIOWARP_PROGRAM)) GTEST_SKIP() << CARDIOWARP_PROGRAM " is not there";
  const test::TemporaryDirectory folder;
  test::write_text(folder / "slab.yaml", yaml);
  ASSERT_EQ(run_program({"mesh", "slab", "--size", "8,2,1", "--edge", "0.5mm", "--output", folder / "slab.msh"},
                        folder.path())
                .exit_code,
            0);
  const std::vector<std::string> run{"run", folder / "slab.yaml", "--backend", "gpu", "--log-level", "error"};
  const auto with_output = [&](const char* name) {
    std::vector<std::string> arguments = run;
    arguments.insert(arguments.end(), {"--output", folder / name});
    return run_program(arguments, folder.path());
  };
  const auto unhindered = with_output("unhindered");
  ASSERT_EQ(unhindered.exit_code, 0) << unhindered.errors;

  const MemoryHog hog(std::size_t{64} << 20);
  const auto hindered = with_output("hindered");
  std::printf("RESULT device_memory held by another program: %s", hindered.errors.c_str());
  EXPECT_EQ(hindered.exit_code, 4) << hindered.errors;
  EXPECT_EQ(hindered.errors.find("error: "), 0u) << hindered.errors;
  EXPECT_EQ(hindered.errors.find('\n'), hindered.errors.size() - 1) << hindered.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "hindered"));
}

}  // namespace
}  // namespace cardiowarp
