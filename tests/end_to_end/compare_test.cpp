// `cardiowarp compare`: a table, its files, and one line for bad input.

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/gpu_test.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

using Words = std::vector<std::string>;

constexpr const char* bar_yaml = R"(mesh: {file: bar.msh}
diffusivity: {isotropic: 0.2, anisotropic: 0}
stimuli:
  - where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}
    duration: 2 ms
    amplitude: 60 mV/ms
time: {end: 8 ms, step: 0.1 ms}
output: {directory: result, interval: 1 ms}
probes:
  - {name: middle, point: [4.1, 0.5, 0.5]}
)";

class Compare : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(program({"mesh", "slab", "--size", "8,1,1", "--edge", "0.5mm", "--output", folder / "bar.msh"}).exit_code,
              0);
    write_text(folder / "bar.yaml", bar_yaml);
    std::filesystem::create_directory(folder / "tmp");
    ::setenv("TMPDIR", (folder / "tmp").c_str(), 1);
  }
  void TearDown() override { ::unsetenv("TMPDIR"); }

  ProgramResult program(const Words& words, const std::function<void(pid_t)>& meanwhile = {}) {
    return run_program(words, folder.path(), meanwhile);
  }
  ProgramResult compare(Words words, const std::function<void(pid_t)>& meanwhile = {}) {
    words.insert(words.begin(), {"compare", folder / "bar.yaml"});
    return program(words, meanwhile);
  }
  nlohmann::json rows() const { return nlohmann::json::parse(read_text(folder / "all.json")); }

  TemporaryDirectory folder;
};

TEST_F(Compare, HoldsTheCpuAgainstItselfWithOneThread) {
  ::setenv("OMP_NUM_THREADS", "3", 1);
  const ProgramResult result =
      compare({"--backend", "cpu", "--steps", "57", "--repeats", "2", "--warm-up", "3", "--csv", folder / "all.csv",
               "--json", folder / "all.json", "--figure", folder / "all.svg"});
  ::unsetenv("OMP_NUM_THREADS");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("cpu (3 threads)"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("cpu_1 against cpu"), std::string::npos) << result.output;

  ASSERT_EQ(
      program({"run", folder / "bar.yaml", "--backend", "cpu", "--set", "time.end=5.7", "--output", folder / "run"})
          .exit_code,
      0);
  const auto summary = nlohmann::json::parse(read_text(folder / "run/summary.json"));
  std::multiset<std::string> sides;
  for (const auto& row : rows()) {
    sides.insert(row["side"]);
    EXPECT_EQ(row["steps"], 57);
    EXPECT_EQ(row["frames"], summary["frames"]);
    EXPECT_EQ(row["newton_iterations"], summary["newton_iterations"]);
    EXPECT_EQ(row["cg_iterations"], summary["linear_iterations"]);
    EXPECT_EQ(row["potential_max_mv"], 0);  // the answer does not depend on the number of threads
    EXPECT_EQ(row["activation_max_ms"], 0);
    EXPECT_LE(row["min_s"], row["median_s"]);
    EXPECT_LE(row["median_s"], row["max_s"]);
    if (row["phase"] != "total") continue;
    double parts = 0;
    for (const auto& part : rows())
      if (part["side"] == row["side"] && part["phase"] != "total") parts += part["min_s"].get<double>();
    EXPECT_LE(parts, row["max_s"]);
    EXPECT_GT(parts, 0);
  }
  EXPECT_EQ(sides.count("cpu"), 7u);
  EXPECT_EQ(sides.count("cpu_1"), 7u);
  EXPECT_EQ(sides.size(), 14u);
  EXPECT_NE(read_text(folder / "all.csv").find("\nbar.yaml,"), std::string::npos);
  EXPECT_NE(read_text(folder / "all.svg").find("</svg>"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "result"));  // a run's results are its own
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

TEST_F(Compare, SaysSoWhereThereIsNoGpuAndRefusesWhereOneIsAskedFor) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const ProgramResult without = compare({"--steps", "2", "--repeats", "1"});
  const ProgramResult refused = compare({"--steps", "2", "--backend", "gpu"});
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(without.exit_code, 0) << without.errors;
  EXPECT_NE(without.output.find("\nno GPU: "), std::string::npos) << without.output;
  EXPECT_EQ(refused.exit_code, 4) << refused.errors;
}

TEST_F(Compare, SaysWhichSideAndStepDidNotConvergeAndLeavesNothing) {
  const ProgramResult result = compare({"--backend", "cpu", "--set", "linear_solver.max_iterations=1"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.errors.find("cpu, step 1 (t = 0.1 ms): "), std::string::npos) << result.errors;
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

TEST_F(Compare, EndsAfterItsStepAndCleansUpWhenInterrupted) {
  const ProgramResult result = compare({"--backend", "cpu", "--repeats", "1000"}, [&](pid_t process) {
    ASSERT_TRUE(wait_until([&] { return !std::filesystem::is_empty(folder / "tmp"); }));
    ::kill(process, SIGINT);
  });
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

TEST_F(Compare, BadArgumentsEndWithOneLine) {
  for (const Words& bad :
       {Words{"--steps", "0"}, Words{"--repeats", "0"}, Words{"--warm-up", "-1"}, Words{"--max-difference", "-1"},
        Words{"--csv", "none/all.csv"}, Words{"--figure", folder / "bar.msh"}, Words{"--json", folder.path()}}) {
    const ProgramResult result = compare(bad);
    EXPECT_EQ(result.exit_code, 2) << bad[0];
    EXPECT_NE(result.errors.find("error: " + bad[0] + ": "), std::string::npos) << result.errors;
  }
  EXPECT_NE(read_text(folder / "bar.msh").find("$MeshFormat"), std::string::npos);
}

class CompareOnAGpu : public Compare {
 protected:
  void SetUp() override {
    try {
      gpu_name();
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
    Compare::SetUp();
  }
};

TEST_F(CompareOnAGpu, FindsTheFieldsOfTheCpuAndStatesASpeedUp) {
  const ProgramResult result = compare({"--repeats", "2", "--json", folder / "all.json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("gpu against cpu"), std::string::npos) << result.output;
  for (const auto& row : rows())
    if (row["side"] == "gpu") {
      EXPECT_LE(row["potential_max_mv"], 1e-6);
      EXPECT_LE(row["activation_max_ms"], 1e-6);
      EXPECT_EQ(row["agrees"], true);
    }
}

TEST_F(CompareOnAGpu, RefusesASpeedUpBeyondTheBound) {
  const ProgramResult result = compare({"--repeats", "1", "--max-difference", "0"});
  EXPECT_EQ(result.exit_code, 3) << result.errors;
  EXPECT_NE(result.output.find("gpu: no speed-up is stated"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("gpu against cpu"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace cardiowarp::test
