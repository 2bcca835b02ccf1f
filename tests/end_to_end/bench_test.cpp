// `cardiowarp bench` without a GPU: bad input ends with one line and exit code 2, no GPU with 4.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/csv_head.hpp"
#include "tests/support/program.hpp"
#include "tests/support/small_slab.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

using Words = std::vector<std::string>;

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
                                         BadArguments{"NodeOrder", {"--order", "hilber"}, "unknown order 'hilber'"},
                                         BadArguments{"NoRepeats", {"--repeats", "0"}, "--repeats"},
                                         BadArguments{"NoProducts", {"--products", "1,0"}, "--products"},
                                         BadArguments{"TooFewNodes", {"--nodes", "3000,7"}, "--nodes: expected"},
                                         BadArguments{"MissingMesh", {"none.msh"}, "none.msh"},
                                         BadArguments{"UnknownMeshFormat", {"stdout.txt"}, "stdout.txt"},
                                         BadArguments{"NoUnknowns", {"--unknowns", "0"}, "--unknowns: expected"},
                                         BadArguments{"TooManyUnknowns", {"--unknowns", "4"}, "got 4"},
                                         BadArguments{"UnknownsNoNumber", {"--unknowns", "three"}, "--unknowns"},
                                         BadArguments{"FolderMissing", {"--json", "none/all.json"}, "--json"},
                                         BadArguments{"MissingMatrix", {"--matrix", "none.mtx"}, "none.mtx"},
                                         BadArguments{"UnknownMatrixFormat", {"--matrix", "stdout.txt"}, "stdout.txt"},
                                         BadArguments{"UnknownStandIn", {"--stand-in", "qcd,circiut"}, "'circuit'"},
                                         BadArguments{"SeedNoNumber", {"--stand-in", "qcd:x"}, "'qcd:x'"}),
                         [](const auto& instance) { return instance.param.name; });

TEST(BenchWithoutAMatrix, EndsWithOneLine) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program({"bench", "spmv"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors,
            "error: bench spmv: expected a MESH, --nodes N, --matrix FILE or --stand-in NAME, got none\n");
}

TEST(BenchOfAMatrixFile, DoesNotOverwriteItAndSaysWhereItIsWrong) {
  const TemporaryDirectory folder;
  const std::string good = folder / "good.mtx", bad = folder / "bad.mtx";
  const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n";
  write_text(good, text);
  write_text(bad, text + "2 1 1\n");
  const ProgramResult over = run_program({"bench", "spmv", "--matrix", good, "--json", good}, folder.path());
  EXPECT_EQ(over.exit_code, 2);
  EXPECT_EQ(over.errors, "error: --json: '" + good + "' is a file to be read\n");
  EXPECT_EQ(read_text(good), text);
  std::filesystem::create_symlink(bad, folder / "link");
  for (const char* option : {"--csv", "--json"})
    EXPECT_EQ(run_program({"bench", "spmv", "--matrix", good, option, folder / "link"}, folder.path()).errors,
              std::string("error: ") + option + ": cannot write '" + (folder / "link").string() +
                  "': expected a regular file or nothing, got a symbolic link\n");
  const ProgramResult no_blocks = run_program({"bench", "spmv", "--matrix", good, "--unknowns", "3"}, folder.path());
  EXPECT_EQ(no_blocks.exit_code, 2);
  EXPECT_EQ(no_blocks.errors, "error: " + good + ": expected a multiple of 3 rows for --unknowns 3, got 2\n");
  const ProgramResult wrong = run_program({"bench", "spmv", "--matrix", good, bad}, folder.path());
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.errors, "error: " + bad + ":4: expected the end of the file after 1 entries, got '2 1 1'\n");
}

class BenchOfMeshes : public testing::TestWithParam<const char*> {};

