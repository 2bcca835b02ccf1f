// Conjugate gradients on the chip against conjugate_gradient() on the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "kernels/cpu_backend.hpp"
#include "kernels/cuda_backend.cuh"
#include "kernels/ell_warp_matrix.hpp"
#include "solver/on_chip_cg.cuh"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 53;
constexpr Real tight = 1e-12;

using OnChip = GpuTest;

/// Symmetric and diagonally dominant: neighbours, and each row with its mirror image, far away in another part.
BenchMatrix mirrored(Index rows) {
  BenchMatrix matrix{"mirrored", {0}, {}, {}};
  for (Index row = 0; row < rows; ++row) {
    std::map<Index, Real> entries{{row, 5 + 0.01 * (row % 7)}};
    if (row > 0) entries[row - 1] = -1;
    if (row + 1 < rows) entries[row + 1] = -1;
    if (rows - 1 - row != row) entries[rows - 1 - row] -= 0.5;
    for (const auto& [column, value] : entries) matrix.column.push_back(column), matrix.value.push_back(value);
    matrix.row_begin.push_back(static_cast<Index>(matrix.column.size()));
  }
  return matrix;
}

BenchMatrix of_slab(Vector3 size_mm, Real edge_mm) { return mesh_matrix("slab", random_mesh(size_mm, edge_mm, seed)); }

struct Product {
  EllWarpView A;
  void multiply_dot(CpuBackend& backend, const Real* p, Real* q, Real* pq) const {
    ell_warp_multiply(backend, 0, A, TimesVector{p}, q);
    backend.sum<1>(A.rows, pq, Dot{p, q});
  }
};

struct Solution {
  CgReport report;
  std::vector<Real> x;
};

/// A matrix in parts, and the same one for the CPU.
class Both {
 public:
  explicit Both(const BenchMatrix& matrix, Index window = 0)
      : rows_(matrix.rows()),
        layout_(ell_warp_layout(row_lengths(matrix.row_begin), matrix.column,
                                {.variant = EllWarpVariant::k1,
                                 .renumbering = EllWarpRenumbering::rows_and_columns_sorted,
                                 .window = window == 0 ? on_chip_window(rows_) : window})),
        value_(layout_.shape.stored_entries()),
        inverse_diagonal_(rows_) {
    for (std::size_t e = 0; e < matrix.value.size(); ++e) value_[layout_.slot_of_entry[e]] = matrix.value[e];
    const std::vector<Index> new_of_old = inverse_permutation(layout_.shape.row);
    for (Index row = 0; row < rows_; ++row)
      for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
        if (matrix.column[e] == row) inverse_diagonal_[new_of_old[row]] = 1 / matrix.value[e];
    const auto parts = on_chip_parts(layout_);
    if (!parts) throw std::runtime_error("does not fit");
    device_value_ = uploaded(gpu_, value_);
    device_inverse_ = uploaded(gpu_, inverse_diagonal_);
    x_ = gpu_.allocate<Real>(rows_);
    cg_.emplace(gpu_, layout_, *parts);
  }

  Solution on_chip(const std::vector<Real>& b, const CgConfig& config, const Forcing& forcing = {}) {
    const Buffer<Real> device_b = uploaded(gpu_, b);
    const auto report =
        cg_->solve(gpu_, {device_value_.data(), device_inverse_.data(), device_b.data(), x_.data()}, config, forcing);
    if (!report) throw std::runtime_error("was not launched");
    Solution solution{*report, std::vector<Real>(rows_)};
    gpu_.download(static_cast<const Real*>(x_.data()), std::span<Real>(solution.x));
    return solution;
  }

  Solution plain(const std::vector<Real>& b, const CgConfig& config, const Forcing& forcing = {}) {
    EllWarpMatrix A(cpu_, layout_);
    cpu_.upload(std::span<const Real>(value_), A.value());
    Solution solution{{}, std::vector<Real>(rows_)};
    std::vector<Real> r = b, p(rows_), q(rows_), scalars(CgWorkspace::scalar_count);
    solution.report = conjugate_gradient(cpu_, rows_, Product{A.view()}, JacobiPreconditioner{inverse_diagonal_.data()},
                                         solution.x.data(), CgWorkspace{r.data(), p.data(), q.data(), scalars.data()},
                                         config, forcing);
    return solution;
  }

  /// |b − A x| as the CPU finds it.
  Real residual_norm(const std::vector<Real>& b, const std::vector<Real>& x) {
    EllWarpMatrix A(cpu_, layout_);
    cpu_.upload(std::span<const Real>(value_), A.value());
    std::vector<Real> product(rows_);
    ell_warp_multiply(cpu_, 0, A.view(), TimesVector{x.data()}, product.data());
    Real sum = 0;
    for (Index row = 0; row < rows_; ++row) sum += (b[row] - product[row]) * (b[row] - product[row]);
    return std::sqrt(sum);
  }

  Index rows() const { return rows_; }
  std::vector<Real>& inverse_diagonal() { return inverse_diagonal_; }
  void scale_matrix(Real factor) {
    for (Real& value : value_) value *= factor;
    gpu_.upload(std::span<const Real>(value_), device_value_.data());
  }

 private:
  Index rows_;
  CudaBackend gpu_;
  CpuBackend cpu_;
  EllWarpLayout layout_;
  std::vector<Real> value_, inverse_diagonal_;
  Buffer<Real> device_value_, device_inverse_, x_;
  std::optional<OnChipCg<CudaBackend>> cg_;
};

