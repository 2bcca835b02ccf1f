#include "solver/preconditioners/block_jacobi.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "solver/cg/conjugate_gradient.hpp"

namespace cardiowarp {
namespace {

/// A symmetric matrix given by its rows, its zeros left out, with block Jacobi.
struct BlockJacobiRun {
  BlockJacobiRun(const std::vector<std::vector<Real>>& matrix, Index block_rows) {
    for (const std::vector<Real>& row : matrix) {
      for (std::size_t j = 0; j < row.size(); ++j)
        if (row[j] != 0) {
          column.push_back(static_cast<Index>(j));
          value.push_back(row[j]);
        }
      row_begin.push_back(static_cast<Index>(column.size()));
    }
    slot.resize(column.size());
    std::iota(slot.begin(), slot.end(), std::int64_t{0});
    M = std::make_unique<BlockJacobi>(backend, view(), slot, block_rows);
    for (int k = 0; k < 2; ++k) M->factorize(value.data());  // nothing is left of the factor before
  }
  CsrView view() const {
    return {static_cast<Index>(row_begin.size()) - 1, row_begin.data(), column.data(), value.data()};
  }
  std::vector<Real> applied_to(const std::vector<Real>& r) const {
    std::vector<Real> z(r.size(), 123.0);
    M->apply(r.data(), z.data());
    return z;
  }
  CgReport solve(std::vector<Real> b, CgConfig config) {
    const Index n = view().rows;
    x.assign(n, 123.0);
    return conjugate_gradient(backend, CsrProduct<>{view()}, M->preconditioner(), {n, b.data(), x.data()}, config);
  }
  CpuBackend backend;
  std::vector<Index> row_begin{0}, column;
  std::vector<Real> value, x;
  std::vector<std::int64_t> slot;
  std::unique_ptr<BlockJacobi> M;
};

std::vector<std::vector<Real>> tridiagonal(Index n, Real diagonal, Real beside) {
  std::vector<std::vector<Real>> matrix(n, std::vector<Real>(n));
  for (Index i = 0; i < n; ++i) {
    matrix[i][i] = diagonal;
    if (i > 0) matrix[i][i - 1] = matrix[i - 1][i] = beside;
  }
  return matrix;
}

TEST(BlockJacobi, IsTheInverseOfATridiagonalMatrixInOneBlock) {
  // L has -1/2 below its diagonal and D is 4, so every number is a binary fraction and nothing is rounded.
  for (const Index n : {1, 31, 32, 33, 97}) {
    auto matrix = tridiagonal(n, 5, -2);
    matrix[0][0] = 4;
    BlockJacobiRun run(matrix, 128);
    std::vector<Real> x(n), b(n);
    for (Index i = 0; i < n; ++i) x[i] = i % 7 - 2;
    for (Index i = 0; i < n; ++i) b[i] = row_times_vector(run.view(), i, x.data());
    EXPECT_EQ(run.applied_to(b), x) << n;
    const CgReport report = run.solve(b, {1e-14, 10});
    EXPECT_EQ(report.status, CgStatus::converged) << n;
    EXPECT_EQ(report.iterations, 1) << n;
    EXPECT_EQ(run.x, x) << n;
  }
}

/// L has -1/2 everywhere below its diagonal, D is (4, 8, 8, 4).
const std::vector<std::vector<Real>> full_matrix{{4, -2, -2, -2}, {-2, 9, -3, -3}, {-2, -3, 11, -1}, {-2, -3, -1, 9}};
const std::vector<Real> full_matrix_times_ones{-2, 1, 5, 3};

TEST(BlockJacobi, IsTheInverseOfAFullMatrixInOneBlock) {
  const BlockJacobiRun run(full_matrix, 4);
  EXPECT_EQ(run.applied_to(full_matrix_times_ones), std::vector<Real>(4, 1));
}

TEST(BlockJacobi, SolvesATridiagonalMatrixUpToTheSinglePrecisionOfItsFactor) {
  for (const Index n : {31, 32, 33, 97}) {
    BlockJacobiRun run(tridiagonal(n, 2.3, -1), 128);
    EXPECT_EQ(run.solve(std::vector<Real>(n, 1), {1e-6, 10}).iterations, 1) << n;
    EXPECT_EQ(run.solve(std::vector<Real>(n, 1), {1e-12, 10}).iterations, 2) << n;
  }
}

TEST(BlockJacobi, HasNoEntryWhereTheMatrixHasNone) {
  //     |  4 -2 -2  0 |                        |  1               |
  // A = | -2  5  0 -2 |  and L Dᵢ = 4 of it =  | -1/2  1          |
  //     | -2  0  5 -2 |                        | -1/2  0   1      |
  //     |  0 -2 -2  6 |                        |  0  -1/2 -1/2  1 |
  // L D Lᵀ is A but for a 1 in the second and third row, where A has no entry.
  const BlockJacobiRun run({{4, -2, -2, 0}, {-2, 5, 0, -2}, {-2, 0, 5, -2}, {0, -2, -2, 6}}, 4);
  EXPECT_EQ(run.applied_to({0, 2, 2, 2}), std::vector<Real>(4, 1));
}

TEST(BlockJacobi, SolvesEachBlockApart) {
  auto matrix = tridiagonal(7, 5, -2);
  matrix[0][0] = matrix[3][3] = matrix[6][6] = 4;  // each block begins as the matrix in the test above
  const BlockJacobiRun run(matrix, 3);
  // | 4 -2  0 | 1     0        | 4 -2  0 |  2     4
  // |-2  5 -2 | 1  =  1        |-2  5 -2 |  2  =  2      and 4 · 3 = 12
  // | 0 -2  5 | 1     3        | 0 -2  5 |  2     6
  EXPECT_EQ(run.applied_to({2, 1, 3, 4, 2, 6, 12}), (std::vector<Real>{1, 1, 1, 2, 2, 2, 3}));
  EXPECT_EQ(run.applied_to({0, 0, 0, 4, 2, 6, 0}), (std::vector<Real>{0, 0, 0, 2, 2, 2, 0}));
}

TEST(BlockJacobi, WithBlocksOfOneRowIsJacobi) {
  const BlockJacobiRun run(tridiagonal(33, 8, -2), 1);
  EXPECT_EQ(run.applied_to(std::vector<Real>(33, 24)), std::vector<Real>(33, 3));
}

TEST(BlockJacobi, LeavesARowWithABadPivotItsDiagonalAlone) {
  // Negative, zero, and positive but lost in single precision.
  for (const Real beside : {-4.0, -2.0, -2 + 1e-9}) {
    const BlockJacobiRun run({{2, beside, 0}, {beside, 2, -1}, {0, -1, 4.5}}, 3);
    // The last row has its pivot from the diagonal of the second: 4.5 - 1/2 = 4, and l = -1/2.
    EXPECT_EQ(run.applied_to({2, 1, 3.5}), std::vector<Real>(3, 1)) << beside;
  }
}

TEST(BlockJacobi, PassesOnAMatrixThatIsNotFinite) {
  BlockJacobiRun run(tridiagonal(33, 3, -1), 8);
  run.value[40] = std::nan("");
  run.M->factorize(run.value.data());
  EXPECT_EQ(run.solve(std::vector<Real>(33, 1), {1e-10, 10}).status, CgStatus::not_finite);
}

TEST(BlockJacobi, FindsTheEntriesInAnyOrderAtTheirSlots) {
  const BlockJacobiRun run(full_matrix, 4);
  // The same matrix with the entries of each row in descending order, stored from the back with gaps.
  std::vector<Index> column;
  std::vector<Real> value(2 * run.column.size(), std::nan(""));
  std::vector<std::int64_t> slot;
  for (Index row = 0; row < 4; ++row)
    for (Index e = run.row_begin[row + 1]; e-- > run.row_begin[row];) {
      slot.push_back(static_cast<std::int64_t>(value.size() - 2 * column.size() - 1));
      value[slot.back()] = run.value[e];
      column.push_back(run.column[e]);
    }
  CpuBackend backend;
  BlockJacobi M(backend, {4, run.row_begin.data(), column.data(), nullptr}, slot, 4);
  M.factorize(value.data());
  std::vector<Real> z(4);
  M.apply(full_matrix_times_ones.data(), z.data());
  EXPECT_EQ(z, std::vector<Real>(4, 1));
}

TEST(BlockJacobi, OfNoRowsDoesNothing) {
  BlockJacobiRun run({}, 32);
  EXPECT_EQ(run.applied_to({}), std::vector<Real>{});
  EXPECT_EQ(run.solve({}, {1e-10, 10}).iterations, 0);
}

}  // namespace
}  // namespace cardiowarp
