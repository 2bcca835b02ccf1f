#include "app/bench/spmv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/bench/block_matrices.hpp"
#include "app/bench/expected_product.hpp"
#include "app/bench/matrix.hpp"
#include "app/bench/matrix_sources.hpp"
#include "app/bench/rivals.hpp"
#include "app/bench/spmv_table.hpp"
#include "assembly/formats.hpp"
#include "assembly/locality_order.hpp"
#include "fem/cells/aliev_panfilov.hpp"
#include "fem/tetrahedron.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

SpmvMeasurement measurement(const std::string& format, int block_size, double median, bool correct = true) {
  return {.format = format, .block_size = block_size, .bytes = 1000, .correct = correct, .seconds = {median, 1, 2}};
}

SpmvMeasurement of_products(SpmvMeasurement m, int products) {
  m.products = products;
  return m;
}

SpmvMeasurement padded(SpmvMeasurement m, double padding) {
  m.padding = padding;
  return m;
}

const BenchMatrix heart{"heart", {0, 1, 3}, {0, 0, 1}, {1, 2, 3}};
const DeviceCopy a_copy{"a GPU", 1000, 4000, {1e-6, 1e-6, 1e-6}};

TEST(BenchSpmv, TheBestOfAFormatIsTheFastestCorrectOne) {
  const auto best =
      best_of_each_format({measurement("k1", 64, 3), measurement("k1", 128, 2), measurement("csr", 256, 9),
                           measurement("k1", 256, 0, false), measurement("k2", 64, 0, false)},
                          1);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].block_size, 128);
  EXPECT_EQ(best[1].format, "csr");
  EXPECT_FALSE(best[2].correct);
}

TEST(BenchSpmv, TheBestOfAFormatIsFoundAmongMeasurementsOfAsManyProducts) {
  const std::vector<SpmvMeasurement> measurements{
      of_products(measurement("k1", 64, 1), 1), of_products(measurement("k1", 64, 3), 50),
      of_products(measurement("k1", 128, 2), 50), of_products(measurement("k2", 128, 2), 1)};
  const auto best = best_of_each_format(measurements, 50);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].block_size, 128);
}

TEST(BenchSpmv, ChoicesAreTunedByTheLargestNumberOfProductsUpTo50OrTheSmallest) {
  EXPECT_EQ(tuning_products({.products = {1, 50, 1200}}), 50);
  EXPECT_EQ(tuning_products({.products = {1200, 7, 1}}), 7);
  EXPECT_EQ(tuning_products({.products = {51, 1}}), 1);
  EXPECT_EQ(tuning_products({.products = {1200, 51}}), 51);
  EXPECT_EQ(tuning_products({.products = {1, 1200, 50}, .every_choice = true}), 1200);
}

TEST(BenchSpmv, ThresholdsFollowTheRowsAndAreAtMostEight) {
  using Thresholds = std::vector<Index>;
  EXPECT_EQ(default_thresholds({}), Thresholds{1});
  EXPECT_EQ(default_thresholds(Thresholds(10, 0)), Thresholds{1});
  EXPECT_EQ(default_thresholds(Thresholds(10, 39)), (Thresholds{4, 8, 16, 32, 39}));
  EXPECT_EQ(default_thresholds(Thresholds{3, 24, 5, 11, 12, 14, 15, 13, 16, 17, 20}),
            (Thresholds{4, 8, 14, 16, 20, 24}));
  Thresholds skewed(1000, 2);
  skewed[500] = 4700;
  EXPECT_EQ(default_thresholds(skewed), (Thresholds{2, 4, 32, 256, 2048, 4700}));
  skewed[500] = std::numeric_limits<Index>::max();
  EXPECT_LE(default_thresholds(skewed).size(), 8u);
}

