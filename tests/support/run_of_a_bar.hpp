#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {

/// A wave along a bar for 20 ms.
inline constexpr const char* run_yaml = R"(mesh: {file: bar.msh}
diffusivity: {isotropic: 0.2, anisotropic: 0}
stimuli:
  - name: left
    where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}
    duration: 2 ms
    amplitude: 60 mV/ms
time: {end: 20 ms, step: 0.1 ms}
output: {directory: result, interval: 5 ms}
probes:
  - {name: middle, point: [4.1, 0.5, 0.5]}
)";

/// The program on it, in a folder of its own.
class Run : public testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult made =
        program({"mesh", "slab", "--size", "8,1,1", "--edge", "0.5mm", "--output", folder / "bar.msh"});
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    write_text(folder / "bar.yaml", run_yaml);
  }

  ProgramResult program(const std::vector<std::string>& arguments, const std::function<void(pid_t)>& meanwhile = {}) {
    return run_program(arguments, folder.path(), meanwhile);
  }

  ProgramResult run(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"run", folder / "bar.yaml"});
    return program(arguments);
  }

  TemporaryDirectory folder;
};

}  // namespace cardiowarp::test
