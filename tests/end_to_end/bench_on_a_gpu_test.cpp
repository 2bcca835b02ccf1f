// `cardiowarp bench` on a GPU: every result is correct and timed.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "app/bench/assembly_bench.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "tests/support/csv_head.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/program.hpp"
#include "tests/support/small_slab.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {
namespace {

using Words = std::vector<std::string>;

using BenchOnAGpu = GpuTest;

TEST_F(BenchOnAGpu, EveryProductIsCorrectAndTimedForEachChoiceOfItsParametersTheBestFurther) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program({"bench", "spmv", small_slab(folder), "--block-size", "32,96", "--threshold",
                                            "1,8,100", "--repeats", "2", "--json", folder / "all.json"},
                                           folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::multiset<std::string> measured;
  int by_rule = 0;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    EXPECT_GT(row["median_us"], 0) << row;
    EXPECT_LE(row["min_us"], row["median_us"]) << row;
    EXPECT_LE(row["median_us"], row["max_us"]) << row;
    if (row["format"] == "copy") continue;
    by_rule += row["by_rule"] == true && row["products"] == 50 ? 1 : 0;
    measured.insert(row["format"].get<std::string>() + " " + std::to_string(row["products"].get<int>()));
    EXPECT_EQ(row["rows"], 7 * 5 * 3);
    EXPECT_TRUE(row["correct"]) << row;
  }
  const auto expect_choices = [&](std::size_t choices, const Words& formats) {
    for (const std::string& format : formats) {
      EXPECT_EQ(measured.count(format + " 1"), choices) << format;
      EXPECT_EQ(measured.count(format + " 50"), choices) << format;
      EXPECT_EQ(measured.count(format + " 1200"), 1u) << format;
    }
  };
  expect_choices(1, {"k1rs_parts", "cusparse_csr_1", "cusparse_csr_2", "cusparse_sliced_ell"});
  expect_choices(2, {"csr", "coo", "ell", "ell_r", "sell", "hyb", "k1_row_major", "k1", "k1r", "k1r_mapped"});
  if (has_metis()) expect_choices(3, {"ehyb", "ehyb_fixed"});  // blocks of 1024 threads, too
  expect_choices(6, {"merge", "k2", "k2r", "sbell"});
  EXPECT_GE(measured.count("k2rs 50"), 6u);  // and the rule's choice, where that is another
  EXPECT_EQ(by_rule, 1);
  expect_choices(4, {"sbell_32"});
  expect_choices(10, {"csr_vector"});
  expect_choices(12, {"segmented_scan"});
  for (const char* printed : {"rows sorted", "coalesced", "alpha_cpu", "50 products together"})
    EXPECT_NE(result.output.find(printed), std::string::npos) << printed << "\n" << result.output;
}

TEST_F(BenchOnAGpu, OtherWaysOfFetchingXAreMeasuredWhereTheyAreAskedFor) {
  const TemporaryDirectory folder;
  std::string formats = "k1";
  std::multiset<std::string> expected{"copy", "k1"};
  for (const char* load : {"nc", "cg"})
    for (const char* variant : {"k1", "k1r", "k1rs", "k2", "k2r", "k2rs"}) {
      const std::string format = std::string(variant) + "_" + load;
      formats += "," + format;
      expected.insert(format);
    }
  const ProgramResult result = run_program({"bench", "spmv", small_slab(folder), "--block-size", "64", "--threshold",
                                            "4", "--products", "1", "--format", formats, "--json", folder / "all.json"},
                                           folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::multiset<std::string> measured;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    measured.insert(row["format"]);
    if (row["format"] != "copy") {
      EXPECT_TRUE(row["correct"]) << row;
    }
  }
  EXPECT_EQ(measured, expected);
}

