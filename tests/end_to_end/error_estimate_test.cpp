// `cardiowarp run --estimate-error`: the estimated errors against those that a run with far shorter steps shows, and
// what becomes of the files.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/simulation/gpu.hpp"
#include "fem/mesh.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/program.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* wave_yaml = R"(mesh: {file: tissue.vtu}
diffusivity: {isotropic: 0.0953, anisotropic: 0}
stimuli:
  - name: corner
    where: {box: {min: [-1, -1, -1], max: [1.5, 1.5, 1.5]}}
    duration: 2 ms
    amplitude: 50 mV/ms
time: {end: 450 ms, step: 0.1 ms, adaptive: {enabled: true}}
backend: cpu
output: {directory: result, interval: 200 ms}
)";

struct Maps {
  std::vector<Real> activation_ms, apd90_ms;
};

struct LargestErrors {
  Real activation_percent = 0, activation_ms = 0, apd90_ms = 0;
};

class EstimatedError : public testing::Test {
 protected:
  void use_slab(Vector3 size_mm) const {
    write_mesh(slab_mesh(size_mm, 0.5, true), folder / "tissue.vtu");
    write_text(folder / "wave.yaml", wave_yaml);
  }
  void SetUp() override { use_slab({12, 0.5, 0.5}); }

  ProgramResult run(const Words& options, const Words& settings = {},
                    const std::function<void(pid_t)>& meanwhile = {}) const {
    Words arguments{"run", folder / "wave.yaml"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return run_program(arguments, folder.path(), meanwhile);
  }
  ProgramResult estimate(const Words& settings = {}) const {
    ProgramResult program = run({"--estimate-error"}, settings);
    EXPECT_EQ(program.exit_code, 0) << program.errors;
    return program;
  }

  fs::path result(const std::string& name) const { return folder / "result" / name; }
  nlohmann::json summary() const { return nlohmann::json::parse(read_text(result("summary.json"))); }
  std::vector<Real> map(const char* name) const { return point_values(result("maps.vtu"), name); }
  bool has_map(const char* name) const {
    return read_vtu(result("maps.vtu"))->GetPointData()->GetArray(name) != nullptr;
  }
  Maps maps() const { return {map("activation_time"), map("apd90")}; }

  /// Of the maps against those of a run with the settings, in the words of the summary.
  LargestErrors true_errors(const Maps& given, const Words& settings) const {
    EXPECT_EQ(run({}, settings).exit_code, 0);
    const Maps exact = maps();
    const Real first_ms = *std::min_element(exact.activation_ms.begin(), exact.activation_ms.end());
    EXPECT_GE(first_ms, 0);
    LargestErrors errors;
    for (std::size_t node = 0; node < exact.activation_ms.size(); ++node) {
      const Real travelled_ms = exact.activation_ms[node] - first_ms;
      if (travelled_ms < 10) continue;
      const Real error_ms = std::fabs(given.activation_ms[node] - exact.activation_ms[node]);
      errors.activation_ms = std::max(errors.activation_ms, error_ms);
      errors.activation_percent = std::max(errors.activation_percent, 100 * error_ms / travelled_ms);
      errors.apd90_ms = std::max(errors.apd90_ms, std::fabs(given.apd90_ms[node] - exact.apd90_ms[node]));
    }
    return errors;
  }

  /// Holds the estimate for the settings against the truth by short equal steps.
  void expect_true_estimate(const Words& settings) const {
    estimate(settings);
    const nlohmann::json said = summary()["estimated_error"];
    const LargestErrors truth =
        true_errors(maps(), {"time.adaptive.enabled=false", "time.scheme=sdirk2", "time.step=0.0625",
                             "newton.tolerance=1e-12", "linear_solver.tolerance=1e-11"});
    const auto expect_near = [&](const char* key, Real error) {
      ASSERT_TRUE(said[key].is_number()) << key << said;
      const Real estimated = said[key];
      std::printf("RESULT %s estimated=%.4g true=%.4g ratio=%.2f\n", key, estimated, error, estimated / error);
      EXPECT_GT(estimated, 0.5 * error) << key;
      EXPECT_LT(estimated, 2 * error) << key;
    };
    expect_near("activation_percent", truth.activation_percent);
    expect_near("activation_ms", truth.activation_ms);
    expect_near("apd90_ms", truth.apd90_ms);
  }

  const TemporaryDirectory folder;
  const EnvironmentVariable caches{"XDG_CACHE_HOME", folder.path() / "caches"};
};

TEST_F(EstimatedError, OfACableIsTheTrueOneWithinAFactorOfTwo) { expect_true_estimate({}); }

TEST_F(EstimatedError, OfASlabIsTheTrueOneWithinAFactorOfTwo) {
  use_slab({6, 3, 1});
  expect_true_estimate({});
}

TEST_F(EstimatedError, OfTrbdf2AndRkc2IsTheTrueOneWithinAFactorOfTwo) {
  for (const std::string scheme : {"trbdf2", "rkc2"}) {
    SCOPED_TRACE(scheme);
    expect_true_estimate({"time.scheme=" + scheme});
  }
}

TEST_F(EstimatedError, OfBackwardEulerIsTheTrueOneWithinAFactorOfTwo) {
  expect_true_estimate({"time.scheme=backward_euler", "time.adaptive.tolerance=1e-4"});
}

TEST_F(EstimatedError, OfEqualStepsIsTheTrueOneWithinAFactorOfTwo) {
  for (const auto& [scheme, step] : std::vector<std::pair<std::string, std::string>>{{"backward_euler", "0.2"},
                                                                                     {"sdirk2", "0.5"},
                                                                                     {"sdirk2", "1"},
                                                                                     {"trbdf2", "1"},
                                                                                     {"bdf2", "1"},
                                                                                     {"rkc2", "1"}}) {
    SCOPED_TRACE(testing::Message() << scheme << " " << step);
    expect_true_estimate({"time.adaptive.enabled=false", "time.scheme=" + scheme, "time.step=" + step});
  }
}

using AskedForAccuracy = EstimatedError;

TEST_F(AskedForAccuracy, IsKeptOnACableAndASlab) {
  for (const Vector3 size_mm : {Vector3{12, 0.5, 0.5}, Vector3{6, 3, 1}}) {
    use_slab(size_mm);
    for (const Real percent : {1.0, 0.1}) {
      const Real apd90_ms = 5 * percent;
      const std::string accuracy = fmt::format("accuracy={{activation: {} %, apd90: {} ms}}", percent, apd90_ms);
      const ProgramResult program = run({}, {accuracy});
      ASSERT_EQ(program.exit_code, 0) << program.errors;
      EXPECT_NE(program.errors.find("info: accuracy: a tolerance of "), std::string::npos) << program.errors;
      const int steps = summary()["steps"];
      const LargestErrors errors = true_errors(maps(), {"time.adaptive.tolerance=2e-6"});
      std::printf("RESULT %g mm %g %%: %d steps, errors %.3g %% %.3g ms\n", size_mm.x, percent, steps,
                  errors.activation_percent, errors.apd90_ms);
      EXPECT_LT(errors.activation_percent, percent);
      EXPECT_LT(errors.apd90_ms, apd90_ms);
      EXPECT_GT(errors.activation_percent, 0.1 * percent) << "needlessly right";
    }
  }
}

TEST_F(AskedForAccuracy, IsFoundByACheckThatWritesNothing) {
  const ProgramResult checked =
      run_program({"check", folder / "wave.yaml", "--set", "accuracy={activation: 1 %}"}, folder.path());
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;
  EXPECT_NE(checked.errors.find("info: accuracy: a tolerance of "), std::string::npos) << checked.errors;
  EXPECT_FALSE(fs::exists(folder / "caches"));
}

TEST_F(AskedForAccuracy, FindsTheSameAgainFromTheResolvedConfiguration) {
  ASSERT_EQ(run({}, {"accuracy={apd90: 0.5 ms}"}).exit_code, 0);
  const Maps before = maps();
  const std::string resolved = read_text(result("resolved.yaml"));
  write_text(folder / "wave.yaml", resolved);
  const ProgramResult again = run({});
  ASSERT_EQ(again.exit_code, 0);
  // A program that was built with changes keeps nothing.
  const bool keeps =
      run_program({"info", "--csv-head"}, folder.path()).output.find(" with changes") == std::string::npos;
  EXPECT_EQ(again.errors.find("(as found before)") != std::string::npos, keeps) << again.errors;
  EXPECT_EQ(maps().activation_ms, before.activation_ms);
  EXPECT_EQ(maps().apd90_ms, before.apd90_ms);
  EXPECT_EQ(read_text(result("resolved.yaml")), resolved);
  const ProgramResult in_place = run_program({"run", result("resolved.yaml")}, folder.path());
  EXPECT_EQ(in_place.exit_code, 0) << in_place.errors;
  EXPECT_EQ(read_text(result("resolved.yaml")), resolved);
}

class EstimatedMeshError : public EstimatedError {
 protected:
  /// The estimate on a mesh against what two more levels of refinement show; nodes keep their numbers.
  void expect_true_estimate_on(const Mesh& mesh, const Words& settings) const {
    write_mesh(mesh, folder / "tissue.vtu");
    const ProgramResult program = run({"--estimate-mesh-error"}, settings);
    ASSERT_EQ(program.exit_code, 0) << program.errors;
    EXPECT_NE(program.errors.find("info: estimated largest errors by the mesh: activation times "), std::string::npos)
        << program.errors;
    const nlohmann::json said = summary()["estimated_mesh_error"];
    EXPECT_FALSE(summary().contains("estimated_error"));
    EXPECT_FALSE(has_map("activation_time_error"));
    const Maps given = maps();
    const std::vector<Real> estimated = map("activation_time_mesh_error"), of_apd90 = map("apd90_mesh_error");
    const Real first_ms = *std::min_element(given.activation_ms.begin(), given.activation_ms.end());
    const auto is_late = [&](std::size_t node) { return given.activation_ms[node] - first_ms >= 10; };
    Real largest_estimate_ms = 0, largest_apd90_ms = -1;
    for (std::size_t node = 0; node < estimated.size(); ++node) {
      if (!is_late(node)) continue;
      largest_estimate_ms = std::max(largest_estimate_ms, estimated[node]);
      largest_apd90_ms = std::max(largest_apd90_ms, of_apd90[node]);
    }
    EXPECT_EQ(said["apd90_ms"].is_null() ? -1 : Real(said["apd90_ms"]), largest_apd90_ms);
    EXPECT_EQ(said["activation_ms"], largest_estimate_ms);

    const auto on_refined = [&](int levels) {
      write_mesh(refine_mesh(mesh, levels), folder / "tissue.vtu");
      EXPECT_EQ(run({}, settings).exit_code, 0);
      return maps();
    };
    const Maps fine = on_refined(1), finest = on_refined(2);
    Real largest_ms = 0, sum = 0, estimated_sum = 0;
    for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
      const Real limit_ms = finest.activation_ms[node] + (finest.activation_ms[node] - fine.activation_ms[node]) / 3;
      const Real error_ms = std::fabs(given.activation_ms[node] - limit_ms);
      if (is_late(node)) largest_ms = std::max(largest_ms, error_ms);
      sum += error_ms;
      estimated_sum += estimated[node];
    }
    std::printf("RESULT activation_ms estimated=%.4g true=%.4g ratio=%.2f, of means %.2f\n",
                double(said["activation_ms"]), largest_ms, double(said["activation_ms"]) / largest_ms,
                estimated_sum / sum);
    EXPECT_GT(said["activation_ms"], 0.5 * largest_ms);
    EXPECT_LT(said["activation_ms"], 2 * largest_ms);
    EXPECT_GT(estimated_sum, 0.5 * sum);
    EXPECT_LT(estimated_sum, 2 * sum);
  }
};

