#include "app/bench/spmv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "fem/scaling.hpp"
#include "fem/tetrahedron.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

SpmvMeasurement measurement(const std::string& format, int block_size, double median, bool correct = true) {
  return {.format = format, .block_size = block_size, .bytes = 1000, .correct = correct, .seconds = {median, 1, 2}};
}

TEST(BenchSpmv, TheBestOfAFormatIsTheFastestCorrectOne) {
  const auto best =
      best_of_each_format({measurement("k1", 64, 3), measurement("k1", 128, 2), measurement("csr", 256, 9),
                           measurement("k1", 256, 0, false), measurement("k2", 64, 0, false)});
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].block_size, 128);
  EXPECT_EQ(best[1].format, "csr");
  EXPECT_FALSE(best[2].correct);
}

TEST(BenchSpmv, ARowSaysHowManyTimesAsFastAsCusparseAndHowNearToTheCopyItIs) {
  const BenchMatrix matrix{"heart", {0, 1, 3}, {0, 0, 1}, {1, 2, 3}};
  const DeviceCopy copy{"a GPU", 1000, 4000, {1e-6, 1e-6, 1e-6}};
  const std::vector<SpmvMeasurement> measurements{measurement("k1", 64, 2e-6), measurement("cusparse_csr_1", 0, 6e-6),
                                                  measurement("cusparse_csr_2", 0, 3e-6),
                                                  measurement("cusparse_sliced_ell", 0, 1e-6, false)};
  Table table = spmv_table(copy);
  add_rows(table, matrix, measurements, measurements, copy);
  EXPECT_EQ(csv_text(with_columns(table, {"mesh", "nodes", "nonzeros", "format", "block_size", "threshold", "correct",
                                          "median_us", "gb_per_s", "percent_of_copy", "ratio_to_cusparse_csr_1",
                                          "ratio_to_best_cusparse", "in_l2", "device"})),
            "mesh,nodes,nonzeros,format,block_size,threshold,correct,median_us,gb_per_s,percent_of_copy,"
            "ratio_to_cusparse_csr_1,ratio_to_best_cusparse,in_l2,device\n"
            ",,,copy,,,,1,4,100,,,no,a GPU\n"
            "heart,2,3,k1,64,,yes,2,0.5,12.5,3,1.5,no,a GPU\n"
            "heart,2,3,cusparse_csr_1,0,,yes,6,0.166667,4.16667,1,0.5,no,a GPU\n"
            "heart,2,3,cusparse_csr_2,0,,yes,3,0.333333,8.33333,2,1,no,a GPU\n"
            "heart,2,3,cusparse_sliced_ell,0,,no,,,,,,no,a GPU\n");
}

TEST(BenchSpmv, RatiosAreLeftOutWhereNoProductOfCusparseIsCorrect) {
  const BenchMatrix matrix{"heart", {0, 1}, {0}, {1}};
  const DeviceCopy copy{"a GPU", 1001, 4000, {1e-6, 1e-6, 1e-6}};
  Table table{spmv_table(copy).columns, {}};
  add_rows(table, matrix, {measurement("k1", 64, 1e-6)}, {measurement("cusparse_csr_1", 0, 1, false)}, copy);
  EXPECT_EQ(csv_text(with_columns(table, {"ratio_to_cusparse_csr_1", "ratio_to_best_cusparse", "in_l2"})),
            "ratio_to_cusparse_csr_1,ratio_to_best_cusparse,in_l2\n,,yes\n");
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
      mass[node] += tetrahedron_geometry(mesh.nodes, nodes).volume / (4 * tau_from_ms(0.1));
  std::sort(mass.begin(), mass.end());
  std::sort(row_sum.begin(), row_sum.end());
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(row_sum[i], mass[i], bound);
  EXPECT_GT(mass[0], 1e6 * bound);
}

TEST(BenchSpmv, AnOptionOutOfRangeIsRefusedWithItsName) {
  const auto refusal = [](const SpmvBenchOptions& options) {
    return test::input_error_of([&] { require_valid(options); });
  };
  EXPECT_NE(refusal({.block_sizes = {64, 48}}).find("--block-size: "), std::string::npos);
  EXPECT_NE(refusal({.block_sizes = {1056}}).find("got 1056"), std::string::npos);
  EXPECT_NE(refusal({.thresholds = {0}}).find("--threshold: "), std::string::npos);
  EXPECT_NE(refusal({.window = 33}).find("--window: "), std::string::npos);
  EXPECT_NE(refusal({.repeats = 0}).find("--repeats: "), std::string::npos);
  EXPECT_NO_THROW(require_valid(SpmvBenchOptions{.block_sizes = {32, 1024}, .thresholds = {1}, .window = 0}));
}

}  // namespace
}  // namespace cardiowarp