TEST(BenchSpmv, EveryChoiceHasAllThresholdsOfTheRowsUnlessSomeAreNamed) {
  using Thresholds = std::vector<Index>;
  const Thresholds lengths{5, 3, 9};
  EXPECT_EQ(thresholds_to_try({.every_choice = true}, lengths), (Thresholds{3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(thresholds_to_try({.every_choice = true}, Thresholds{0, 2}), (Thresholds{1, 2}));
  EXPECT_EQ(thresholds_to_try({.every_choice = true}, Thresholds{0}), Thresholds{1});
  EXPECT_EQ(thresholds_to_try({.every_choice = true}, {}), Thresholds{1});
  EXPECT_EQ(thresholds_to_try({.thresholds = {7}, .every_choice = true}, lengths), Thresholds{7});
  EXPECT_EQ(thresholds_to_try({}, lengths), default_thresholds(lengths));
  const std::vector<int> sizes = every_block_size();
  EXPECT_EQ(sizes.size(), 16u);
  EXPECT_EQ(sizes.front(), 32);
  EXPECT_EQ(sizes.back(), 512);
  EXPECT_NO_THROW(require_valid(SpmvBenchOptions{.block_sizes = sizes}));
}

TEST(BenchSpmv, TheRowsOfEachLengthAreCounted) {
  Table table = row_lengths_table();
  add_row_lengths(table, heart);
  add_row_lengths(table, {"empty rows", {0, 0, 0, 2}, {0, 1}, {1, 1}, 3});
  EXPECT_EQ(csv_text(table),
            "matrix,unknowns,rows,row_length,rows_of_this_length\nheart,1,2,1,1\nheart,1,2,2,1\n"
            "empty rows,3,3,0,2\nempty rows,3,3,2,1\n");
}

TEST(BenchSpmv, ARowSaysHowManyTimesAsFastAsCusparseAndHowNearToTheCopyItIs) {
  const std::vector<SpmvMeasurement> measurements{measurement("k1", 64, 2e-6), measurement("cusparse_csr_1", 0, 6e-6),
                                                  measurement("cusparse_csr_2", 0, 3e-6),
                                                  measurement("cusparse_sliced_ell", 0, 1e-6, false)};
  Table table = spmv_table(a_copy);
  add_rows(table, heart, measurements, measurements, a_copy);
  EXPECT_EQ(csv_text(with_columns(table, {"matrix", "rows", "nonzeros", "format", "block_size", "threshold", "correct",
                                          "median_us", "gb_per_s", "percent_of_copy", "ratio_to_cusparse_csr_1",
                                          "ratio_to_best_cusparse", "in_l2", "device"})),
            "matrix,rows,nonzeros,format,block_size,threshold,correct,median_us,gb_per_s,percent_of_copy,"
            "ratio_to_cusparse_csr_1,ratio_to_best_cusparse,in_l2,device\n"
            ",,,copy,,,,1,4,100,,,no,a GPU\n"
            "heart,2,3,k1,64,,yes,2,0.5,12.5,3,1.5,no,a GPU\n"
            "heart,2,3,cusparse_csr_1,0,,yes,6,0.166667,4.16667,1,0.5,no,a GPU\n"
            "heart,2,3,cusparse_csr_2,0,,yes,3,0.333333,8.33333,2,1,no,a GPU\n"
            "heart,2,3,cusparse_sliced_ell,0,,no,,,,,,no,a GPU\n");
}

TEST(BenchSpmv, ARowHasItsParametersTheRowsOfTheMatrixAndTheBandwidthOfThePaper) {
  SpmvMeasurement k2 = of_products(measurement("k2", 64, 3e-6), 50);
  k2.threshold = 8;
  SpmvMeasurement merge = measurement("merge", 64, 3e-6);
  merge.values_per_thread = 7;
  SpmvMeasurement csr_vector = measurement("csr_vector", 64, 3e-6);
  csr_vector.lanes = 16;
  Table table{spmv_table(a_copy).columns, {}};
  add_rows(table, heart, {k2, merge, csr_vector}, {}, a_copy);
  EXPECT_EQ(csv_text(with_columns(table, {"shortest_row", "mean_row", "longest_row", "format", "threshold", "lanes",
                                          "values_per_thread", "products", "effective_gb_per_s"})),
            "shortest_row,mean_row,longest_row,format,threshold,lanes,values_per_thread,products,effective_gb_per_s\n"
            "1,1.5,2,k2,8,,,50,0.02\n"
            "1,1.5,2,merge,,,7,1,0.02\n"
            "1,1.5,2,csr_vector,,16,,1,0.02\n");
}

TEST(BenchSpmv, ARowHasTheRateOfItsMultiplicationsAndAdditions) {
  Table table{spmv_table(a_copy).columns, {}};
  add_rows(table, heart, {measurement("k1_single", 64, 4e-9), measurement("k1", 64, 4e-9, false)}, {}, a_copy);
  EXPECT_EQ(csv_text(with_columns(table, {"format", "gflops"})), "format,gflops\nk1_single,1.5\nk1,\n");
}

TEST(BenchSpmv, AProductIsHeldAgainstThatOfTheNumbersThatItMultiplies) {
  // 2²⁴ + 1 is 2²⁴ in single precision, 1 / 3 is not exact.
  const BenchMatrix matrix{"two rows", {0, 2, 2}, {0, 1}, {16777217, 1.0 / 3}};
  const std::vector<Real> x{1, 3};
  const ExpectedProduct in_double = expected_product(matrix, x);
  const ExpectedProduct in_single = expected_product(matrix, std::vector<float>(x.begin(), x.end()));
  EXPECT_EQ(in_double.y, (std::vector<Real>{16777218, 0}));
  EXPECT_EQ(in_single.y, (std::vector<Real>{16777216 + 3 * Real{1.0f / 3}, 0}));
  EXPECT_EQ(in_double.bound, (std::vector<Real>{3 * 0x1p-52 * 16777218, 0}));
  EXPECT_EQ(in_single.bound, (std::vector<Real>{3 * 0x1p-23 * in_single.y[0], 0}));
  EXPECT_TRUE(in_single.holds(0, 16777218));
  EXPECT_TRUE(in_single.holds(0, in_single.y[0] - in_single.bound[0]));
  EXPECT_FALSE(in_single.holds(0, in_single.y[0] + 1.01 * in_single.bound[0]));
  EXPECT_FALSE(in_double.holds(0, 16777217));
  EXPECT_FALSE(in_double.holds(1, 1e-300));
  EXPECT_FALSE(in_double.holds(1, std::numeric_limits<Real>::quiet_NaN()));
}

TEST(BenchSpmv, EveryFormatOfARunWithSingleValuesHasARivalInSinglePrecisionThatIsAskedForByName) {
  std::set<std::string> expected{"k1rs_parts_single"}, found;
  for_each_format([&](auto format) {
    using Format = FormatOf<format.value>;
    if (!Format::has_single_values) return;
    for (const MatrixOptions& options : Format::variants()) expected.insert(measured_name<Format>(options) + "_single");
  });
  for (const std::string_view name : rivals)
    if (is_single(name)) {
      found.insert(std::string(name));
      EXPECT_TRUE(is_asked_for_by_name(name));
      EXPECT_NO_THROW(require_valid(SpmvBenchOptions{.formats = {std::string(name)}}));
    }
  EXPECT_EQ(found, expected);
}

TEST(BenchSpmv, ARowHasTheUnknownsOfANodeAndTheRowsOfASlice) {
  BenchMatrix blocks = heart;
  blocks.unknowns = 2;
  SpmvMeasurement sbell = measurement("sbell", 64, 3e-6);
  sbell.slice_rows = 96;
  Table table{spmv_table(a_copy).columns, {}};
  add_rows(table, blocks, {sbell, measurement("bell", 64, 3e-6)}, {}, a_copy);
  EXPECT_EQ(csv_text(with_columns(table, {"rows", "unknowns", "format", "slice_rows"})),
            "rows,unknowns,format,slice_rows\n2,2,sbell,96\n2,2,bell,\n");
}

TEST(BenchSpmv, RatiosAreToAsManyProducts) {
  const std::vector<SpmvMeasurement> measurements{of_products(measurement("k1", 64, 1e-6), 50),
                                                  of_products(measurement("cusparse_csr_1", 0, 2e-6), 1),
                                                  of_products(measurement("cusparse_csr_1", 0, 4e-6), 50)};
  Table table{spmv_table(a_copy).columns, {}};
  add_rows(table, heart, {measurements[0]}, measurements, a_copy);
  EXPECT_EQ(csv_text(with_columns(table, {"ratio_to_cusparse_csr_1", "ratio_to_best_cusparse"})),
            "ratio_to_cusparse_csr_1,ratio_to_best_cusparse\n4,4\n");
}

TEST(BenchSpmv, RatiosAreLeftOutWhereNoProductOfCusparseIsCorrect) {
  const DeviceCopy copy{"a GPU", 1001, 4000, {1e-6, 1e-6, 1e-6}};
  Table table{spmv_table(copy).columns, {}};
  add_rows(table, heart, {measurement("k1", 64, 1e-6)}, {measurement("cusparse_csr_1", 0, 1, false)}, copy);
  EXPECT_EQ(csv_text(with_columns(table, {"ratio_to_cusparse_csr_1", "ratio_to_best_cusparse", "in_l2"})),
            "ratio_to_cusparse_csr_1,ratio_to_best_cusparse,in_l2\n,,yes\n");
}

TEST(BenchSpmv, ReorderingPaysAfterTheSmallestNumberOfProductsThatSavesIt) {
  EXPECT_EQ(products_that_pay(10, 2, 4), 5);
  EXPECT_EQ(products_that_pay(9, 2, 4), 5);
  EXPECT_EQ(products_that_pay(0.5, 2, 4), 1);
  EXPECT_EQ(products_that_pay(0, 2, 4), 1);
  EXPECT_EQ(products_that_pay(10, 4, 4), std::nullopt);
  EXPECT_EQ(products_that_pay(10, 5, 4), std::nullopt);
}

TEST(BenchSpmv, ARowHasTheCostOfReorderingWhereItsFormatHasSlots) {
  SpmvMeasurement k1 = measurement("k1", 64, 2e-6), slow = measurement("k1r", 64, 7e-6);
  k1.reordering = slow.reordering = ReorderingSeconds{10e-6, 41e-6};
  Table table{spmv_table(a_copy).columns, {}};
  const SpmvMeasurement csr_1 = measurement("cusparse_csr_1", 0, 6e-6);
  add_rows(table, heart, {k1, slow, csr_1}, {csr_1}, a_copy);
  EXPECT_EQ(csv_text(with_columns(table, {"reorder_gpu_us", "reorder_cpu_us", "alpha_gpu", "alpha_cpu"})),
            "reorder_gpu_us,reorder_cpu_us,alpha_gpu,alpha_cpu\n"
            "10,41,3,11\n"
            "10,41,,\n"
            ",,,\n");
}

TEST(BenchSpmv, ARowHasTheSecondsOfPartitionAndLayoutWhereItsFormatCutsTheMatrix) {
  SpmvMeasurement ehyb = measurement("ehyb", 64, 2e-6);
  ehyb.setup_s = 4;
  ehyb.partition_s = 2.5;
  ehyb.layout_s = 0.5;
  Table table{spmv_table(a_copy).columns, {}};
  add_rows(table, heart, {ehyb, measurement("k1", 64, 2e-6)}, {}, a_copy);
  EXPECT_EQ(csv_text(with_columns(table, {"format", "setup_s", "partition_s", "layout_s"})),
            "format,setup_s,partition_s,layout_s\nehyb,4,2.5,0.5\nk1,0,,\n");
}

TEST(BenchSpmv, ARowSaysHowTheMatrixIsCutIntoPartsWhereItIs) {
  SpmvMeasurement in_parts = measurement("k1rs_parts", 512, 2e-6);
  in_parts.window = 1696;
  in_parts.parts = PartsMeasures{BenchOrder::metis, 132, 0.25, 655};
  Table table{spmv_table(a_copy).columns, {}};
  add_rows(table, heart, {in_parts, measurement("k1", 64, 2e-6)}, {}, a_copy);
  EXPECT_EQ(csv_text(with_columns(table, {"format", "window", "order", "parts", "halo_rows_a_row", "longest_halo"})),
            "format,window,order,parts,halo_rows_a_row,longest_halo\nk1rs_parts,1696,metis,132,0.25,655\nk1,,,,,\n");
}

TEST(BenchSpmv, AnOrderIsKnownByItsNameOrRefused) {
  EXPECT_EQ(parse_bench_order("hilbert"), BenchOrder::hilbert);
  EXPECT_EQ(parse_bench_order("mesh"), BenchOrder::mesh);
  EXPECT_EQ(test::input_error_of([] { parse_bench_order("hilbrt"); }),
            "--order: unknown order 'hilbrt'; expected hilbert, mesh, metis, rcm, metis_nodes; did you mean "
            "'hilbert'?");
  if (has_metis()) {
    EXPECT_EQ(parse_bench_order("metis"), BenchOrder::metis);
  } else {
    EXPECT_EQ(test::input_error_of([] { parse_bench_order("metis"); }),
              "--order: 'metis' needs METIS, which this build does not have");
  }
}

TEST(BenchSpmv, AMatrixInAnotherOrderHasTheSameEntries) {
  //   | 1 2 . |                    | 5 . . |
  //   | . 3 4 |  rows 2, 0, 1  is  | . 1 2 |
  //   | . . 5 |                    | 4 . 3 |
  const BenchMatrix matrix{"drawn", {0, 2, 4, 5}, {0, 1, 1, 2, 2}, {1, 2, 3, 4, 5}};
  const BenchMatrix ordered = in_order(matrix, {2, 0, 1});
  EXPECT_EQ(ordered.row_begin, (std::vector<Index>{0, 1, 3, 5}));
  EXPECT_EQ(ordered.column, (std::vector<Index>{0, 1, 2, 0, 2}));
  EXPECT_EQ(ordered.value, (std::vector<Real>{5, 1, 2, 4, 3}));
}

TEST(BenchSpmv, AMatrixInTheOrderOfTheMeshHasTheMassOfEachNodeInItsRow) {
  const Mesh mesh = random_mesh({3, 2, 1}, 0.5, 5);
  const BenchMatrix A = in_mesh_order(mesh_matrix("box", mesh), mesh);
  std::vector<Real> mass(mesh.nodes.size());
  for (const Tetrahedron& nodes : mesh.tetrahedra)
    for (const Index node : nodes)
      mass[node] += tetrahedron_geometry(mesh.nodes, nodes).volume / (4 * AlievPanfilov::scaling.tau_from_ms(0.1));
  for (Index row = 0; row < A.rows(); ++row) {
    Real sum = 0, magnitude = 0;
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) {
      sum += A.value[e];
      magnitude += std::abs(A.value[e]);
    }
    EXPECT_NEAR(sum, mass[row], 1000 * std::numeric_limits<Real>::epsilon() * magnitude);
    EXPECT_GT(mass[row], 1e6 * std::numeric_limits<Real>::epsilon() * magnitude);
  }
}

TEST(BenchSpmv, AnEffectIsTheBestOfTheOneFormatAgainstTheBestOfTheOther) {
  const std::vector<SpmvMeasurement> measurements{
      padded(measurement("sell", 64, 5e-6), 2),   padded(measurement("sell", 128, 4e-6), 2),
      padded(measurement("k1", 64, 3e-6), 1.25),  measurement("k1_row_major", 64, 9e-6, false),
      padded(measurement("k1r", 64, 4e-6), 1.25), of_products(measurement("k1rs", 64, 1e-6), 50)};
  EXPECT_EQ(csv_text(effects_table(measurements, 1)),
            "effect,without,with,without_us,with_us,times_as_fast,time_difference_percent,padding_difference_percent\n"
            "rows sorted,sell,k1,4,3,1.33333,25,37.5\n"
            "rows renumbered,k1,k1r,3,4,0.75,-33.3333,0\n");
}

TEST(BenchSpmv, TheMatrixOfAMeshIsSymmetricAndItsRowsSumToTheMassOfTheirNodes) {
  const Mesh mesh = random_mesh({3, 2, 1}, 0.5, 5);
  const BenchMatrix A = mesh_matrix("box", mesh);
  const Index n = static_cast<Index>(mesh.nodes.size());
  ASSERT_EQ(A.rows(), n);
  std::vector<Real> row_sum(n), mass(n);
  std::vector<std::vector<Real>> dense(n, std::vector<Real>(n));
  Real largest_row = 0;
  for (Index row = 0; row < n; ++row) {
    Real magnitude = 0;
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) {
      dense[row][A.column[e]] = A.value[e];
      row_sum[row] += A.value[e];
      magnitude += std::abs(A.value[e]);
    }
    largest_row = std::max(largest_row, magnitude);
  }
  // An entry adds up to 24 terms of about 10 roundings each.
  const Real bound = 240 * std::numeric_limits<Real>::epsilon() * largest_row;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) EXPECT_NEAR(dense[i][j], dense[j][i], bound);

  // K times ones is 0; the order of the nodes is the matrix's own.
  for (const Tetrahedron& nodes : mesh.tetrahedra)
    for (const Index node : nodes)
      mass[node] += tetrahedron_geometry(mesh.nodes, nodes).volume / (4 * AlievPanfilov::scaling.tau_from_ms(0.1));
  std::sort(mass.begin(), mass.end());
  std::sort(row_sum.begin(), row_sum.end());
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(row_sum[i], mass[i], bound);
  EXPECT_GT(mass[0], 1e6 * bound);
}

