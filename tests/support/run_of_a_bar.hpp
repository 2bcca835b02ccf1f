#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/wave_yaml.hpp"

namespace cardiowarp::test {

/// The program on wave_yaml, in a folder of its own.
class Run : public testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult made =
        program({"mesh", "slab", "--size", "8,1,1", "--edge", "0.5mm", "--output", folder / "bar.msh"});
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    write_text(folder / "bar.yaml", wave_yaml);
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
