#include "app/simulation/window_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "meshes/generate.hpp"
#include "solver/on_chip/on_chip_shape.hpp"
#include "solver/parts/matrix_parts.hpp"
#include "solver/parts/parts_product.hpp"
#include "solver/persistent/persistent_shape.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

EllWarpOptions k1rs(Index window) {
  return {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window};
}

class WindowOrder : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_metis()) GTEST_SKIP() << "this build has no METIS";
  }
};

BenchMatrix random_matrix(Index rows, unsigned seed) {
  std::vector<Index> lengths = awkward_row_lengths(rows, seed);
  for (Index& length : lengths) length = std::min(length, 97);
  RandomCsr csr(lengths, seed);
  return {"random", csr.row_begin, csr.column, csr.value};
}

/// Two hearts that share no node.
BenchMatrix two_hearts() {
  BenchMatrix heart = mesh_matrix("two", biventricle_mesh(8));
  const Index rows = heart.rows();
  const auto entries = static_cast<Index>(heart.entries());
  for (Index row = 1; row <= rows; ++row) heart.row_begin.push_back(entries + heart.row_begin[row]);
  for (Index e = 0; e < entries; ++e) heart.column.push_back(rows + heart.column[e]);
  const std::vector<Real> value = heart.value;
  heart.value.insert(heart.value.end(), value.begin(), value.end());
  return heart;
}

/// y = A x by parts of the matrix in METIS' order, against compressed rows in the order before.
void expect_right_in_metis_order(const BenchMatrix& given, Index window) {
  const std::vector<Index> order = metis_window_order({given.row_begin, given.column}, window);
  std::vector<Index> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Index> all(given.rows());
  std::iota(all.begin(), all.end(), 0);
  ASSERT_EQ(sorted, all);

  const BenchMatrix matrix = in_order(given, order);
  const EllWarpLayout layout = ell_warp_layout(row_lengths(matrix.row_begin), matrix.column, k1rs(window));
  const std::optional<MatrixParts> parts = matrix_parts(layout);
  ASSERT_TRUE(parts);
  CpuBackend cpu;
  const TeamVector<Real> value = values_in_slots({layout.slot_of_entry, layout.shape.stored_entries()}, matrix.value);
  const PartsMatrix<CpuBackend> A(cpu, layout, *parts, value.data());
  const std::vector<Real> given_x = random_values(given.rows(), 5);
  std::vector<Real> x(given.rows()), y(given.rows(), std::numeric_limits<Real>::max());
  for (Index i = 0; i < given.rows(); ++i) x[i] = given_x[order[layout.shape.row[i]]];
  A.multiply(cpu, x.data(), y.data());
  for (Index i = 0; i < given.rows(); ++i) {
    const Index row = order[layout.shape.row[i]];
    Real magnitude = 0;
    for (Index e = given.row_begin[row]; e < given.row_begin[row + 1]; ++e)
      magnitude += std::abs(given.value[e] * given_x[given.column[e]]);
    const Index n = given.row_begin[row + 1] - given.row_begin[row];
    ASSERT_NEAR(y[i], row_times_vector(given.view(), row, given_x.data()),
                (n + 1) * std::numeric_limits<Real>::epsilon() * magnitude);
  }
}

TEST_F(WindowOrder, OfMetisMultipliesLikeCompressedRows) {
  for (const Index rows : {1, 31, 32, 33, 97, 1027})
    for (const Index window : {32, 96, 1024}) {
      SCOPED_TRACE(std::to_string(rows) + " rows in windows of " + std::to_string(window));
      expect_right_in_metis_order(random_matrix(rows, 3), window);
    }
  expect_right_in_metis_order(two_hearts(), 64);
  expect_right_in_metis_order(mesh_matrix("heart", biventricle_mesh(6)), 256);
}

TEST_F(WindowOrder, IsTheSameAgainAndKeepsTheOrderInsideOfWindows) {
  const BenchMatrix heart = mesh_matrix("heart", biventricle_mesh(6));
  const std::vector<Index> order = metis_window_order({heart.row_begin, heart.column}, 128);
  EXPECT_EQ(order, metis_window_order({heart.row_begin, heart.column}, 128));
  for (std::size_t i = 1; i < order.size(); ++i) ASSERT_TRUE(i % 128 == 0 || order[i - 1] < order[i]) << i;
  EXPECT_THROW(metis_window_order({heart.row_begin, heart.column}, 0), std::invalid_argument);
}

/// Of a human heart of 222,458 nodes 132 windows of the Hilbert curve read 0.48 rows of others a row, and parts of
/// METIS 0.26; the longest halo is 1322 rows against 655.
TEST_F(WindowOrder, OfAHeartHasLessThanTwoThirdsOfTheHaloOfTheHilbertCurve) {
  const BenchMatrix hilbert = mesh_matrix("heart", biventricle_mesh(3));
  const Index window = on_chip_window(hilbert.rows(), nvidia_h200());
  const BenchMatrix metis = in_order(hilbert, metis_window_order({hilbert.row_begin, hilbert.column}, window));
  const auto cut = [&](const BenchMatrix& matrix) {
    const EllWarpLayout layout = ell_warp_layout(row_lengths(matrix.row_begin), matrix.column, k1rs(window));
    const MatrixParts parts = matrix_parts(layout).value();
    EXPECT_TRUE(on_chip_shape(layout.shape, parts, nvidia_h200()));
    EXPECT_TRUE(persistent_shape(parts, nvidia_h200()));
    return parts;
  };
  const MatrixParts by_hilbert = cut(hilbert), by_metis = cut(metis);
  EXPECT_EQ(by_metis.parts, by_hilbert.parts);
  EXPECT_GT(by_hilbert.halo_row.size(), static_cast<std::size_t>(hilbert.rows()) / 2);
  EXPECT_LT(by_metis.halo_row.size(), by_hilbert.halo_row.size() * 2 / 3);
  EXPECT_LT(by_metis.longest_halo, by_hilbert.longest_halo * 2 / 3);
}

}  // namespace
}  // namespace cardiowarp