TEST_P(BenchOfMeshes, EndsWithOneLineForABadArgumentAndWithoutAGpu) {
  const TemporaryDirectory folder;
  const std::string slab = small_slab(folder), table = folder / "all.csv";
  const auto expect_one_line = [&](const Words& arguments, int exit_code, const std::string& expected) {
    Words words{"bench", GetParam(), "--csv", table};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const ProgramResult result = run_program(words, folder.path());
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_NE(result.errors.find(expected), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find("error: "), 0u) << result.errors;
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(table));
  };
  const bool has_files = GetParam() == std::string("solver");
  expect_one_line({}, 2,
                  std::string("bench ") + GetParam() + ": expected a MESH" +
                      (has_files ? ", --nodes N or --matrix FILE, got none" : " or --nodes N, got none"));
  expect_one_line({"--nodes", "3000,7"}, 2, "--nodes: expected 1300 to 10000000 nodes, got 7");
  expect_one_line({slab, "--repeats", "0"}, 2, "--repeats");
  expect_one_line({slab, "none.msh"}, 2, "none.msh");
  expect_one_line({slab, "--json", slab}, 2, "is a file to be read");
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  expect_one_line({slab}, 4, "");
  expect_one_line({"none.msh", "--nodes", "3000"}, 4, "");  // before any mesh, since making one may take minutes
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

INSTANTIATE_TEST_SUITE_P(All, BenchOfMeshes, testing::Values("assembly", "solver", "step"),
                         [](const auto& parameter) { return std::string(parameter.param); });

class BadSolver : public testing::TestWithParam<BadArguments> {};

