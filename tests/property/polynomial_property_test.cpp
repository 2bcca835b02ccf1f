// Polynomial preconditioners are symmetric and positive, solve what a direct solver solves, know the spectrum that they
// are made for, and change how fast a heart is solved but not what comes out.

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/config/config_names.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr_format.hpp"
#include "meshes/generate.hpp"
#include "solver/linear_solver.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/polynomial_case.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/random_symmetric.hpp"
#include "tests/support/single_run.hpp"
#include "tests/support/solver_for.hpp"

namespace cardiowarp {
namespace {

using namespace polynomial_case;

TEST(PolynomialPreconditioner, IsSymmetricAndPositiveDefinite) {
  CpuBackend backend;
  const CgState converged{};
  for (const Index n : {1, 31, 32, 33, 97, 2049, 10007}) {
    const RandomSymmetric given(n, 13, seed);
    Matrix A(backend, given.view());
    for (const PolynomialOptions& options : all_polynomials()) {
      Polynomial M = polynomial_of(backend, A, options);
      M.follow_matrix(&converged);
      const std::vector<Real> u = random_values(n, seed + 1), v = random_values(n, seed + 2);
      const std::vector<Real> Mu = applied(M, u), Mv = applied(M, v);
      // The residual polynomials are at most 1, so each of m + 1 passes rounds once an entry of a row, of numbers no
      // larger than z; the dot of n terms rounds n times.
      const Real bound =
          epsilon * ((2 * (options.degree + 1) * given.longest + n) * std::sqrt(inner(u, u) * inner(Mv, Mv)));
      EXPECT_NEAR(inner(Mu, v), inner(u, Mv), bound) << words(options, n) << ", seed " << seed;
      EXPECT_GT(inner(Mu, u), 0) << words(options, n) << ", seed " << seed;
      EXPECT_GT(inner(Mv, v), 0) << words(options, n) << ", seed " << seed;
    }
  }
}

TEST(PolynomialPreconditioner, IsThePolynomialOfTheScaledMatrix) {
  // Of an eigenvector v of D⁻¹ A it makes P(λ) v from D v.
  CpuBackend backend;
  constexpr Index n = 5;
  // A = D^½ (I + c w wᵀ) D^½ with |w| = 1: eigenvalues 1 and 1 + c, of D^-½ w.
  const std::vector<Real> d{1, 4, 9, 16, 25}, w{0.5, -0.5, 0.5, 0.5, 0};
  constexpr Real c = -0.5;
  std::vector<Index> row_begin{0}, column;
  std::vector<Real> value, eigenvector(n), times_diagonal(n), diagonal(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      column.push_back(j);
      value.push_back(std::sqrt(d[i] * d[j]) * ((i == j ? 1 : 0) + c * w[i] * w[j]));
      if (i == j) diagonal[i] = value.back();
    }
    row_begin.push_back(static_cast<Index>(column.size()));
  }
  Matrix A(backend, {n, row_begin.data(), column.data(), value.data()});
  // All of D^-½ w have the same diagonal entry of I + c w wᵀ, 1 + c / 4: the eigenvalue is (1 + c) / (1 + c / 4).
  const Real lambda = (1 + c) / (1 + c / 4);
  for (Index i = 0; i < n; ++i) {
    eigenvector[i] = w[i] / std::sqrt(d[i]);
    times_diagonal[i] = diagonal[i] * eigenvector[i];
  }
  const SpectrumBounds bounds{0.3, 1.4};
  for (const PolynomialOptions& options : all_polynomials()) {
    Polynomial M = polynomial_of(backend, A, options);
    M.take_bounds(bounds);
    const std::vector<Real> z = applied(M, times_diagonal);
    const Real P = (1 - residual_polynomial(polynomial_steps(options, bounds), options.degree, lambda)) / lambda;
    for (Index i = 0; i < n; ++i) EXPECT_NEAR(z[i], P * eigenvector[i], 1e-14) << words(options, n);
  }
}

TEST(PolynomialPreconditioner, SolvesWhatADirectSolverSolves) {
  CpuBackend backend;
  for (const Index n : {1, 31, 32, 33, 97}) {
    const RandomSymmetric given(n, 13, seed);
    Matrix A(backend, given.view());
    const std::vector<Real> b = random_values(n, seed + 3);
    const std::vector<Real> expected = direct_solution(dense(given.view()), b);
    const auto solve = [&](const SolverPlan& plan, CgReport& report) {
      std::vector<Real> r = b, x(n);
      CgState state{};
      const auto solver =
          test::solver_for(backend, plan, {}, A,
                           {n, A.slots(), A.product.value(), A.inverse_diagonal.data(), r.data(), x.data(), &state});
      EXPECT_EQ(solver->path(), SolverPath::plain);
      solver->solve(backend, {1e-14, 200}, nullptr);
      report = state.report;
      return x;
    };
    CgReport jacobi;
    solve({}, jacobi);
    for (const PolynomialOptions& options : all_polynomials()) {
      SolverPlan plan;
      plan.preconditioner = options;
      CgReport report;
      const std::vector<Real> x = solve(plan, report);
      EXPECT_EQ(report.status, CgStatus::converged) << words(options, n);
      if (n > 1) {
        EXPECT_LT(report.iterations, jacobi.iterations) << words(options, n);
      }
      // |x − x*| <= κ(A) |b − A x| / |A|; the eigenvalues of D⁻¹ A are in [0.2, 1.8].
      for (Index i = 0; i < n; ++i) EXPECT_NEAR(x[i], expected[i], 1e-13) << words(options, n) << ", row " << i;
      EXPECT_TRUE(solve(plan, report) == x) << words(options, n);  // bit for bit
    }
  }
}

TEST(PolynomialPreconditioner, HasTheBoundsOfADenseSolver) {
  CpuBackend backend;
  const CgState converged{};
  for (const Index n : {1, 2, 5, 31, 32, 33, 97}) {
    const RandomSymmetric given(n, 13, seed);
    Matrix A(backend, given.view());
    Polynomial M = polynomial_of(backend, A, {});
    M.follow_matrix(&converged);
    const std::vector<Real> spectrum = eigenvalues(scaled_by_diagonal(dense(given.view())));
    const SpectrumBounds bounds = M.bounds();
    EXPECT_GE(bounds.lower, spectrum.front() - 1e-12) << n;
    EXPECT_LE(bounds.lower, 1.15 * spectrum.front()) << n;
    EXPECT_GE(bounds.upper, spectrum.back() - 1e-12) << n;
    EXPECT_LE(bounds.upper, 1.35 * spectrum.back()) << n;
    if (n <= 5) {  // all eigenvalues are found
      EXPECT_NEAR(bounds.lower, spectrum.front(), 1e-12) << n;
      EXPECT_NEAR(bounds.upper, spectrum.back(), 1e-6) << n;
    }
  }
}

TEST(PolynomialPreconditioner, HasBoundsThatAreNeverAboveThoseOfGershgorin) {
  // All entries of a row have one sign: the bound of Gershgorin is the largest eigenvalue, 2 exactly.
  CpuBackend backend;
  constexpr Index n = 64;
  std::vector<Index> row_begin{0}, column;
  std::vector<Real> value;
  for (Index i = 0; i < n; ++i) {
    for (const Index j : {(i + n - 1) % n, i, (i + 1) % n}) column.push_back(j), value.push_back(j == i ? 2.5 : 1);
    row_begin.push_back(static_cast<Index>(column.size()));
  }
  Matrix A(backend, {n, row_begin.data(), column.data(), value.data()});
  Polynomial M = polynomial_of(backend, A, {});
  const CgState converged{};
  M.follow_matrix(&converged);
  EXPECT_NEAR(M.bounds().upper, 1.8, 1e-15);
}

TEST(PolynomialPreconditioner, ComputesItsBoundsAgainWhereTheDiagonalChangesOrASolveFails) {
  CpuBackend backend;
  const RandomSymmetric given(97, 13, seed);
  Matrix A(backend, given.view());
  Polynomial M = polynomial_of(backend, A, {});
  CgState state{};
  const auto renewals_after = [&](Index row, Real factor, CgStatus status) {
    A.inverse_diagonal[row] *= factor;
    state.report.status = status;
    M.follow_matrix(&state);
    return M.renewals();
  };
  EXPECT_EQ(renewals_after(0, 1, CgStatus::converged), 1);
  EXPECT_EQ(renewals_after(0, 1, CgStatus::converged), 1);
  EXPECT_EQ(renewals_after(13, 1.05, CgStatus::converged), 1);
  EXPECT_EQ(renewals_after(13, 1.05, CgStatus::converged), 1);  // by 9.3 per cent since
  EXPECT_EQ(renewals_after(13, 1.05, CgStatus::converged), 2);
  EXPECT_EQ(renewals_after(96, 0.95, CgStatus::converged), 2);
  EXPECT_EQ(renewals_after(96, 0.9, CgStatus::converged), 3);
  EXPECT_EQ(renewals_after(0, 1, CgStatus::iteration_limit), 4);
  EXPECT_EQ(renewals_after(0, 1, CgStatus::converged), 4);
  EXPECT_EQ(renewals_after(5, std::nan(""), CgStatus::converged), 5);
  EXPECT_EQ(renewals_after(5, 1, CgStatus::converged), 6);  // until it is a number again
}

TEST(PolynomialPreconditioner, IsReportedWhereWrongBoundsMakeItIndefinite) {
  // Diagonal after scaling but for blocks of two: eigenvalues 1 ± 0.9. With b = 0.5 the largest, 1.9, is beyond a + b.
  CpuBackend backend;
  constexpr Index n = 64;
  std::vector<Index> row_begin{0}, column;
  std::vector<Real> value;
  for (Index i = 0; i < n; ++i) {
    column.insert(column.end(), {i, i ^ 1});
    value.insert(value.end(), {1, 0.9});
    row_begin.push_back(static_cast<Index>(column.size()));
  }
  Matrix A(backend, {n, row_begin.data(), column.data(), value.data()});
  const auto status_with = [&](const PolynomialOptions& options, const SpectrumBounds& bounds, std::vector<Real> b) {
    Polynomial M = polynomial_of(backend, A, options);
    M.take_bounds(bounds);
    std::vector<Real> x(n);
    return conjugate_gradient(backend, Product{&A, A.product.value()}, M.preconditioner(), {n, b.data(), x.data()},
                              {1e-10, 200});
  };
  const std::vector<Real> of_the_largest(n, 1);  // rows i and i ^ 1 alike
  for (const PolynomialOptions& options : all_polynomials()) {
    EXPECT_EQ(status_with(options, {0.1, 1.9}, of_the_largest).status, CgStatus::converged) << words(options, n);
    const CgReport wrong = status_with(options, {0.1, 0.5}, of_the_largest);
    EXPECT_EQ(wrong.status,
              options.degree % 2 == 1 ? CgStatus::preconditioner_not_positive_definite : CgStatus::converged)
        << words(options, n);
    if (options.degree % 2 == 1) {
      EXPECT_EQ(wrong.iterations, 0) << words(options, n);
      EXPECT_FALSE(wrong.has_solution());
    }
  }
  // Where the right-hand side has little of it, it is found after some iterations or not needed at all.
  const CgReport later = status_with({PolynomialKind::chebyshev, 3}, {0.1, 0.5}, random_values(n, seed + 4));
  EXPECT_TRUE(later.status == CgStatus::converged || later.status == CgStatus::preconditioner_not_positive_definite);
}

TEST(PolynomialPreconditioner, PassesOnAMatrixThatIsNotFiniteAndRecovers) {
  CpuBackend backend;
  const RandomSymmetric given(97, 13, seed);
  Matrix A(backend, given.view());
  std::vector<Real> r(97), x(97);
  CgState state{};
  SolverPlan plan;
  plan.preconditioner = PolynomialOptions{};
  const auto solver = test::solver_for(
      backend, plan, {}, A, {97, A.slots(), A.product.value(), A.inverse_diagonal.data(), r.data(), x.data(), &state});
  const auto solve = [&] {
    const std::vector<Real> b = random_values(97, seed + 5);
    std::copy(b.begin(), b.end(), r.begin());
    solver->solve(backend, {1e-12, 100}, nullptr);
    return state.report;
  };
  const CgReport first = solve();
  EXPECT_EQ(first.status, CgStatus::converged);
  std::vector<Real> bad = given.value;
  bad[17] = std::nan("");
  A.set({97, given.row_begin.data(), given.column.data(), bad.data()});
  EXPECT_EQ(solve().status, CgStatus::not_finite);
  A.set(given.view());
  EXPECT_EQ(solve().status, CgStatus::converged);
  EXPECT_EQ(state.report.iterations, first.iterations);
}

TEST(PolynomialPreconditioner, ReportsAMatrixThatIsNotPositiveDefinite) {
  CpuBackend backend;
  const std::vector<Index> row_begin{0, 2, 4}, column{0, 1, 0, 1};
  const std::vector<Real> value{1, 2, 2, 1};  // eigenvalues 3 and −1
  Matrix A(backend, {2, row_begin.data(), column.data(), value.data()});
  for (const PolynomialOptions& options : all_polynomials()) {
    std::vector<Real> r{1, -0.5}, x(2);
    CgState state{};
    SolverPlan plan;
    plan.preconditioner = options;
    test::solver_for(backend, plan, {}, A,
                     {2, A.slots(), A.product.value(), A.inverse_diagonal.data(), r.data(), x.data(), &state})
        ->solve(backend, {1e-12, 100}, nullptr);
    EXPECT_TRUE(state.report.status == CgStatus::not_positive_definite ||
                state.report.status == CgStatus::preconditioner_not_positive_definite)
        << words(options, 2);
  }
}

TEST(PolynomialPreconditioner, NeedsAsManyIterationsAsItsKindAndDegreeTell) {
  // A cable: eigenvalues from 0.1 / 2.1 to 4.1 / 2.1 when scaled, a condition number of 41.
  CpuBackend backend;
  constexpr Index n = 4001;
  std::vector<Index> row_begin{0}, column;
  std::vector<Real> value;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j)
      column.push_back(j), value.push_back(i == j ? 2.1 : -1);
    row_begin.push_back(static_cast<Index>(column.size()));
  }
  Matrix A(backend, {n, row_begin.data(), column.data(), value.data()});
  const int jacobi = iterations_of(backend, A, {});
  using enum PolynomialKind;
  for (const PolynomialOptions& options : all_polynomials()) {
    const int iterations = iterations_of(backend, A, options);
    // A polynomial of degree m has m + 1 products an iteration, and saves none of them.
    EXPECT_GE((options.degree + 1) * iterations, jacobi) << words(options, n);
    if (options.kind != neumann) {
      EXPECT_LE((options.degree + 1) * (iterations - 1), 1.2 * jacobi) << words(options, n);
    }
  }
  // Neumann's of an even degree, whose R is near -1 at the upper end, is no better than the one below it.
  for (const int even : {2, 4, 6, 8})
    EXPECT_GT(iterations_of(backend, A, PolynomialOptions{neumann, even}),
              iterations_of(backend, A, PolynomialOptions{neumann, even - 1}));
}