TEST(BenchSpmv, TheMatrixInTheOrderOfTheMeshIsThatAlongTheCurveRenumbered) {
  const Mesh mesh = random_mesh({3, 2, 1}, 0.5, 5);
  const BenchMatrix given = in_mesh_order(mesh_matrix("box", mesh), mesh), curve = mesh_matrix("box", mesh);
  EXPECT_EQ(given.node_order, "mesh");
  EXPECT_EQ(curve.node_order, "hilbert");
  const std::vector<Index> old_node = locality_order(mesh.nodes), new_node = inverse_permutation(old_node);
  EXPECT_FALSE(std::is_sorted(old_node.begin(), old_node.end()));
  for (Index row = 0; row < given.rows(); ++row) {
    std::map<Index, Real> expected;
    for (Index e = curve.row_begin[new_node[row]]; e < curve.row_begin[new_node[row] + 1]; ++e)
      expected[old_node[curve.column[e]]] = curve.value[e];
    ASSERT_EQ(given.row_begin[row + 1] - given.row_begin[row], static_cast<Index>(expected.size()));
    for (Index e = given.row_begin[row]; e < given.row_begin[row + 1]; ++e)
      ASSERT_EQ(given.value[e], expected.at(given.column[e])) << row;
  }
}

TEST(BenchSpmv, ARowHasTheOrderOfTheNodes) {
  const Mesh mesh = random_mesh({3, 2, 1}, 0.5, 5);
  Table table{spmv_table(a_copy).columns, {}};
  add_rows(table, in_mesh_order(mesh_matrix("box", mesh), mesh), {measurement("k1", 64, 1e-6)}, {}, a_copy);
  add_rows(table, heart, {measurement("k1", 64, 1e-6)}, {}, a_copy);
  EXPECT_EQ(csv_text(with_columns(table, {"matrix", "node_order"})), "matrix,node_order\nbox,mesh\nheart,\n");
}

