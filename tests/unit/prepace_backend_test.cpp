// Where the heart is paced on a machine whose GPU has too little memory, which is played here.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "app/measure/stopwatch.hpp"
#include "app/prepace.hpp"
#include "app/simulation/gpu.hpp"
#include "app/simulation/laplace.hpp"
#include "app/start/load.hpp"
#include "kernels/backend/device_error.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {

// In place of gpu_absent.cpp, all of it, so that the linker does not take that.
namespace {

int simulations_asked_for = 0;

[[noreturn]] void have_too_little_memory() {
  ++simulations_asked_for;
  throw DeviceError("too little device memory");
}

}  // namespace

std::vector<std::string> describe_gpus() { return {"a GPU with too little memory"}; }
GpuInUse gpu_in_use() { return {}; }
Device described_gpu() { return nvidia_h200(); }
Device gpu_device() { return nvidia_h200(); }
std::optional<int> another_gpu() { return std::nullopt; }
void use_gpu(int) { have_too_little_memory(); }
std::unique_ptr<Simulation> make_gpu_simulation(const Problem&) { have_too_little_memory(); }
SimulationWithGpuSolver make_simulation_with_gpu_solver(const Problem&) { have_too_little_memory(); }
LaplaceField solve_laplace_on_gpu(const Mesh&, const PrescribedValues&, const LaplaceOptions&) {
  have_too_little_memory();
}

namespace {

class PrepaceWithoutDeviceMemory : public testing::Test {
 protected:
  void SetUp() override {
    simulations_asked_for = 0;
    write_mesh(slab_mesh({2, 1, 1}, 1, true), folder / "bar.msh");
  }

  Prepaced pace_on(const std::string& backend) const {
    test::write_text(folder / "bar.yaml",
                     "mesh: {file: bar.msh}\ndiffusivity: {isotropic: 0.2, anisotropic: 0}\n"
                     "stimuli:\n"
                     "  - {name: S1, where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, duration: "
                     "1, amplitude: 60}\n"
                     "time: {end: 5, step: 0.5}\noutput: {directory: out, interval: 1}\n"
                     "prepace: {beats: 1, period: 4, cache: cache}\nbackend: " +
                         backend + "\n");
    const Case given = load_case(load_config(folder / "bar.yaml"), true);
    const Stopwatch watch;
    return prepaced_state(given.config, given.problem, {"commit", {}, watch});
  }

  const test::TemporaryDirectory folder;
};

TEST_F(PrepaceWithoutDeviceMemory, IsOnTheCpuWhereTheBackendIsAuto) {
  const Prepaced automatic = pace_on("auto");
  ASSERT_TRUE(automatic.source.has_value());
  EXPECT_EQ(automatic.exit_code, ExitCode::done);
  EXPECT_EQ(automatic.source->identity.backend, "cpu");
  EXPECT_EQ(simulations_asked_for, 1);
  // It is the state of the CPU that is kept, and found by others.
  const std::filesystem::path file = automatic.source->origin.file;
  const auto written = std::filesystem::last_write_time(file);
  const Prepaced on_cpu = pace_on("cpu");
  EXPECT_EQ(on_cpu.source->origin.file, file);
  EXPECT_EQ(on_cpu.source->phi, automatic.source->phi);
  EXPECT_EQ(std::filesystem::last_write_time(file), written);
}

TEST_F(PrepaceWithoutDeviceMemory, FailsWhereTheGpuIsAskedFor) {
  EXPECT_THROW(pace_on("gpu"), DeviceError);
  EXPECT_EQ(simulations_asked_for, 1);
}

}  // namespace
}  // namespace cardiowarp
