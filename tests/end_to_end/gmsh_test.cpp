// Where Gmsh is not on the machine a run needs none of it, and what needs it says so and begins no file.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

TEST(Gmsh, IsLoadedWhereItIsNeededAndNotBefore) {
  const TemporaryDirectory folder;
  const auto names_gmsh = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> words{"/usr/bin/env", "LD_DEBUG=files", CARDIOWARP_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const ProgramResult result = run_words(words, folder.path());
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.errors.find("calling init"), std::string::npos);
    return result.errors.find("libgmsh") != std::string::npos;
  };
  EXPECT_FALSE(names_gmsh({"--version"}));
  EXPECT_FALSE(names_gmsh({"mesh", "slab", "--size", "2,1,1", "--edge", "1", "--output", folder / "slab.vtu"}));
  EXPECT_TRUE(names_gmsh({"mesh", "slab", "--size", "2,1,1", "--edge", "1", "--output", folder / "slab.msh"}));
}

class WithoutGmsh : public testing::Test {
 protected:
  ProgramResult program(std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/env", "LD_PRELOAD=" CARDIOWARP_NO_GMSH, CARDIOWARP_PROGRAM});
    return run_words(words, folder.path());
  }
  TemporaryDirectory folder;
};

TEST_F(WithoutGmsh, ARunReadsItsMesh) {
  ASSERT_EQ(
      run_program({"mesh", "slab", "--size", "2,1,1", "--edge", "1", "--output", folder / "slab.msh"}, folder.path())
          .exit_code,
      0);
  write_text(folder / "run.yaml", "mesh: {file: slab.msh}\ntime: {end: 0.2 ms, step: 0.1 ms}\n");
  const ProgramResult result = program({"run", folder / "run.yaml", "--backend", "cpu", "--output", folder / "out"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(WithoutGmsh, AMeshIsMadeWhereGmshIsNotNeeded) {
  const ProgramResult result =
      program({"mesh", "slab", "--size", "2,1,1", "--edge", "1", "--output", folder / "slab.vtu"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(WithoutGmsh, WhatNeedsItSaysSoBeforeAFolderIsMade) {
  for (const char* kind : {"slab", "biventricle"}) {
    std::vector<std::string> words{"mesh", kind, "--edge", "8", "--output", folder / "new" / "heart.msh"};
    if (kind == std::string("slab")) words.insert(words.end(), {"--size", "16,8,8"});
    const ProgramResult result = program(words);
    EXPECT_EQ(result.exit_code, 2) << kind;
    EXPECT_EQ(result.errors.find("error: "), 0U) << result.errors;
    EXPECT_NE(result.errors.find("Gmsh is needed and cannot be loaded: /nowhere/libgmsh.so: cannot open shared object"),
              std::string::npos)
        << result.errors;
    EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  }
}

}  // namespace
}  // namespace cardiowarp::test
