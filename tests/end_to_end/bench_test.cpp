// `cardiowarp bench spmv`: every product is correct, bad input ends with one line and exit code 2, no GPU with 4.

#include <gtest/gtest.h>

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

/// A slab of 7 × 5 × 3 nodes.
std::string small_slab(const TemporaryDirectory& folder) {
  const std::string slab = folder / "slab.msh";
  run_program({"mesh", "slab", "--size", "3,2,1", "--edge", "0.5", "--output", slab}, folder.path());
  return slab;
}

struct BadArguments {
  std::string name;
  Words arguments;
  std::string expected;  ///< part of the message
};

void PrintTo(const BadArguments& bad, std::ostream* stream) { *stream << bad.name; }

class BadBench : public testing::TestWithParam<BadArguments> {};

TEST_P(BadBench, EndsWithOneLineAndNoFile) {
  const TemporaryDirectory folder;
  Words words{"bench", "spmv", small_slab(folder), "--csv", folder / "all.csv"};
  words.insert(words.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const ProgramResult result = run_program(words, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find(GetParam().expected), std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find("error: "), 0u) << result.errors;
  EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "all.csv"));
}

INSTANTIATE_TEST_SUITE_P(All, BadBench,
                         testing::Values(BadArguments{"BlockSizeNoMultipleOf32", {"--block-size", "64,48"}, "got 48"},
                                         BadArguments{"BlockSizeTooLarge", {"--block-size", "2048"}, "got 2048"},
                                         BadArguments{"BlockSizeNoNumber", {"--block-size", "64,big"}, "--block-size"},
                                         BadArguments{"ThresholdZero", {"--threshold", "0"}, "--threshold"},
                                         BadArguments{"WindowNoMultipleOf32", {"--window", "100"}, "--window"},
                                         BadArguments{"NoRepeats", {"--repeats", "0"}, "--repeats"},
                                         BadArguments{"MissingMesh", {"none.msh"}, "none.msh"},
                                         BadArguments{"UnknownMeshFormat", {"stdout.txt"}, "stdout.txt"},
                                         BadArguments{"FolderMissing", {"--json", "none/all.json"}, "--json"}),
                         [](const auto& instance) { return instance.param.name; });

TEST(BenchWithoutAGpu, EndsWithOneLineAndExitCode4) {
  const TemporaryDirectory folder;
  const std::string slab = small_slab(folder);
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  // A list ends with its word: what comes after it are meshes.
  const ProgramResult result = run_program({"bench", "spmv", "--block-size", "64,96", slab, slab}, folder.path());
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(result.exit_code, 4) << result.errors;
  EXPECT_EQ(result.errors.find("error: "), 0u) << result.errors;
  EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
}

using BenchOnAGpu = GpuTest;

TEST_F(BenchOnAGpu, EveryProductIsCorrectAndTimedOnceForEachChoiceOfItsParameters) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program({"bench", "spmv", small_slab(folder), "--block-size", "32,96", "--threshold",
                                            "1,8,100", "--repeats", "2", "--json", folder / "all.json"},
                                           folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::multiset<std::string> formats;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    formats.insert(row["format"]);
    if (row["format"] != "copy") {
      EXPECT_EQ(row["nodes"], 7 * 5 * 3);
      EXPECT_TRUE(row["correct"]) << row;
    }
    EXPECT_GT(row["median_us"], 0) << row;
    EXPECT_LE(row["min_us"], row["median_us"]) << row;
    EXPECT_LE(row["median_us"], row["max_us"]) << row;
  }
  for (const char* format : {"copy", "csr", "cusparse_csr_1", "cusparse_csr_2", "cusparse_sliced_ell"})
    EXPECT_EQ(formats.count(format), 1u) << format;
  for (const char* format : {"k1", "k1r", "k1rs"}) EXPECT_EQ(formats.count(format), 2u) << format;
  for (const char* format : {"k2", "k2r", "k2rs"}) EXPECT_EQ(formats.count(format), 6u) << format;
}

}  // namespace
}  // namespace cardiowarp::test
