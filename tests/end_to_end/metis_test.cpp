// A METIS that fails ends the command that asks for it with one sentence, and leaves alone what was there before.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp::test {
namespace {

class FailingMetis : public testing::Test {
 protected:
  FailingMetis() {  // 1287 nodes: two parts of 1024 at most
    const ProgramResult made = run_program(
        {"mesh", "slab", "--size", "12,10,8", "--edge", "1", "--output", folder / "slab.msh"}, folder.path());
    EXPECT_EQ(made.exit_code, 0) << made.errors;
    write_text(folder / "solver.csv", "an older result\n");
  }
  ProgramResult bench(const std::string& order) {
    const std::string preload = "LD_PRELOAD=" CARDIOWARP_FAILING_METIS;
    return run_words({"/usr/bin/env", preload, CARDIOWARP_PROGRAM, "bench", "solver", folder / "slab.msh", "--backend",
                      "cpu", "--repeats", "1", "--order", order, "--csv", folder / "solver.csv"},
                     folder.path());
  }
  TemporaryDirectory folder;
};

TEST_F(FailingMetis, EndsTheCommandWithOneSentence) {
  const ProgramResult result = bench("metis_nodes");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.errors.find("METIS could not cut 1287 rows into 2 parts: it has no memory left"), std::string::npos)
      << result.errors;
  EXPECT_EQ(result.errors.find("internal error"), std::string::npos) << result.errors;
  EXPECT_EQ(read_text(folder / "solver.csv"), "an older result\n");
}

TEST_F(FailingMetis, IsNotMissedWhereNothingIsCut) {
  const ProgramResult result = bench("rcm");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(read_text(folder / "solver.csv").find(",plain,"), std::string::npos);
}

}  // namespace
}  // namespace cardiowarp::test