TEST_F(EstimatedMeshError, IsTheTrueOneWithinAFactorOfTwoWithEveryQuadrature) {
  for (const std::string quadrature : {"vertices", "centroid", "vertices_and_centroid"}) {
    SCOPED_TRACE(quadrature);
    expect_true_estimate_on(slab_mesh({12, 0.5, 0.5}, 0.5, true), {"quadrature=" + quadrature});
  }
}

TEST_F(EstimatedMeshError, OfASlabMadeByGmshIsTheTrueOneWithinAFactorOfTwo) {
  expect_true_estimate_on(slab_mesh({6, 3, 1}, 0.5, false), {"time.end=80"});
}

TEST_F(EstimatedMeshError, StandsBesideThatInTime) {
  const ProgramResult program = run({"--estimate-error", "--estimate-mesh-error"}, {"time.end=40"});
  ASSERT_EQ(program.exit_code, 0) << program.errors;
  for (const char* name : {"activation_time", "apd90", "activation_time_error", "apd90_error",
                           "activation_time_mesh_error", "apd90_mesh_error"})
    EXPECT_TRUE(has_map(name)) << name;
  EXPECT_TRUE(summary().contains("estimated_error") && summary().contains("estimated_mesh_error"));
  const ProgramResult refused = run({"--estimate-mesh-error"}, {"output.maps=[]"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("--estimate-mesh-error: expected activation_time or apd90 in output.maps"),
            std::string::npos)
      << refused.errors;
}

TEST_F(EstimatedError, IsAddedToTheFilesOfARunAsItIsWithout) {
  ASSERT_EQ(run({}).exit_code, 0);
  EXPECT_FALSE(has_map("activation_time_error") || has_map("apd90_error"));
  EXPECT_FALSE(summary().contains("estimated_error"));
  const Maps without = maps();
  const nlohmann::json before = summary();

  const ProgramResult program = estimate();
  EXPECT_EQ(maps().activation_ms, without.activation_ms);
  EXPECT_EQ(maps().apd90_ms, without.apd90_ms);
  EXPECT_EQ(summary()["steps"], before["steps"]);
  EXPECT_EQ(summary()["newton_iterations"], before["newton_iterations"]);
  const nlohmann::json said = summary()["estimated_error"];
  const std::vector<Real> activation = map("activation_time_error"), apd90 = map("apd90_error");
  const Real first_ms = *std::min_element(without.activation_ms.begin(), without.activation_ms.end());
  Real largest_ms = 0, largest_apd90_ms = 0;
  for (std::size_t node = 0; node < activation.size(); ++node) {
    if (without.activation_ms[node] - first_ms < 10) continue;
    largest_ms = std::max(largest_ms, activation[node]);
    largest_apd90_ms = std::max(largest_apd90_ms, apd90[node]);
  }
  EXPECT_GT(largest_ms, 0);
  EXPECT_EQ(said["activation_ms"], largest_ms);
  EXPECT_EQ(said["apd90_ms"], largest_apd90_ms);
  EXPECT_GT(said["steps"], 20);
  EXPECT_LT(said["steps"], summary()["steps"]);
  EXPECT_GT(said["seconds"], 0);
  const std::string line = "info: estimated largest errors in time: activation times ";
  const std::size_t at = program.errors.find(line);
  ASSERT_NE(at, std::string::npos) << program.errors;
  EXPECT_EQ(program.errors.find('\n', at), program.errors.size() - 1) << "not the last line: " << program.errors;
}

/// Skipped on a machine that has no two equal GPUs.
class EstimatedErrorOnTwoGpus : public OnAGpu<EstimatedError> {
 protected:
  void SetUp() override {
    OnAGpu<EstimatedError>::SetUp();
    if (!IsSkipped() && !another_gpu()) GTEST_SKIP() << "no second GPU like the first";
  }
};

TEST_F(EstimatedErrorOnTwoGpus, IsThatOfOneToTheLastBit) {
  use_slab({9, 4, 2});
  for (const std::string path : {"plain", "in_parts", "persistent", "on_chip"}) {
    SCOPED_TRACE(path);
    const Words settings{"backend=gpu", "linear_solver.path=" + path};
    const ProgramResult beside = estimate(settings);
    EXPECT_NE(beside.errors.find(", beside the run on another GPU\n"), std::string::npos) << beside.errors;
    EXPECT_EQ(beside.errors.find("the second run is made after"), std::string::npos) << beside.errors;
    const std::vector<Real> activation = map("activation_time_error"), apd90 = map("apd90_error");
    const Maps of_run = maps();

    const EnvironmentVariable one("CUDA_VISIBLE_DEVICES", "0");
    const ProgramResult after = estimate(settings);
    EXPECT_EQ(after.errors.find("another GPU"), std::string::npos) << after.errors;
    EXPECT_EQ(activation, map("activation_time_error"));
    EXPECT_EQ(apd90, map("apd90_error"));
    EXPECT_EQ(of_run.activation_ms, maps().activation_ms);
    EXPECT_EQ(of_run.apd90_ms, maps().apd90_ms);
  }
}

TEST_F(EstimatedError, IsWrittenOfTheMapsAskedForAndUnknownWhereThereIsNoTime) {
  estimate({"output.maps=[activation_time]", "time.end=20"});  // the front is half way
  EXPECT_TRUE(has_map("activation_time_error"));
  EXPECT_FALSE(has_map("apd90_error") || has_map("apd90"));
  EXPECT_TRUE(summary()["estimated_error"]["apd90_ms"].is_null());
  const std::vector<Real> times = map("activation_time"), errors = map("activation_time_error");
  std::size_t known = 0;
  for (std::size_t node = 0; node < times.size(); ++node) {
    EXPECT_EQ(times[node] < 0, errors[node] == -1) << node;
    known += errors[node] >= 0 ? 1 : 0;
  }
  EXPECT_GT(known, 0U);
  EXPECT_LT(known, times.size());
}

TEST_F(EstimatedError, IsRefusedBeforeARunWhereItIsImpossible) {
  ASSERT_EQ(run({}).exit_code, 0);
  const std::string before = read_text(result("summary.json"));
  for (const auto& [setting, reason] : std::vector<std::pair<std::string, std::string>>{
           {"output.maps=[]", "--estimate-error: expected activation_time or apd90 in output.maps"},
           {"time.adaptive.tolerance=0.2", "--estimate-error: expected time.adaptive.tolerance below 0.125"},
           {"time={end: 10, step: 6, scheme: backward_euler}",
            "--estimate-error: expected time.step to be at most half of time.end"}}) {
    const ProgramResult refused = run({"--estimate-error"}, {setting});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.errors.find(reason), std::string::npos) << refused.errors;
    EXPECT_EQ(read_text(result("summary.json")), before);
  }
}