TEST_P(BadSolver, EndsWithOneLineAndNoFile) {
  const TemporaryDirectory folder;
  write_text(folder / "skew.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 1\n2 2 1\n");
  write_text(folder / "indefinite.mtx",
             "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 1\n");
  Words words{"bench", "solver", small_slab(folder), "--csv", folder / "all.csv"};
  if (GetParam().arguments.front() != "--backend") words.insert(words.end(), {"--backend", "cpu"});
  for (const std::string& word : GetParam().arguments)
    words.push_back(std::filesystem::exists(folder / word) ? (folder / word).string() : word);
  const ProgramResult result = run_program(words, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find(GetParam().expected), std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find("error: "), 0u) << result.errors;
  EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadSolver,
    testing::Values(BadArguments{"DegreeZero", {"--degree", "0"}, "--degree: expected degrees of 1 to 8, got 0"},
                    BadArguments{"DegreeTooHigh", {"--degree", "1,99"}, "got 99"},
                    BadArguments{"UnknownPreconditioner", {"--preconditioner", "neuman"}, "did you mean 'neumann'"},
                    BadArguments{"UnknownPrecision", {"--inside", "half"}, "--inside: expected double, single"},
                    BadArguments{"UnknownBackend", {"--backend", "gpi"}, "--backend: expected gpu or cpu, got 'gpi'"},
                    BadArguments{"UnknownQuadrature", {"--quadrature", "nodes"}, "--quadrature: expected"},
                    BadArguments{"StepZero", {"--step", "0.1,0"}, "--step: expected time steps"},
                    BadArguments{"MissingMatrix", {"--matrix", "none.mtx"}, "none.mtx"},
                    BadArguments{"NotSymmetric", {"--matrix", "skew.mtx"}, "skew.mtx: expected a symmetric matrix"},
                    BadArguments{"Indefinite", {"--matrix", "indefinite.mtx"}, "indefinite: expected a positive"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(BenchOfTheCpu, SolvesWithEveryPreconditionerTheMatricesOfMeshesAndFiles) {
  const TemporaryDirectory folder;
  write_text(folder / "two.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 0.5\n2 2 1\n");
  const ProgramResult result = run_program({"bench",
                                            "solver",
                                            small_slab(folder),
                                            "--backend",
                                            "cpu",
                                            "--step",
                                            "0.1,1",
                                            "--preconditioner",
                                            "jacobi,chebyshev",
                                            "--degree",
                                            "3,8",
                                            "--inside",
                                            "double,single",
                                            "--quadrature",
                                            "centroid",
                                            "--repeats",
                                            "1",
                                            "--json",
                                            folder / "all.json",
                                            "--matrix",
                                            folder / "two.mtx"},
                                           folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::multiset<std::string> measured;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    EXPECT_TRUE(row["correct"]) << row;
    EXPECT_EQ(row["step_ms"].is_null(), row["mesh"] == "two") << row;
    measured.insert(row["method"].get<std::string>() + " " + row["preconditioner"].get<std::string>());
  }
  for (const char* method : {"plain", "plain_mixed"}) {
    EXPECT_EQ(measured.count(std::string(method) + " jacobi"), 3u);
    EXPECT_EQ(measured.count(std::string(method) + " chebyshev"), 12u);
  }
}

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

TEST(BenchWithoutAGpu, CountsTheRowsOfEachLength) {
  const TemporaryDirectory folder;
  const std::string slab = small_slab(folder);
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const ProgramResult result =
      run_program({"bench", "spmv", slab, "--stand-in", "qcd", "--row-lengths", folder / "lengths.csv"}, folder.path());
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::string csv = read_text(folder / "lengths.csv");
  EXPECT_EQ(csv_head_of(csv).columns, "matrix,unknowns,rows,row_length,rows_of_this_length") << csv;
  EXPECT_NE(csv.find("\nslab,1,105,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\nqcd,1,49152,39,49152\n"), std::string::npos) << csv;
}

TEST(BenchWithoutAGpu, CountsColorsErrorsOfSinglePrecisionAndSectors) {
  const TemporaryDirectory folder;
  const std::string slab = small_slab(folder);
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const auto counted = [&](const Words& arguments) {
    Words words{"bench"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.push_back(folder / "counts.csv");
    const ProgramResult result = run_program(words, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return read_text(folder / "counts.csv");
  };
  EXPECT_NE(counted({"assembly", slab, "--colors"}).find(",most_neighbors_first,"), std::string::npos);
  EXPECT_NE(counted({"assembly", slab, "--single-error"}).find(",coordinates,"), std::string::npos);
  EXPECT_NE(counted({"spmv", slab, "--order", "rcm", "--locality"}).find("slab,1,rcm,105,"), std::string::npos);
  const ProgramResult none = run_program({"bench", "assembly", "--colors", folder / "counts.csv"}, folder.path());
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.errors, "error: bench assembly: expected a MESH or --nodes N, got none\n");
}

// The program that measures is one of its own, beside the program; what is said of its words is not.
TEST(BenchWithoutItsProgram, SaysHowItIsBuilt) {
  const TemporaryDirectory folder;
  const std::filesystem::path alone = folder / "cardiowarp";
  std::filesystem::copy_file(CARDIOWARP_PROGRAM, alone);
  const ProgramResult result = run_words({alone, "bench", "spmv"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors, "error: bench: no cardiowarp-bench in '" + folder.path().string() +
                               "': it is a program of its own, built by ./setup.sh build\n");
  const ProgramResult help = run_words({alone, "bench", "spmv", "--help"}, folder.path());
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.output, run_program({"bench", "spmv", "--help"}, folder.path()).output);
  EXPECT_NE(help.output.find("--every-choice"), std::string::npos) << help.output;
  const ProgramResult mistyped = run_words({alone, "bench", "smpv"}, folder.path());
  EXPECT_EQ(mistyped.exit_code, 2);
  EXPECT_NE(mistyped.errors.find("did you mean 'spmv'?"), std::string::npos) << mistyped.errors;
}

TEST(BenchWithoutAGpu, EndsBeforeAMeshIsMade) {
  const TemporaryDirectory folder;
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const ProgramResult result = run_program({"bench", "spmv", "none.msh", "--nodes", "3000"}, folder.path());
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(result.exit_code, 4) << result.errors;
}

}  // namespace
}  // namespace cardiowarp::test