struct Wave {
  std::vector<Real> potential_mv;
  int linear_iterations = 0;
  bool operator==(const Wave&) const = default;
};

/// 20 steps of 0.2 ms of a wave from the lower end.
Wave run_wave(const Mesh& mesh, const std::optional<PolynomialOptions>& options, const MatrixOptions& matrix,
              SolverPath path = SolverPath::automatic) {
  Problem problem = resting_problem(mesh, 1, 0);
  problem.newton = {1e-10, 30};
  problem.linear_solver = {1e-11, 1000};
  if (options) {
    problem.preconditioner = PreconditionerChoice::polynomial;
    problem.polynomial = *options;
  }
  problem.matrix = matrix;
  problem.path = path;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].z < -35) problem.phi[i] = 1;
  const auto simulation = make_cpu_simulation(problem);
  Wave wave{std::vector<Real>(mesh.nodes.size())};
  for (int step = 1; step <= 20; ++step) {
    const StepReport report = simulation->step_to(step * 0.2);
    EXPECT_FALSE(report.failure);
    wave.linear_iterations += report.linear_iterations;
  }
  simulation->potential_mv(wave.potential_mv);
  return wave;
}

TEST(PolynomialPreconditioner, SolvesAHeartInFewerIterationsToTheSamePotentialsOnEachPathThatHasIt) {
  Mesh mesh = biventricle_mesh(4);
  check_mesh(mesh);
  MatrixOptions k1r{.format = MatrixFormat::ell_warp}, k2rs = k1r;
  k1r.ell_warp.renumbering = EllWarpRenumbering::rows;
  k2rs.ell_warp.variant = EllWarpVariant::k2;
  k2rs.ell_warp.renumbering = EllWarpRenumbering::rows_and_columns_sorted;
  const Wave jacobi = run_wave(mesh, {}, {});
  EXPECT_GT(*std::max_element(jacobi.potential_mv.begin(), jacobi.potential_mv.end()), 0);
  EXPECT_LT(*std::min_element(jacobi.potential_mv.begin(), jacobi.potential_mv.end()), -60);  // a wave, no plateau
  const auto expect_same = [&](const Wave& other, const std::string& what) {
    EXPECT_LT(other.linear_iterations, 0.6 * jacobi.linear_iterations) << what;
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
      ASSERT_NEAR(other.potential_mv[i], jacobi.potential_mv[i], 1e-6) << "node " << i << ", " << what;
  };
  for (const auto& [name, kind] : polynomial_kinds)
    expect_same(run_wave(mesh, PolynomialOptions{kind, 3}, {}), std::string(name));
  for (const MatrixOptions& matrix : {k1r, k2rs})
    expect_same(run_wave(mesh, PolynomialOptions{}, matrix), format_name(matrix));
  expect_same(run_wave(mesh, PolynomialOptions{}, {}, SolverPath::in_parts), "in_parts");
  const PolynomialOptions single{.precision = PolynomialPrecision::single};
  expect_same(run_wave(mesh, single, {}), "single");
  for (const MatrixOptions& matrix : {k1r, k2rs}) expect_same(run_wave(mesh, single, matrix), format_name(matrix));
  expect_same(run_wave(mesh, single, {}, SolverPath::in_parts), "single, in_parts");
}