Real largest(const std::vector<Real>& x) {
  Real largest = 0;
  for (const Real value : x) largest = std::max(largest, std::fabs(value));
  return largest;
}

Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

struct Case {
  std::string name;
  BenchMatrix matrix;
  Index window = 0;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Index rows : {1, 2, 31, 32, 33, 97, 4225, 67'585}) all.push_back({std::to_string(rows), mirrored(rows)});
  all.push_back({"one part of 2048 rows", mirrored(2048), 2048});
  all.push_back({"a last part of one row", mirrored(1025), 1024});
  all.push_back({"slab of 6 thousand nodes", of_slab({12, 7, 3}, 0.4)});
  all.push_back({"slab of 90 thousand nodes", of_slab({20, 13, 7}, 0.28)});
  return all;
}

TEST_F(OnChip, ConjugateGradientsHaveTheIteratesOfThePlainOnes) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Both both(c.matrix, c.window);
    const std::vector<Real> b = random_values(both.rows(), seed + 1);
    const Solution exact = both.plain(b, {1e-14, 1000});
    for (const int iterations : {1, 2, 5, 9}) {
      SCOPED_TRACE(iterations);
      const Solution plain = both.plain(b, {1e-13, iterations}), on_chip = both.on_chip(b, {1e-13, iterations});
      EXPECT_EQ(on_chip.report.status, plain.report.status);
      EXPECT_EQ(on_chip.report.iterations, plain.report.iterations);
      EXPECT_NEAR(on_chip.report.rhs_norm, plain.report.rhs_norm, 1e-13 * plain.report.rhs_norm);
      EXPECT_LE(largest_difference(on_chip.x, plain.x), tight * largest(exact.x));
      EXPECT_GT(largest(plain.x), 0.01);
    }
  }
}

TEST_F(OnChip, ConjugateGradientsLeaveTheTrueResidualAsSmallAsAsked) {
  for (const Case& c : cases())
    for (const Real tolerance : {1e-3, 1e-10, 1e-13}) {
      SCOPED_TRACE(c.name + " " + std::to_string(tolerance));
      Both both(c.matrix, c.window);
      const std::vector<Real> b = random_values(both.rows(), seed + 2);
      const Solution on_chip = both.on_chip(b, {tolerance, 1000}), plain = both.plain(b, {tolerance, 1000});
      EXPECT_EQ(on_chip.report.status, CgStatus::converged);
      EXPECT_LE(both.residual_norm(b, on_chip.x), 1.2 * tolerance * on_chip.report.rhs_norm);
      EXPECT_NEAR(both.residual_norm(b, on_chip.x), on_chip.report.residual_norm, 1e-14 * on_chip.report.rhs_norm);
      if (tolerance >= 1e-10) {
        EXPECT_NEAR(on_chip.report.iterations, plain.report.iterations, 1);
      }
      EXPECT_LE(largest_difference(on_chip.x, plain.x), 4 * tolerance * largest(plain.x) * std::sqrt(both.rows()));
    }
}

TEST_F(OnChip, ConjugateGradientsStopAtTheForcingTerm) {
  Both both(of_slab({12, 7, 3}, 0.4));
  const std::vector<Real> b = random_values(both.rows(), seed + 3);
  const Forcing forcing{.largest = 1e-2, .previous_norm = 0, .enough = 0};
  const Solution on_chip = both.on_chip(b, {1e-12, 1000}, forcing), plain = both.plain(b, {1e-12, 1000}, forcing);
  EXPECT_EQ(on_chip.report.iterations, plain.report.iterations);
  EXPECT_LT(on_chip.report.iterations, both.on_chip(b, {1e-12, 1000}).report.iterations);
}

TEST_F(OnChip, ConjugateGradientsAreTheSameBitsInEveryRun) {
  Both both(of_slab({20, 13, 7}, 0.28));
  const std::vector<Real> b = random_values(both.rows(), seed + 4);
  const Solution first = both.on_chip(b, {1e-10, 1000});
  for (int run = 0; run < 300; ++run) {
    const Solution again = both.on_chip(b, {1e-10, 1000});
    ASSERT_EQ(again.x, first.x) << run;
    ASSERT_EQ(again.report.residual_norm, first.report.residual_norm);
  }
}

TEST_F(OnChip, ConjugateGradientsHaveNothingToDoForZero) {
  Both both(mirrored(97));
  const Solution solution = both.on_chip(std::vector<Real>(97), {1e-10, 1000});
  EXPECT_EQ(solution.report.status, CgStatus::converged);
  EXPECT_EQ(solution.report.iterations, 0);
  EXPECT_EQ(largest(solution.x), 0);
}

TEST_F(OnChip, ConjugateGradientsSayWhyTheyFailed) {
  Both both(mirrored(5000));
  std::vector<Real> b = random_values(5000, seed + 5);
  EXPECT_EQ(both.on_chip(b, {0, 3}).report.status, CgStatus::iteration_limit);
  b[1234] = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(both.on_chip(b, {1e-10, 1000}).report.status, CgStatus::not_finite);
  b[1234] = 1;
  both.scale_matrix(-1);
  EXPECT_EQ(both.on_chip(b, {1e-10, 1000}).report.status, CgStatus::not_positive_definite);
  both.scale_matrix(-1);
  EXPECT_EQ(both.on_chip(b, {1e-10, 1000}).report.status, CgStatus::converged);  // and it goes on
}

}  // namespace
}  // namespace cardiowarp
