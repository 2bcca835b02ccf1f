#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/cpu_backend.hpp"
#include "kernels/csr.hpp"
#include "solver/conjugate_gradient.hpp"
#include "solver/newton.hpp"

namespace cardiowarp {
namespace {

/// A matrix of n rows given as a function of (row, vector).
template <class Row>
struct RowMatrix {
  Row row;
  Index n;
  friend Real row_times_vector(const RowMatrix& A, Index i, const Real* x) { return A.row(i, x); }
  template <Backend B>
  void multiply_dot(B& backend, const Real* p, Real* q, Real* pq) const {
    backend.template sum<1>(n, pq, RowsTimesVectorDot<RowMatrix>{*this, p, q});
  }
};

/// One CG solve with a matrix given as a function of (row, vector) and its diagonal.
template <class Row>
struct CgRun {
  CgRun(const Row& A, const std::vector<Real>& diagonal, std::vector<Real> b, CgConfig config) {
    const Index n = static_cast<Index>(b.size());
    std::vector<Real> inverse_diagonal(n), p(n), q(n), scalars(CgWorkspace::scalar_count);
    for (Index i = 0; i < n; ++i) inverse_diagonal[i] = 1 / diagonal[i];
    x.assign(n, 123.0);
    r = std::move(b);
    CpuBackend backend;
    report = conjugate_gradient(backend, n, RowMatrix<Row>{A, n}, JacobiPreconditioner{inverse_diagonal.data()},
                                x.data(), {r.data(), p.data(), q.data(), scalars.data()}, config);
  }
  std::vector<Real> x, r;
  CgReport report;
};

/// 1D Laplacian plus `shift` times identity, n unknowns.
auto laplacian(Index n, Real shift) {
  return [n, shift](Index i, const Real* x) {
    return (2 + shift) * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0);
  };
}

TEST(ConjugateGradient, SolvesATwoByTwoSystemInTwoIterations) {
  // | 4 1 | x = | 1 |   =>  x = (1/11, 7/11)
  // | 1 3 |     | 2 |
  const auto A = [](Index i, const Real* x) { return i == 0 ? 4 * x[0] + x[1] : x[0] + 3 * x[1]; };
  const CgRun run(A, {4, 3}, {1, 2}, {1e-14, 10});
  EXPECT_EQ(run.report.status, CgStatus::converged);
  EXPECT_LE(run.report.iterations, 2);
  EXPECT_NEAR(run.x[0], 1.0 / 11, 1e-15);
  EXPECT_NEAR(run.x[1], 7.0 / 11, 1e-15);
}

TEST(ConjugateGradient, SolvesADiagonalSystemInOneIteration) {
  const auto A = [](Index i, const Real* x) { return (i + 1.0) * x[i]; };
  const CgRun run(A, {1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}, {1e-12, 10});
  EXPECT_EQ(run.report.iterations, 1);
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(run.x[i], 1.0 / (i + 1), 1e-15);
}

TEST(ConjugateGradient, TrueResidualMeetsTheToleranceAtAwkwardSizes) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  for (const Index n : {1, 31, 32, 33, 97, 2049}) {
    std::vector<Real> b(n);
    for (Real& value : b) value = uniform(generator);
    const auto A = laplacian(n, 0.1);
    const CgRun run(A, std::vector<Real>(n, 2.1), b, {1e-10, 1000});
    ASSERT_EQ(run.report.status, CgStatus::converged) << n;
    Real error = 0, norm = 0;
    for (Index i = 0; i < n; ++i) {
      error += std::pow(b[i] - A(i, run.x.data()), 2);
      norm += b[i] * b[i];
    }
    EXPECT_LE(std::sqrt(error), 1.1e-10 * std::sqrt(norm)) << n;
    EXPECT_NEAR(run.report.rhs_norm, std::sqrt(norm), 1e-12 * std::sqrt(norm)) << n;
  }
}

TEST(ConjugateGradient, ZeroRightHandSideGivesZeroWithoutIterating) {
  const CgRun run(laplacian(5, 1), std::vector<Real>(5, 3), std::vector<Real>(5, 0), {1e-10, 10});
  EXPECT_EQ(run.report.status, CgStatus::converged);
  EXPECT_EQ(run.report.iterations, 0);
  EXPECT_EQ(run.x, std::vector<Real>(5, 0));
}

TEST(ConjugateGradient, ReportsTheIterationLimit) {
  const CgRun run(laplacian(1000, 0), std::vector<Real>(1000, 2), std::vector<Real>(1000, 1), {1e-12, 7});
  EXPECT_EQ(run.report.status, CgStatus::iteration_limit);
  EXPECT_EQ(run.report.iterations, 7);
}

TEST(ConjugateGradient, ReportsAMatrixThatIsNotPositiveDefinite) {
  const auto A = [](Index i, const Real* x) { return i == 0 ? x[0] : -x[1]; };
  const CgRun run(A, {1, 1}, {1, 2}, {1e-12, 10});
  EXPECT_EQ(run.report.status, CgStatus::not_positive_definite);
}

TEST(ConjugateGradient, ReportsARightHandSideThatIsNotFinite) {
  for (const Real bad : {std::nan(""), std::numeric_limits<Real>::infinity()}) {
    const CgRun run(laplacian(5, 1), std::vector<Real>(5, 3), {1, 2, bad, 4, 5}, {1e-10, 10});
    EXPECT_EQ(run.report.status, CgStatus::not_finite);
    EXPECT_EQ(run.report.iterations, 0);
  }
}

/// x² = 2 by Newton, linear solve exact.
struct SquareRoot {
  Real x, slope = 0, residual = 0, update_value = 0;
  CgStatus linear_status = CgStatus::converged;
  void linearize() {
    residual = x * x - 2;
    slope = 2 * x;
  }
  CgReport solve() {
    update_value = -residual / slope;
    return {linear_status, 1, std::fabs(residual), 0};
  }
  Real update() {
    x += update_value;
    return std::fabs(update_value);
  }
};

TEST(Newton, FindsTheSquareRootAndSquaresItsErrors) {
  SquareRoot system{3};
  const NewtonReport report = newton(system, {1e-12, 20});
  ASSERT_TRUE(report.converged());
  EXPECT_DOUBLE_EQ(system.x, std::sqrt(2.0));
  EXPECT_EQ(report.linear_iterations, static_cast<int>(report.iterations.size()));
  for (std::size_t k = 2; k + 1 < report.iterations.size(); ++k)
    EXPECT_LT(report.iterations[k].max_update, std::pow(report.iterations[k - 1].max_update, 2));
}

TEST(Newton, ReportsTheIterationLimit) {
  SquareRoot system{1e6};
  const NewtonReport report = newton(system, {1e-12, 3});
  EXPECT_EQ(report.status, NewtonStatus::iteration_limit);
  EXPECT_EQ(report.iterations.size(), 3u);
}

TEST(Newton, StopsWhenTheLinearSolverFails) {
  SquareRoot system{3};
  system.linear_status = CgStatus::not_positive_definite;
  EXPECT_EQ(newton(system, {1e-12, 20}).status, NewtonStatus::linear_solver_failed);
}

TEST(Newton, StopsAtOnceWhenTheIterateIsNotFinite) {
  SquareRoot system{0};  // slope 0
  const NewtonReport report = newton(system, {1e-12, 20});
  EXPECT_EQ(report.status, NewtonStatus::not_finite);
  EXPECT_EQ(report.iterations.size(), 1u);
}

}  // namespace
}  // namespace cardiowarp