TEST_F(EstimatedError, IsNotMadeOfARunThatFails) {
  const ProgramResult failed = run({"--estimate-error"}, {"stimuli.0.amplitude=-200"});
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_EQ(summary()["status"], "failed");
  EXPECT_FALSE(summary().contains("estimated_error"));
  EXPECT_EQ(failed.errors.find("second run"), std::string::npos) << failed.errors;
}

TEST_F(EstimatedError, ThatFailsLeavesTheRun) {
  const Words settings{"time={end: 30, step: 0.5, scheme: backward_euler, adaptive: {enabled: false}}",
                       "newton={tolerance: 1e-8, max_iterations: 3}"};
  const ProgramResult failed = run({"--estimate-error"}, settings);
  EXPECT_EQ(failed.exit_code, 3) << failed.errors;
  EXPECT_NE(failed.errors.find("error: no errors are estimated, as step "), std::string::npos) << failed.errors;
  EXPECT_EQ(summary()["status"], "completed");
  EXPECT_EQ(summary()["simulated_ms"], 30);
  EXPECT_FALSE(summary().contains("estimated_error"));
  EXPECT_TRUE(has_map("activation_time"));
  EXPECT_FALSE(has_map("activation_time_error"));
}

TEST_F(EstimatedError, ThatIsInterruptedLeavesTheRun) {
  const Words settings{"time={end: 6000, step: 0.02, adaptive: {enabled: false}}", "output.interval=1000"};
  const ProgramResult stopped = run({"--estimate-error"}, settings, [&](pid_t process) {
    EXPECT_TRUE(wait_until([&] { return fs::exists(result("summary.json")); }));
    kill(process, SIGINT);
  });
  EXPECT_EQ(stopped.exit_code, 130) << stopped.errors;
  EXPECT_NE(stopped.errors.find("warning: no errors are estimated, as the second run was stopped "), std::string::npos)
      << stopped.errors;
  EXPECT_EQ(summary()["status"], "completed");
  EXPECT_EQ(summary()["simulated_ms"], 6000);
  EXPECT_FALSE(summary().contains("estimated_error"));
  EXPECT_FALSE(has_map("activation_time_error"));
  EXPECT_TRUE(has_map("activation_time"));
}

}  // namespace
}  // namespace cardiowarp::test
