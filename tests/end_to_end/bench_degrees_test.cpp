// `cardiowarp bench degrees`: every result is correct on the CPU and on a GPU, bad input ends with one line.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/csv_head.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

using Words = std::vector<std::string>;

/// A slab of 4 × 3 × 2 cubes with elements of an order.
std::string small_slab(const TemporaryDirectory& folder, const std::string& order) {
  const std::string slab = folder / "slab.msh";
  run_program({"mesh", "slab", "--size", "2,1.5,1", "--edge", "0.5", "--order", order, "--output", slab},
              folder.path());
  return slab;
}

TEST(BenchOfDegrees, IsCorrectOnTheCpuForMeshesAndBoxes) {
  const TemporaryDirectory folder;
  const ProgramResult result =
      run_program({"bench", "degrees", small_slab(folder, "1"), "--nodes", "300", "--degree", "1,3", "--backend", "cpu",
                   "--repeats", "1", "--json", folder / "all.json", "--csv", folder / "all.csv"},
                  folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::multiset<std::string> measured;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    if (row["operation"] == "parts") continue;
    EXPECT_TRUE(row["correct"]) << row;
    measured.insert(row["mesh"].get<std::string>() + " " + std::to_string(row["degree"].get<int>()) + " " +
                    row["method"].get<std::string>());
  }
  for (const char* mesh : {"slab", "box_300"})
    for (const char* of : {" 1 global_nz", " 1 csr", " 3 global_nz", " 3 csr"})
      EXPECT_EQ(measured.count(mesh + std::string(of)), 1u) << mesh << of;
  EXPECT_EQ(measured.count("slab 3 local"), 2u);  // of assembly and product
  EXPECT_EQ(csv_head_of(read_text(folder / "all.csv")).columns.find("mesh,degree,nodes,elements,nonzeros,operation"),
            0u);
}

TEST(BenchOfDegrees, EndsWithOneLineForABadArgument) {
  const TemporaryDirectory folder;
  const auto expect_error = [&](const Words& arguments, const std::string& expected) {
    Words words{"bench", "degrees", "--backend", "cpu"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const ProgramResult result = run_program(words, folder.path());
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_NE(result.errors.find(expected), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
  };
  expect_error({}, "bench degrees: expected a MESH or --nodes N, got none");
  expect_error({"--nodes", "7"}, "--nodes: expected 64 to 20000000 nodes of a box, got 7");
  expect_error({"--nodes", "300", "--degree", "2,4"}, "--degree: expected 1, 2 or 3, got 4");
  expect_error({"none.msh"}, "none.msh");
  expect_error({small_slab(folder, "2")}, "quadratic");
}

using BenchOfDegreesOnAGpu = GpuTest;

TEST_F(BenchOfDegreesOnAGpu, IsCorrectAndTimedByEveryWay) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(
      {"bench", "degrees", "--nodes", "3000", "--repeats", "2", "--json", folder / "all.json"}, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::multiset<std::string> methods;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    methods.insert(row["method"]);
    if (row["operation"] == "parts") continue;
    EXPECT_TRUE(row["correct"]) << row;
    EXPECT_GT(row["median_us"], 0) << row;
  }
  for (const char* method : {"global_nz", "elem_color", "atomics", "csr", "csr_vector_2", "csr_vector_32", "shared_nz"})
    EXPECT_EQ(methods.count(method), 3u) << method;
  EXPECT_EQ(methods.count("local"), 6u);
}

}  // namespace
}  // namespace cardiowarp::test
