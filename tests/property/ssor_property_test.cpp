// SSOR is symmetric and positive, is what its definition says, and solves what a direct solver solves in both of its
// ways, which have the same iterates.

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "solver/linear_solver.hpp"
#include "solver/preconditioners/ssor.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/polynomial_case.hpp"
#include "tests/support/random_symmetric.hpp"
#include "tests/support/solver_for.hpp"

namespace cardiowarp {
namespace {

using namespace polynomial_case;

constexpr SsorKind both_kinds[]{SsorKind::sweeps, SsorKind::eisenstat};

std::string words(SsorKind kind, Index rows) {
  return std::string(kind == SsorKind::sweeps ? "sweeps, " : "eisenstat, ") + std::to_string(rows) + " rows";
}

/// A random matrix, what a solver of a run has of it, and its colors. Two that share no row where it is `split`.
struct Case {
  Case(CpuBackend& backend, Index rows, bool is_split = false)
      : given(is_split ? apart(rows) : RandomSymmetric(rows, 13, seed)),
        A(backend, given.view()),
        pattern{given.row_begin, given.column},
        color(greedy_colors(pattern)) {}

  /// Two blocks on the diagonal.
  static RandomSymmetric apart(Index rows) {
    RandomSymmetric first(rows, 13, seed), second(rows, 13, seed + 1);
    const auto entries = static_cast<Index>(first.column.size());
    for (const Index column : second.column) first.column.push_back(rows + column);
    first.value.insert(first.value.end(), second.value.begin(), second.value.end());
    for (Index row = 1; row <= rows; ++row) first.row_begin.push_back(entries + second.row_begin[row]);
    first.slot.resize(first.column.size());
    for (std::size_t e = 0; e < first.slot.size(); ++e) first.slot[e] = static_cast<std::int64_t>(e);
    first.longest = std::max(first.longest, second.longest);
    return first;
  }
  SsorPlan plan(SsorKind kind) const { return {kind, colored_halves(pattern, given.slot, color)}; }
  SsorPreconditioner<CpuBackend, Real> preconditioner(CpuBackend& backend) {
    SsorPreconditioner<CpuBackend, Real> M(backend, A.rows, plan(SsorKind::sweeps).halves, A.product.value(), false);
    M.follow_matrix();
    return M;
  }