TEST(PolynomialPreconditioner, IsTheSameBitForBitInTwoRunsAndForAnyNumberOfThreads) {
  const Mesh mesh = random_mesh({9, 6.5, 5}, 0.5, 4);
  ASSERT_GT(mesh.nodes.size(), 2048u);  // more than one block of a sum
  const int threads_before = omp_get_max_threads();
  for (const auto& [name, kind] : polynomial_kinds) {
    omp_set_num_threads(1);
    const Wave one = run_wave(mesh, PolynomialOptions{kind, 4}, {});
    for (const int threads : {1, 2, 3, 4}) {
      omp_set_num_threads(threads);
      EXPECT_TRUE(run_wave(mesh, PolynomialOptions{kind, 4}, {}) == one) << name << ", " << threads << " threads";
    }
  }
  const PolynomialOptions single{.precision = PolynomialPrecision::single};
  const Wave first = run_wave(mesh, single, {});
  omp_set_num_threads(3);
  EXPECT_TRUE(run_wave(mesh, single, {}) == first);
  omp_set_num_threads(threads_before);
}

TEST(PolynomialPreconditioner, IsRefusedByPathsThatLackItAndWithADegreeThatItDoesNotHave) {
  const Mesh mesh = slab_mesh({2, 2, 2}, 1, true);
  const auto problem_with = [&](SolverPath path, int degree) {
    Problem problem = resting_problem(mesh, 1, 0);
    problem.preconditioner = PreconditionerChoice::polynomial;
    problem.polynomial.degree = degree;
    problem.path = path;
    return problem;
  };
  const auto refusal = [&](const Device& device, SolverPath path, int degree) {
    return test::input_error_of([&] { plan_simulation(problem_with(path, degree), device); });
  };
  for (const int degree : {0, 9, 99, -1})
    EXPECT_EQ(
        refusal(cpu_device(), SolverPath::automatic, degree),
        "linear_solver.preconditioner.degree: expected a whole number in [1, 8], got '" + std::to_string(degree) + "'");
  EXPECT_EQ(
      refusal(nvidia_h200(), SolverPath::on_chip, 4),
      "linear_solver.path: on_chip needs linear_solver.preconditioner: jacobi, the only one that it has (auto takes "
      "the fastest path that is possible)");
  for (const SolverPath path : {SolverPath::plain, SolverPath::in_parts, SolverPath::persistent}) {
    const Problem problem = problem_with(path, 4);
    EXPECT_EQ(plan_simulation(problem, nvidia_h200()).solver.path, path);
  }
}

}  // namespace
}  // namespace cardiowarp
