// What a file of measurements says of where it comes from.

#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "tests/support/csv_head.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

TEST(CsvHead, IsPrintedForScriptsWithTheCommitTheMachineAndTheTime) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program({"info", "--csv-head", "--threads", "1"}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const CsvHead head = csv_head_of(result.output);
  EXPECT_EQ(head.keys, csv_head_keys) << result.output;
  EXPECT_EQ(head.columns, "") << result.output;
  EXPECT_TRUE(std::regex_match(head.values.at("commit"), std::regex("[0-9a-f]{12}( with changes)?|unknown \\(.+\\)")))
      << result.output;
  EXPECT_TRUE(std::regex_match(head.values.at("date"), std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)")))
      << result.output;
  EXPECT_TRUE(std::regex_match(head.values.at("processor"), std::regex(".+, 1 threads"))) << result.output;
  for (const char* key : {"gpu", "driver", "cuda"}) EXPECT_NE(head.values.at(key), "") << result.output;

  const std::string all = run_program({"info"}, folder.path()).output;
  EXPECT_NE(all.find("\n  commit   " + head.values.at("commit") + "\n"), std::string::npos) << all;
}

TEST(CsvHead, SaysThatThereIsNoGpu) {
  const TemporaryDirectory folder;
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const ProgramResult result = run_program({"info", "--csv-head"}, folder.path());
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const CsvHead head = csv_head_of(result.output);
  for (const char* key : {"gpu", "driver", "cuda"}) EXPECT_EQ(head.values.at(key), "none") << result.output;
}

}  // namespace
}  // namespace cardiowarp::test
