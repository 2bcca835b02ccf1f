// The run that tells the errors in time, on a machine with two GPUs, which is played here: their simulations are those
// of the CPU.

#include <gtest/gtest.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/run.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/laplace.hpp"
#include "app/start/load.hpp"
#include "kernels/backend/device_error.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {

// In place of gpu_absent.cpp, all of it, so that the linker does not take that.
namespace {

struct Machine {
  int gpus = 2;
  bool second_has_memory = true;
  std::mutex mutex;
  std::vector<int> used;  // the GPU of each simulation, in the order in which they were made
};
Machine machine;
thread_local int gpu_of_this_thread = 0;

}  // namespace

std::vector<std::string> describe_gpus() { return {}; }
GpuInUse gpu_in_use() { return {}; }
Device described_gpu() { return nvidia_h200(); }
Device gpu_device() { return nvidia_h200(); }
std::optional<int> another_gpu() { return machine.gpus > 1 ? std::optional(1) : std::nullopt; }
void use_gpu(int id) { gpu_of_this_thread = id; }
std::unique_ptr<Simulation> make_gpu_simulation(const Problem& problem) {
  const std::lock_guard lock(machine.mutex);
  if (gpu_of_this_thread == 1 && !machine.second_has_memory) throw DeviceError("too little device memory");
  machine.used.push_back(gpu_of_this_thread);
  return make_cpu_simulation(problem);
}
SimulationWithGpuSolver make_simulation_with_gpu_solver(const Problem&) { throw DeviceError("not played"); }
LaplaceField solve_laplace_on_gpu(const Mesh&, const PrescribedValues&, const LaplaceOptions&) {
  throw DeviceError("not played");
}

namespace {

struct Result {
  ExitCode exit_code;
  std::vector<Real> activation_ms, error_ms;
  nlohmann::json summary;
};

class ErrorsInTime : public testing::Test {
 protected:
  void SetUp() override {
    machine.gpus = 2;
    machine.second_has_memory = true;
    machine.used.clear();
    write_mesh(slab_mesh({9, 1, 0.5}, 0.5, true), folder / "bar.msh");
  }

  Result estimate(const std::string& end_ms = "60", std::optional<double> stop_after_seconds = {}) const {
    test::write_text(folder / "bar.yaml",
                     "mesh: {file: bar.msh}\ndiffusivity: {isotropic: 0.1, anisotropic: 0}\n"
                     "stimuli: [{where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, duration: 2, amplitude: 50}]\n"
                     "time: {end: " +
                         end_ms + ", step: 0.1}\noutput: {directory: out, interval: 20}\nbackend: gpu\n");
    const RunOptions options{.estimates = {.in_time = true}, .stop_after_seconds = stop_after_seconds};
    Result result{run(load_config(folder / "bar.yaml"), options), {}, {}, {}};
    result.summary = nlohmann::json::parse(test::read_text(folder / "out/summary.json"));
    result.activation_ms = test::point_values(folder / "out/maps.vtu", "activation_time");
    if (result.summary.contains("estimated_error"))
      result.error_ms = test::point_values(folder / "out/maps.vtu", "activation_time_error");
    return result;
  }

  /// The same with one GPU, on which one run follows the other.
  Result estimate_on_one_gpu() const {
    machine.gpus = 1;
    const Result result = estimate();
    EXPECT_EQ(machine.used, (std::vector{0, 0}));
    EXPECT_EQ(result.exit_code, ExitCode::done);
    EXPECT_GT(result.error_ms.back(), 0);
    machine.used.clear();
    machine.gpus = 2;
    return result;
  }

  static void expect_equal(const Result& a, const Result& b) {
    EXPECT_EQ(a.exit_code, b.exit_code);
    EXPECT_EQ(a.activation_ms, b.activation_ms);
    EXPECT_EQ(a.error_ms, b.error_ms);
    for (const char* key : {"activation_ms", "activation_percent", "apd90_ms", "steps"})
      EXPECT_EQ(a.summary["estimated_error"][key], b.summary["estimated_error"][key]) << key;
  }

  const test::TemporaryDirectory folder;
};

TEST_F(ErrorsInTime, AreTheSameWhereTheSecondRunIsOnAnotherGpu) {
  const Result after = estimate_on_one_gpu();
  const Result beside = estimate();
  EXPECT_EQ(machine.used, (std::vector{0, 1}));
  expect_equal(beside, after);
}

TEST_F(ErrorsInTime, AreToldByTheFirstGpuWhereTheOtherHasTooLittleMemory) {
  const Result after = estimate_on_one_gpu();
  machine.second_has_memory = false;
  const Result result = estimate();
  EXPECT_EQ(machine.used, (std::vector{0, 0}));
  expect_equal(result, after);
}

TEST_F(ErrorsInTime, AreNotWaitedForWhereTheRunStops) {
  const Result stopped = estimate("1000000", 0.0);  // a second run to the end would take many minutes
  EXPECT_EQ(machine.used.front(), 0);
  EXPECT_EQ(stopped.summary["status"], "interrupted");
  EXPECT_FALSE(stopped.summary.contains("estimated_error"));
}

}  // namespace
}  // namespace cardiowarp