TEST_F(BenchOnAGpu, ProductsInSinglePrecisionAreMeasuredWhereTheyAreAskedForAndMoveLess) {
  const TemporaryDirectory folder;
  const std::vector<std::string> names{"csr", "k1", "k1r", "k1rs", "k2", "k2r", "k2rs", "k1rs_parts"};
  std::string formats;
  for (const std::string& name : names) formats.append(name).append(",").append(name).append("_single,");
  formats.pop_back();
  const ProgramResult result =
      run_program({"bench", "spmv", small_slab(folder), "--block-size", "64", "--threshold", "4", "--products", "1,50",
                   "--format", formats, "--parts", "1", "--json", folder / "all.json"},
                  folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::map<std::string, double> bytes;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    if (row["format"] == "copy") continue;
    EXPECT_TRUE(row["correct"]) << row;
    EXPECT_GT(row["gflops"], 0) << row;
    bytes[row["format"]] = row["bytes"];
  }
  for (const std::string& name : names) {
    EXPECT_GT(bytes[name + "_single"], 0) << name;
    EXPECT_LT(bytes[name + "_single"], 0.75 * bytes[name]) << name;
  }
}

TEST_F(BenchOnAGpu, EveryChoiceIsMeasuredByAllNumbersOfProductsAndTheWholeMatrixSortedFromTheMeshesOrder) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(
      {"bench", "spmv", small_slab(folder), "--every-choice", "--products", "1,60", "--format", "k1,k2,segmented_scan",
       "--repeats", "1", "--order", "mesh", "--window", "0", "--json", folder / "all.json"},
      folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::multiset<std::string> measured;
  std::set<int> thresholds;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    if (row["format"] == "copy") continue;
    EXPECT_TRUE(row["correct"]) << row;
    EXPECT_EQ(row["node_order"], "mesh");
    if (row["format"] != "segmented_scan") {
      EXPECT_EQ(row["window"], 0) << row;
    }
    measured.insert(row["format"].get<std::string>() + " " + std::to_string(row["products"].get<int>()));
    if (row["format"] == "k2") {
      thresholds.insert(row["threshold"].get<int>());
      EXPECT_GE(row["threshold"], row["shortest_row"]) << row;
      EXPECT_LE(row["threshold"], row["longest_row"]) << row;
    }
  }
  for (const std::string products : {" 1", " 60"}) {
    EXPECT_EQ(measured.count("k1" + products), 16u);
    EXPECT_EQ(measured.count("segmented_scan" + products), 6 * 16u);
    EXPECT_EQ(measured.count("k2" + products), thresholds.size() * 16);
  }
  EXPECT_GT(thresholds.size(), 5u);
}

TEST_F(BenchOnAGpu, EveryProductOfAMatrixInBlocksIsCorrect) {
  const TemporaryDirectory folder;
  const std::string slab = small_slab(folder);
  for (const int unknowns : {2, 3}) {
    SCOPED_TRACE(unknowns);
    const ProgramResult result =
        run_program({"bench", "spmv", slab, "--unknowns", std::to_string(unknowns), "--block-size", "64", "--products",
                     "1", "--repeats", "1", "--json", folder / "all.json"},
                    folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    std::multiset<std::string> measured;
    for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
      if (row["format"] == "copy") continue;
      measured.insert(row["format"]);
      EXPECT_TRUE(row["correct"]) << row;
      EXPECT_EQ(row["rows"], unknowns * 7 * 5 * 3);
      EXPECT_EQ(row["unknowns"], unknowns);
    }
    EXPECT_EQ(measured.count("sbell"), 3u);
    for (const char* once : {"csr", "k1", "bell", "cusparse_csr_1"}) EXPECT_EQ(measured.count(once), 1u) << once;
    // Before CUDA 13 cuSPARSE multiplies no blocks.
    const bool left_out = result.output.find("\ncusparse_bsr is left out: cuSPARSE: ") != std::string::npos;
    EXPECT_EQ(measured.count("cusparse_bsr"), left_out ? 0u : 1u) << result.output;
  }
}

