// Polynomial preconditioners that are applied in single precision, against those in double.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "solver/linear_solver.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/polynomial_case.hpp"
#include "tests/support/random_symmetric.hpp"
#include "tests/support/solver_for.hpp"

namespace cardiowarp {
namespace {

using namespace polynomial_case;

std::vector<float> in_single(const Matrix& A, const Real* value) { return {value, value + A.entries}; }

TEST(PolynomialInSinglePrecision, IsTheOneInDoubleUpToItsRounding) {
  CpuBackend backend;
  const CgState converged{};
  for (const Index n : {1, 31, 32, 33, 97, 2049}) {
    const RandomSymmetric given(n, 13, seed);
    Matrix A(backend, given.view());
    const std::vector<float> single = in_single(A, A.product.value());
    for (const PolynomialOptions& options : all_polynomials()) {
      Polynomial M = polynomial_of(backend, A, options);
      M.follow_matrix(&converged);
      SinglePolynomial of_single(backend, n, {&A, single.data()}, options, A.inverse_diagonal.data());
      of_single.follow_matrix(&converged);
      EXPECT_NEAR(of_single.bounds().lower, M.bounds().lower, 1e-4 * M.bounds().lower) << words(options, n);
      EXPECT_NEAR(of_single.bounds().upper, M.bounds().upper, 1e-3 * M.bounds().upper) << words(options, n);
      of_single.take_bounds(M.bounds());
      const std::vector<Real> r = random_values(n, seed + 1), s = random_values(n, seed + 2);
      const std::vector<Real> z = applied(M, r), w = applied(of_single, s), of_r = applied(of_single, r);
      Real largest = 0;
      for (const Real entry : z) largest = std::max(largest, std::fabs(entry));
      // Each of m + 1 steps rounds a few times, and R stays below 1.
      const Real bound = 40.0 * (options.degree + 1) * Real{std::numeric_limits<float>::epsilon()};
      for (Index i = 0; i < n; ++i) EXPECT_NEAR(of_r[i], z[i], bound * largest) << words(options, n);
      EXPECT_GT(inner(r, of_r), 0) << words(options, n);
      EXPECT_NEAR(inner(of_r, s), inner(r, w), bound * std::sqrt(inner(z, z) * inner(s, s))) << words(options, n);
      EXPECT_TRUE(applied(of_single, r) == of_r);  // bit for bit
    }
  }
}

TEST(PolynomialInSinglePrecision, LosesNothingOfSmallOrLargeResiduals) {
  CpuBackend backend;
  const CgState converged{};
  constexpr Index n = 97;
  const RandomSymmetric given(n, 13, seed);
  Matrix A(backend, given.view());
  const std::vector<float> single = in_single(A, A.product.value());
  SinglePolynomial M(backend, n, {&A, single.data()}, {}, A.inverse_diagonal.data());
  M.follow_matrix(&converged);
  const std::vector<Real> r = random_values(n, seed + 1), z = applied(M, r);
  for (const int exponent : {-1060, -600, -200, -150, 150, 600, 1000}) {  // floats reach from 2^-149 to 2^128
    std::vector<Real> scaled = r;
    for (Real& entry : scaled) entry = std::ldexp(entry, exponent);
    const std::vector<Real> of_scaled = applied(M, scaled);
    // Below 2^-1022 doubles lose bits themselves.
    for (Index i = 0; i < n; ++i)
      EXPECT_NEAR(std::ldexp(of_scaled[i], -exponent), z[i], exponent < -1000 ? 1e-3 : 0) << exponent;
  }
  const std::vector<Real> nothing = applied(M, std::vector<Real>(n));
  EXPECT_TRUE(nothing == std::vector<Real>(n));
}

TEST(PolynomialInSinglePrecision, NeedsAsManyIterationsAsInDouble) {
  CpuBackend backend;
  for (const Index n : {1, 31, 97, 2049}) {
    const RandomSymmetric given(n, 13, seed);
    Matrix A(backend, given.view());
    for (PolynomialOptions options : all_polynomials()) {
      const int iterations = iterations_of(backend, A, options);
      options.precision = PolynomialPrecision::single;
      EXPECT_EQ(iterations_of(backend, A, options), iterations) << words(options, n);
    }
  }
}

TEST(PolynomialInSinglePrecision, SolvesToMoreThanItsPrecision) {
  CpuBackend backend;
  for (const Index n : {1, 31, 32, 33, 97}) {
    const RandomSymmetric given(n, 13, seed);
    Matrix A(backend, given.view());
    const std::vector<Real> b = random_values(n, seed + 3), expected = direct_solution(dense(given.view()), b);
    for (PolynomialOptions options : all_polynomials()) {
      options.precision = PolynomialPrecision::single;
      std::vector<Real> r = b, x(n);
      CgState state{};
      SolverPlan plan;
      plan.preconditioner = options;
      test::solver_for(backend, plan, {}, A,
                       {n, A.slots(), A.product.value(), A.inverse_diagonal.data(), r.data(), x.data(), &state})
          ->solve(backend, {1e-14, 200}, nullptr);
      EXPECT_EQ(state.report.status, CgStatus::converged) << words(options, n);
      for (Index i = 0; i < n; ++i) EXPECT_NEAR(x[i], expected[i], 1e-13) << words(options, n) << ", row " << i;
    }
  }
}

TEST(PolynomialInSinglePrecision, IsReportedWhereTheMatrixIsBeyondItsRange) {
  CpuBackend backend;
  const RandomSymmetric given(97, 13, seed);
  Matrix A(backend, given.view());
  std::vector<Real> r(97), x(97);
  CgState state{};
  SolverPlan plan;
  plan.preconditioner = PolynomialOptions{.precision = PolynomialPrecision::single};
  const auto solver = test::solver_for(
      backend, plan, {}, A, {97, A.slots(), A.product.value(), A.inverse_diagonal.data(), r.data(), x.data(), &state});
  for (const Real factor : {1.0, 1e42, 1e-42, 1.0}) {
    std::vector<Real> value = given.value;
    for (Real& entry : value) entry *= factor;
    A.set({97, given.row_begin.data(), given.column.data(), value.data()});
    const std::vector<Real> b = random_values(97, seed + 5);
    std::copy(b.begin(), b.end(), r.begin());
    solver->solve(backend, {1e-12, 100}, nullptr);
    if (factor == 1)
      EXPECT_EQ(state.report.status, CgStatus::converged);
    else
      EXPECT_FALSE(state.report.has_solution()) << factor;
  }
}

}  // namespace
}  // namespace cardiowarp