TEST(BenchSpmv, AnUnknownOrderOfTheNodesIsRefused) {
  MatrixSources sources;
  sources.stand_ins = {"qcd"};
  sources.order = "hilber";
  EXPECT_NE(test::input_error_of([&] { require_valid(sources); }).find("--order: unknown order 'hilber'"),
            std::string::npos);
}

TEST(BenchSpmv, EhybIsRefusedByNameInABuildWithoutMetisAndLeftOutOfAllFormats) {
  for (const char* format : {"ehyb", "ehyb_fixed"}) {
    const SpmvBenchOptions options{.formats = {"k1", format}};
    if (has_metis()) {
      EXPECT_NO_THROW(require_valid(options));
    } else {
      EXPECT_EQ(test::input_error_of([&] { require_valid(options); }),
                std::string("--format: '") + format + "' needs METIS, which this build does not have");
    }
  }
  EXPECT_NO_THROW(require_valid(SpmvBenchOptions{.formats = {"merge", "hyb"}}));
}

TEST(BenchSpmv, AnOptionOutOfRangeIsRefusedWithItsName) {
  const auto refusal = [](const SpmvBenchOptions& options) {
    return test::input_error_of([&] { require_valid(options); });
  };
  EXPECT_NE(refusal({.block_sizes = {64, 48}}).find("--block-size: "), std::string::npos);
  EXPECT_NE(refusal({.block_sizes = {1056}}).find("got 1056"), std::string::npos);
  EXPECT_NE(refusal({.thresholds = {0}}).find("--threshold: "), std::string::npos);
  EXPECT_NE(refusal({.window = 33}).find("--window: "), std::string::npos);
  EXPECT_NE(refusal({.parts = {1, 0}}).find("--parts: expected a number in [1, 1024], got 0"), std::string::npos);
  EXPECT_NE(refusal({.repeats = 0}).find("--repeats: "), std::string::npos);
  EXPECT_NE(refusal({.products = {50, 0}}).find("--products: "), std::string::npos);
  EXPECT_NE(refusal({.products = {10'001}}).find("got 10001"), std::string::npos);
  EXPECT_NO_THROW(require_valid(SpmvBenchOptions{})) << "no thresholds: those of each matrix";
  EXPECT_NO_THROW(require_valid(SpmvBenchOptions{.block_sizes = {32, 1024}, .thresholds = {1}, .window = 0}));
}

}  // namespace
}  // namespace cardiowarp