  RandomSymmetric given;
  Matrix A;
  CsrPattern pattern;
  std::vector<Index> color;
};

struct Solved {
  std::vector<Real> x;
  CgReport report;
};

/// `ssor` is the plan of SSOR, or nothing for Jacobi.
Solved solve(CpuBackend& backend, Case& of, const std::optional<SsorPlan>& ssor, const std::vector<Real>& b,
             Real tolerance, SolverPrecision precision = SolverPrecision::double_precision) {
  std::vector<Real> r = b;
  Solved solved{std::vector<Real>(b.size(), 7.0), {}};
  CgState state{};
  SolverPlan plan;
  if (ssor) plan.preconditioner = *ssor;
  plan.precision = precision;
  test::solver_for(
      backend, plan, {}, of.A,
      {of.A.rows, of.A.slots(), of.A.product.value(), of.A.inverse_diagonal.data(), r.data(), solved.x.data(), &state})
      ->solve(backend, {tolerance, 500}, nullptr);
  solved.report = state.report;
  return solved;
}

TEST(Ssor, IsSymmetricAndPositiveDefinite) {
  CpuBackend backend;
  for (const Index n : {1, 31, 32, 33, 97, 2049, 10007}) {
    Case of(backend, n);
    const auto M = of.preconditioner(backend);
    const std::vector<Real> u = random_values(n, seed + 1), v = random_values(n, seed + 2);
    const std::vector<Real> Mu = applied(M, u), Mv = applied(M, v);
    // Each of the sums of a row rounds as often as it has terms, and what it starts from has the rounding of the
    // colors before; the dot of n terms rounds n times.
    const Real bound = epsilon * (2 * of.given.longest * of.given.longest + n) * std::sqrt(inner(u, u) * inner(Mv, Mv));
    EXPECT_NEAR(inner(Mu, v), inner(u, Mv), bound) << n << " rows, seed " << seed;
    EXPECT_GT(inner(Mu, u), 0) << n << " rows, seed " << seed;
    EXPECT_GT(inner(Mv, v), 0) << n << " rows, seed " << seed;
  }
}

TEST(Ssor, IsTheProductOfItsDefinition) {
  // (D + L) D⁻¹ (D + U) z = r, with the halves by the colors of rows; L and U are rounded to single precision.
  CpuBackend backend;
  for (const Index n : {1, 33, 97, 2049}) {
    Case of(backend, n);
    const std::vector<Real> r = random_values(n, seed + 4), z = applied(of.preconditioner(backend), r);
    std::vector<Real> scaled(n), result(n);
    const auto multiply = [&](const std::vector<Real>& x, std::vector<Real>& y, bool is_lower) {
      for (Index i = 0; i < n; ++i) {
        y[i] = 0;
        for (Index e = of.given.row_begin[i]; e < of.given.row_begin[i + 1]; ++e) {
          const Index j = of.given.column[e];
          if (i == j || (of.color[j] < of.color[i]) == is_lower)
            y[i] += (i == j ? of.given.value[e] : static_cast<float>(of.given.value[e])) * x[j];
        }
      }
    };
    multiply(z, scaled, false);
    for (Index i = 0; i < n; ++i) scaled[i] *= of.A.inverse_diagonal[i];
    multiply(scaled, result, true);
    Real largest = 0;
    for (const Real value : r) largest = std::max(largest, std::fabs(value));
    for (Index i = 0; i < n; ++i) EXPECT_NEAR(result[i], r[i], 1e-13 * largest) << n << " rows, row " << i;
  }
}

TEST(Ssor, SolvesWhatADirectSolverSolves) {
  CpuBackend backend;
  for (const bool is_split : {false, true})
    for (const Index n : {1, 31, 32, 33, 97}) {
      Case of(backend, n, is_split);
      const Index rows = of.A.rows;
      const std::vector<Real> b = random_values(rows, seed + 3);
      const std::vector<Real> expected = direct_solution(dense(of.given.view()), b);
      const int of_jacobi = solve(backend, of, {}, b, 1e-14).report.iterations;
      for (const SsorKind kind : both_kinds) {
        const Solved solved = solve(backend, of, of.plan(kind), b, 1e-14);
        EXPECT_EQ(solved.report.status, CgStatus::converged) << words(kind, rows);
        if (rows > 2) {
          EXPECT_LT(solved.report.iterations, of_jacobi) << words(kind, rows);
        }
        // As for polynomials: |x − x*| <= κ(A) |b − A x| / |A|.
        for (Index i = 0; i < rows; ++i)
          EXPECT_NEAR(solved.x[i], expected[i], 1e-13) << words(kind, rows) << ", row " << i;
      }
    }
}

TEST(Ssor, ByEisenstatsTrickHasTheSameIterates) {
  CpuBackend backend;
  for (const Index n : {1, 33, 2049, 10007}) {
    Case of(backend, n);
    const std::vector<Real> b = random_values(n, seed + 5);
    for (const Real tolerance : {0.3, 1e-2, 1e-4, 1e-6}) {
      const Solved sweeps = solve(backend, of, of.plan(SsorKind::sweeps), b, tolerance),
                   eisenstat = solve(backend, of, of.plan(SsorKind::eisenstat), b, tolerance);
      EXPECT_EQ(sweeps.report.iterations, eisenstat.report.iterations) << n << " rows to " << tolerance;
      // The sweeps have L and U in single precision, 6e-8, which changes M alone.
      EXPECT_NEAR(sweeps.report.residual_norm, eisenstat.report.residual_norm, 1e-5 * sweeps.report.residual_norm);
      for (Index i = 0; i < n; ++i)
        EXPECT_NEAR(sweeps.x[i], eisenstat.x[i], 1e-6 * std::sqrt(inner(sweeps.x, sweeps.x) / n)) << "row " << i;
    }
  }
}

TEST(Ssor, FollowsAMatrixThatChangesAndIsNotSpoiltByAFailure) {
  CpuBackend backend;
  constexpr Index n = 97;
  for (const SsorKind kind : both_kinds) {
    Case of(backend, n);
    const std::vector<Real> b = random_values(n, seed + 3);
    std::vector<Real> r = b, x(n);
    CgState state{};
    SolverPlan plan;
    plan.preconditioner = of.plan(kind);
    const auto solver = test::solver_for(
        backend, plan, {}, of.A,
        {n, of.A.slots(), of.A.product.value(), of.A.inverse_diagonal.data(), r.data(), x.data(), &state});
    solver->solve(backend, {1e-13, 200}, nullptr);
    const std::vector<Real> first = x;
    // A matrix of NaN, after which the solver has nothing but NaN in its vectors.
    std::vector<Real> values(of.A.product.value(), of.A.product.value() + of.A.slots());
    std::fill_n(of.A.product.value(), of.A.slots(), std::numeric_limits<Real>::quiet_NaN());
    r = b;
    solver->solve(backend, {1e-13, 200}, nullptr);
    EXPECT_NE(state.report.status, CgStatus::converged);
    // Twice the matrix has half the solution.
    for (Index e = 0; e < of.A.slots(); ++e) of.A.product.value()[e] = 2 * values[e];
    r = b;
    solver->solve(backend, {1e-13, 200}, nullptr);
    EXPECT_EQ(state.report.status, CgStatus::converged);
    for (Index i = 0; i < n; ++i) EXPECT_EQ(x[i], first[i] / 2) << "row " << i;
  }
}

TEST(Ssor, IsTheSameForAnyNumberOfThreadsAndInMixedPrecision) {
  constexpr Index n = 20011;
  CpuBackend backend;
  Case of(backend, n);
  const std::vector<Real> b = random_values(n, seed + 3);
  const int threads = omp_get_max_threads();
  for (const SsorKind kind : both_kinds)
    for (const SolverPrecision precision : {SolverPrecision::double_precision, SolverPrecision::mixed}) {
      omp_set_num_threads(1);
      const Solved one = solve(backend, of, of.plan(kind), b, 1e-10, precision);
      omp_set_num_threads(3);
      const Solved three = solve(backend, of, of.plan(kind), b, 1e-10, precision);
      omp_set_num_threads(threads);
      EXPECT_EQ(one.report.status, CgStatus::converged);
      EXPECT_EQ(one.x, three.x) << words(kind, n);
      // A with values in single precision has another solution.
      const Solved in_double = solve(backend, of, of.plan(kind), b, 1e-10);
      const Real scale = std::sqrt(inner(in_double.x, in_double.x) / n);
      for (Index i = 0; i < n; ++i) EXPECT_NEAR(one.x[i], in_double.x[i], 1e-5 * scale) << words(kind, n);
    }
}

}  // namespace
}  // namespace cardiowarp
