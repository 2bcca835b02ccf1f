#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {

using Words = std::vector<std::string>;

/// A bar of two kinds of cells in which S1 starts a wave.
inline constexpr const char* bar_yaml = R"(mesh: {file: bar.msh}
diffusivity: {isotropic: 0.2, anisotropic: 0}
regions:
  - where: {box: {min: [3, 0, 0], max: [5, 1, 1]}}
    cell_model: {parameters: {b: 0.12}}
stimuli:
  - {name: S1, where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, duration: 2 ms, amplitude: 60 mV/ms}
time: {end: 8 ms, step: 0.1 ms}
newton: {tolerance: 1.0e-12}
linear_solver: {tolerance: 1.0e-12}
output: {directory: out, interval: 1 ms}
probes:
  - {name: near, point: [1.1, 0.5, 0.5]}
  - {name: middle, point: [4.1, 0.5, 0.5]}
  - {name: end, point: [7.9, 0.5, 0.5]}
)";

inline Words joined(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// A setting that needs no line of its own.
inline Words set(const std::string& key_and_value) { return {"--set", key_and_value}; }

/// Runs of the bar, each into a folder of its own, and what they leave.
class BarRuns : public testing::Test {
 protected:
  void SetUp() override {
    make_mesh("8,1,1");
    write_text(folder / "bar.yaml", bar_yaml);
  }

  void make_mesh(const char* size) const {
    const ProgramResult made =
        run_program({"mesh", "slab", "--size", size, "--edge", "0.5mm", "--output", folder / "bar.msh"}, folder.path());
    ASSERT_EQ(made.exit_code, 0) << made.errors;
  }

  ProgramResult run(const std::string& output, Words words = {}, const std::function<void(pid_t)>& meanwhile = {}) {
    words.insert(words.begin(), {"run", folder / "bar.yaml", "--backend", "cpu", "--output", folder / output});
    return run_program(words, folder.path(), meanwhile);
  }
  ProgramResult check(Words words) {
    words.insert(words.begin(), {"check", folder / "bar.yaml", "--backend", "cpu"});
    return run_program(words, folder.path());
  }

  /// A run of 4 ms that leaves a checkpoint at each millisecond.
  void run_source(const Words& words = {}) {
    const ProgramResult result =
        run("source", joined(words, {"--set", "time.end=4", "--set", "checkpoint={interval: 1, keep: 4}"}));
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  std::string source() const { return folder / "source"; }

  /// The oldest first.
  std::vector<std::filesystem::path> checkpoints(const std::string& output) const {
    std::vector<std::filesystem::path> files;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder / output / "checkpoints", ignored))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }

  nlohmann::json summary(const std::string& output) const {
    return nlohmann::json::parse(read_text(folder / output / "summary.json"));
  }

  /// The rows of `probes.csv` after the one of names.
  std::vector<std::vector<double>> probe_rows(const std::string& output) const {
    std::istringstream lines(read_text(folder / output / "probes.csv"));
    std::string line;
    std::getline(lines, line);
    std::vector<std::vector<double>> rows;
    while (std::getline(lines, line)) {
      std::replace(line.begin(), line.end(), ',', ' ');
      std::istringstream numbers(line);
      std::vector<double> row;
      for (double number = 0; numbers >> number;) row.push_back(number);
      rows.push_back(row);
    }
    return rows;
  }

  /// The results of a folder by their names, but for its checkpoints, its place, and what this process did: its
  /// seconds, how its work is spread and what it warned of.
  std::map<std::string, std::string> results(const std::string& output) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / output)) {
      const std::filesystem::path name = std::filesystem::relative(entry.path(), folder / output);
      if (entry.is_regular_file() && *name.begin() != "checkpoints" && name != "summary.json" &&
          name != "resolved.yaml")
        files[name] = read_text(entry.path());
    }
    nlohmann::json counts = summary(output);
    for (const char* other :
         {"seconds", "started", "threads", "threads_from", "resumed_from_ms", "from", "work", "warnings"})
      counts.erase(other);
    files["counts"] = counts.dump();
    return files;
  }
  void expect_same(const std::string& output, const std::string& expected) const {
    const auto found = results(output), wanted = results(expected);
    ASSERT_GT(wanted.size(), 5);
    ASSERT_EQ(found.size(), wanted.size());
    for (const auto& [name, text] : wanted) EXPECT_TRUE(found.contains(name) && found.at(name) == text) << name;
  }

  TemporaryDirectory folder;
};

}  // namespace cardiowarp::test