/// What `cardiowarp bench COMMAND` measures of the slab; every result is correct and timed.
nlohmann::json measured(const std::string& command, const Words& options = {}) {
  const TemporaryDirectory folder;
  Words words{"bench", command, small_slab(folder), "--repeats", "2", "--json", folder / "all.json"};
  words.insert(words.end(), options.begin(), options.end());
  const ProgramResult result = run_program(words, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  nlohmann::json rows = nlohmann::json::parse(read_text(folder / "all.json"));
  for (const auto& row : rows) {
    EXPECT_TRUE(row["correct"]) << row;
    EXPECT_GT(row["median_us"], 0) << row;
  }
  return rows;
}

std::set<std::string> column_of(const nlohmann::json& rows, const char* name) {
  std::set<std::string> names;
  for (const auto& row : rows) names.insert(row[name]);
  return names;
}

TEST_F(BenchOnAGpu, EveryStrategyOfAssemblyIsCorrectAndTimed) {
  EXPECT_EQ(column_of(measured("assembly"), "strategy"),
            (std::set<std::string>{"entry_gather", "shared_nz", "slice_gather"}));
  const std::vector<std::string>& all = assembly_bench_strategies();
  std::set<std::string> strategies = column_of(measured("assembly", {"--strategy", "all"}), "strategy");
  for (const char* not_everywhere : {"spmv_cusparse", "shared_nz_general_metis", "global_nz_prefetched_general_metis"})
    strategies.insert(not_everywhere);
  EXPECT_EQ(strategies, std::set<std::string>(all.begin(), all.end()));
}

TEST_F(BenchOnAGpu, EveryStrategyOfAssemblyIsCorrectAndTimedOfQuadraticTetrahedra) {
  const TemporaryDirectory folder;
  const std::filesystem::path slab = folder / "quadratic.msh";
  run_program({"mesh", "slab", "--size", "5,3,2", "--edge", "1mm", "--order", "2", "--output", slab}, folder.path());
  const ProgramResult result = run_program({"bench", "assembly", slab, "--strategy", "all", "--block-size", "64",
                                            "--repeats", "2", "--json", folder / "all.json"},
                                           folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::set<std::string> expected;
  for (const auto& [name, options] : quadratic_bench_strategies()) expected.insert(name);
  const nlohmann::json rows = nlohmann::json::parse(read_text(folder / "all.json"));
  EXPECT_EQ(column_of(rows, "strategy"), expected) << result.output;
  for (const auto& row : rows) {
    EXPECT_TRUE(row["correct"]) << row;
    EXPECT_GT(row["median_us"], 0) << row;
    EXPECT_EQ(row["nodes"], 11 * 7 * 5) << row;
    EXPECT_TRUE(row["percent_of_copy"].is_null()) << row;
  }
}

TEST_F(BenchOnAGpu, AssembliesAreMeasuredInBlocksOfOtherSizesInEllpackAndBesideElementsWithoutArithmetic) {
  const auto in_ell = measured("assembly", {"--strategy", "atomics,elem_color_general,slice_gather,shared_nz",
                                            "--format", "ell", "--block-size", "32,64"});
  EXPECT_EQ(column_of(in_ell, "strategy"), (std::set<std::string>{"atomics", "elem_color_general"}));
  EXPECT_EQ(column_of(in_ell, "format"), std::set<std::string>{"ell"});
  ASSERT_EQ(in_ell.size(), 6u);
  EXPECT_TRUE(in_ell[0]["block_size"].is_null()) << in_ell[0];
  EXPECT_EQ(in_ell[1]["block_size"], 32);
  EXPECT_EQ(in_ell[5]["block_size"], 64);
  for (const auto& row : measured("assembly", {"--strategy", "slice_gather,global_nz_general", "--block-size", "32"})) {
    EXPECT_GT(row["dummy_us"], 0) << row;
    EXPECT_GT(row["elements_over_dummy"], 0) << row;
  }
}

TEST_F(BenchOnAGpu, EveryWayToIterateIsCorrectAndTimed) {
  std::set<std::string> methods = column_of(measured("solver"), "method");
  for (const char* not_everywhere : {"library_host", "library_graph", "persistent", "persistent_mixed",
                                     "persistent_single", "persistent_lean_single"})
    methods.erase(not_everywhere);
  EXPECT_EQ(methods,
            (std::set<std::string>{"in_graph", "in_graph_mixed", "in_graph_single", "in_parts", "in_parts_mixed",
                                   "in_parts_single", "on_chip", "on_chip_mixed", "on_chip_single"}));
}

TEST_F(BenchOnAGpu, EveryPolynomialIsCorrectAndTimed) {
  const TemporaryDirectory folder;
  const ProgramResult result =
      run_program({"bench", "solver", small_slab(folder), "--preconditioner", "neumann,least_squares,chebyshev",
                   "--degree", "1,2,7", "--inside", "double,single", "--repeats", "2", "--json", folder / "all.json"},
                  folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::multiset<std::string> methods;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    EXPECT_TRUE(row["correct"]) << row;
    EXPECT_GT(row["median_us"], 0) << row;
    EXPECT_GT(row["bounds_us"], 0) << row;
    methods.insert(row["method"]);
  }
  for (const char* method : {"in_graph", "in_graph_mixed", "in_parts", "in_parts_mixed"})
    EXPECT_EQ(methods.count(method), 18u) << method;
  for (const char* not_everywhere : {"persistent", "persistent_mixed"})
    EXPECT_EQ(methods.count(not_everywhere) % 18u, 0u) << not_everywhere;
}

TEST_F(BenchOnAGpu, EveryPartOfANewtonIterationIsTimedAndItsUpdateCorrect) {
  const nlohmann::json rows = measured("step");
  EXPECT_EQ(column_of(rows, "part"), (std::set<std::string>{"assembly", "cg", "update", "whole"}));
  EXPECT_EQ(column_of(rows, "solver"), std::set<std::string>{"on_chip"});
  EXPECT_EQ(column_of(rows, "quadrature"), std::set<std::string>{"vertices"});
  for (const auto& row : rows) EXPECT_GT(row["ratio_to_roof"], 0) << row;
}

TEST_F(BenchOnAGpu, EveryPartOfANewtonIterationWithCentroidsIsTimedAndItsUpdateCorrect) {
  const nlohmann::json rows = measured("step", {"--quadrature", "centroid"});
  EXPECT_EQ(column_of(rows, "part"), (std::set<std::string>{"elements", "assembly", "cg", "update", "whole"}));
  EXPECT_EQ(column_of(rows, "quadrature"), std::set<std::string>{"centroid"});
  for (const auto& row : rows) EXPECT_GT(row["ratio_to_roof"], 0) << row;
}

TEST_F(BenchOnAGpu, AHeartHasAboutTheNodesThatWereAskedFor) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(
      {"bench", "assembly", small_slab(folder), "--nodes", "1300", "--repeats", "2", "--json", folder / "all.json"},
      folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::set<std::string> meshes;
  for (const auto& row : nlohmann::json::parse(read_text(folder / "all.json"))) {
    meshes.insert(row["mesh"]);
    EXPECT_TRUE(row["correct"]) << row;
    if (row["mesh"] == "biventricle_1300") {
      EXPECT_NEAR(row["nodes"].get<double>(), 1300, 130);
    }
  }
  EXPECT_EQ(meshes, (std::set<std::string>{"slab", "biventricle_1300"}));
}

/// A full row, then a diagonal.
std::string arrow_matrix(int rows) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(rows) + " " +
                     std::to_string(rows) + " " + std::to_string(2 * rows - 1) + "\n";
  for (int i = 1; i <= rows; ++i) text += "1 " + std::to_string(i) + " 0.5\n";
  for (int i = 2; i <= rows; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 2\n";
  return text;
}

TEST_F(BenchOnAGpu, AFormatThatWouldBeMostlyPaddingIsLeftOutWithItsReason) {
  const TemporaryDirectory folder;
  write_text(folder / "arrow.mtx", arrow_matrix(100));
  const ProgramResult result = run_program({"bench", "spmv", "--matrix", folder / "arrow.mtx", "--block-size", "64",
                                            "--products", "1", "--repeats", "1", "--csv", folder / "all.csv"},
                                           folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::string reason = " is left out: it would store 10000 entries for 199, more than ten times as many\n";
  EXPECT_NE(result.output.find("\nell" + reason), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("\nell_r" + reason), std::string::npos) << result.output;
  const std::string csv = read_text(folder / "all.csv");
  const CsvHead head = csv_head_of(csv);
  EXPECT_EQ(head.keys, csv_head_keys) << csv;
  EXPECT_EQ(head.values.at("gpu"), gpu_device().name) << csv;
  EXPECT_TRUE(std::regex_match(head.values.at("driver"), std::regex("[0-9.]+"))) << csv;
  EXPECT_EQ(head.columns.find("matrix,rows,"), 0u) << csv;
  EXPECT_EQ(csv.find(",ell,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",sell,"), std::string::npos) << csv;
}

}  // namespace
}  // namespace cardiowarp::test
