#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/sizing_backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/newton.hpp"
#include "solver/preconditioners/block_jacobi.hpp"
#include "solver/rounded_values.hpp"

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
    std::vector<Real> inverse_diagonal(n);
    for (Index i = 0; i < n; ++i) inverse_diagonal[i] = 1 / diagonal[i];
    x.assign(n, 123.0);
    r = std::move(b);
    CpuBackend backend;
    report = conjugate_gradient(backend, n, RowMatrix<Row>{A, n}, JacobiPreconditioner{inverse_diagonal.data()},
                                r.data(), x.data(), config);
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
    return conjugate_gradient(backend, n, CsrProduct<>{view()}, M->preconditioner(), b.data(), x.data(), config);
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

/// A linear system of a Newton iteration, solved, and max |Δ|.
struct Correction {
  CgReport linear;
  Real max_update = 0;
};

/// A system whose correct(forcing) makes a Correction, as newton() wants it, and the updates it made.
template <class System>
struct Stepped : System {
  explicit Stepped(const System& system) : System(system) {}
  NewtonReport newton(const NewtonConfig& config) {
    state.begin(config);
    cardiowarp::newton(backend, repetition, &state, *this);
    return state.report;
  }
  void correct() {
    const Correction correction = System::correct(state.forcing);
    updates.push_back(correction.max_update);
    state.end_iteration(correction.linear, correction.max_update);
  }
  CpuBackend backend;
  CpuBackend::Repetition repetition;
  NewtonState state;
  std::vector<Real> updates;
};

/// x² = 2 by Newton, linear solve exact.
struct SquareRoot {
  Real x, slope = 0, residual = 0;
  CgStatus linear_status = CgStatus::converged;
  void linearize() {
    residual = x * x - 2;
    slope = 2 * x;
  }
  Correction correct(const Forcing&) {
    const Real update = -residual / slope;
    x += update;
    return {{linear_status, 1, std::fabs(residual), 0}, std::fabs(update)};
  }
};

TEST(Newton, FindsTheSquareRootAndSquaresItsErrors) {
  Stepped system(SquareRoot{3});
  const NewtonReport report = system.newton({1e-12, 20});
  ASSERT_TRUE(report.converged());
  EXPECT_DOUBLE_EQ(system.x, std::sqrt(2.0));
  EXPECT_EQ(report.linear_iterations, report.iterations);
  EXPECT_EQ(report.max_update, system.updates.back());
  ASSERT_EQ(system.updates.size(), static_cast<std::size_t>(report.iterations));
  for (std::size_t k = 2; k + 1 < system.updates.size(); ++k)
    EXPECT_LT(system.updates[k], std::pow(system.updates[k - 1], 2));
}

TEST(Newton, ReportsTheIterationLimit) {
  Stepped system(SquareRoot{1e6});
  const NewtonReport report = system.newton({1e-12, 3});
  EXPECT_EQ(report.status, NewtonStatus::iteration_limit);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(system.newton({1e-12, 0}).iterations, 0);
}

TEST(Newton, StopsWhenTheLinearSolverFails) {
  Stepped system(SquareRoot{3});
  system.linear_status = CgStatus::not_positive_definite;
  EXPECT_EQ(system.newton({1e-12, 20}).status, NewtonStatus::linear_solver_failed);
  system.linear_status = CgStatus::not_finite;
  EXPECT_EQ(system.newton({1e-12, 20}).status, NewtonStatus::not_finite);
}

TEST(Newton, StopsAtOnceWhenTheIterateIsNotFinite) {
  Stepped system(SquareRoot{0});  // slope 0
  const NewtonReport report = system.newton({1e-12, 20});
  EXPECT_EQ(report.status, NewtonStatus::not_finite);
  EXPECT_EQ(report.iterations, 1);
}

TEST(Forcing, FollowsTheSquareOfTheResidualsBetweenItsBounds) {
  EXPECT_EQ(Forcing{}(3), 0);           // none
  EXPECT_EQ((Forcing{1e-2}(3)), 1e-2);  // the first iteration
  EXPECT_DOUBLE_EQ((Forcing{1e-2, 1000}(3)), 0.9 * 9e-6);
  EXPECT_EQ((Forcing{1e-2, 4}(3)), 1e-2);                 // slow convergence: not looser than the first
  EXPECT_DOUBLE_EQ((Forcing{1e-2, 1e6, 6e-4}(3)), 2e-4);  // |r| = 6e-4 is enough
  EXPECT_EQ((Forcing{1e-2, 1e6, 6}(3)), 1e-2);
}

TEST(Forcing, LetsConjugateGradientsStopAtTheLargerTolerance) {
  const Index n = 97;
  const auto A = laplacian(n, 0.1);
  std::vector<Real> r, x(n), inverse(n, 1 / 2.1);
  CpuBackend backend;
  const auto solve = [&](const CgConfig& config, const Forcing& forcing) {
    r.assign(n, 1);
    return conjugate_gradient(backend, n, RowMatrix<decltype(A)>{A, n}, JacobiPreconditioner{inverse.data()}, r.data(),
                              x.data(), config, &forcing);
  };
  const CgReport tight = solve({1e-10, 1000}, {}), loose = solve({1e-10, 1000}, {1e-3});
  EXPECT_LE(loose.residual_norm, 1e-3 * loose.rhs_norm);
  EXPECT_GT(loose.residual_norm, 1e-5 * loose.rhs_norm);
  EXPECT_LT(loose.iterations, tight.iterations);
  EXPECT_EQ(solve({1e-2, 1000}, {1e-3}).iterations, solve({1e-2, 1000}, {}).iterations);
}

/// A u + exp(u) / 10 = 0 with A as conditioned as the matrix of a time step; each system by conjugate gradients.
struct Exponential {
  explicit Exponential(Index points) : n(points), u(points, 3) {
    for (std::vector<Real>* vector : {&residual, &update, &inverse_diagonal}) vector->resize(points);
  }
  Real reaction(Index i) const { return std::exp(u[i]) / 10; }
  void linearize() {
    for (Index i = 0; i < n; ++i) {
      residual[i] = -laplacian(n, 0.5)(i, u.data()) - reaction(i);
      inverse_diagonal[i] = 1 / (2.5 + reaction(i));
    }
  }
  Correction correct(const Forcing& forcing) {
    const auto tangent = [this](Index i, const Real* x) { return laplacian(n, 0.5)(i, x) + reaction(i) * x[i]; };
    CpuBackend backend;
    const CgReport report = conjugate_gradient(backend, n, RowMatrix<decltype(tangent)>{tangent, n},
                                               JacobiPreconditioner{inverse_diagonal.data()}, residual.data(),
                                               update.data(), {1e-13, 10000}, &forcing);
    Real largest = 0;
    for (Index i = 0; i < n; ++i) {
      u[i] += update[i];
      largest = std::max(largest, std::fabs(update[i]));
    }
    return {report, largest};
  }
  Index n;
  std::vector<Real> u, residual, update, inverse_diagonal;
};

TEST(Newton, WithForcingEndsWithinItsToleranceInFewerLinearIterations) {
  Stepped exact(Exponential(97));
  ASSERT_TRUE(exact.newton({1e-13, 50, ForcingChoice::fixed}).converged());
  for (const Real tolerance : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
    Stepped inexact(Exponential(97)), tight(Exponential(97));
    const NewtonReport forced = inexact.newton({tolerance, 50, ForcingChoice::eisenstat_walker});
    const NewtonReport other = tight.newton({tolerance, 50, ForcingChoice::fixed});
    ASSERT_TRUE(forced.converged()) << tolerance;
    Real error = 0;
    for (Index i = 0; i < 97; ++i) error = std::max(error, std::fabs(inexact.u[i] - exact.u[i]));
    EXPECT_LE(error, 0.1 * tolerance) << tolerance;
    EXPECT_LT(forced.linear_iterations, other.linear_iterations) << tolerance;
  }
}

/// Two iterations, and what each was asked for.
struct Recording {
  std::vector<Forcing> asked;
  void linearize() {}
  Correction correct(const Forcing& forcing) {
    asked.push_back(forcing);
    const bool first = asked.size() == 1;
    return {{.iterations = 1, .rhs_norm = first ? 40.0 : 2.0}, first ? 0.5 : 0};
  }
};

TEST(Newton, AsksForTheNormBeforeAndForWhatTheToleranceCanShow) {
  Stepped system(Recording{});
  ASSERT_TRUE(system.newton({1e-6, 50}).converged());
  ASSERT_EQ(system.asked.size(), 2u);
  EXPECT_EQ(system.asked[0].previous_norm, 0);
  EXPECT_GT(system.asked[0].largest, 0);
  EXPECT_EQ(system.asked[1].previous_norm, 40);
  EXPECT_DOUBLE_EQ(system.asked[1].enough, 1e-3 * 1e-6 * 40 / 0.5);
}

/// Δ is halved in each iteration, whatever η: a system whose convergence is not quadratic.
struct Halving {
  Real update_value = 1;
  void linearize() {}
  Correction correct(const Forcing&) {
    const Real norm = update_value;
    return {{.iterations = 1, .rhs_norm = norm}, update_value /= 2};
  }
};

TEST(Newton, DoesNotEndByAPredictionThatTheUpdatesDoNotBearOut) {
  Stepped system(Halving{});
  EXPECT_TRUE(system.newton({1e-6, 50}).converged());
  EXPECT_LE(system.update_value, 1e-6);
}

/// A system that converges from a weight of 0 alone, and what was done to it.
struct BadExtrapolation {
  std::vector<Real> weights;
  void start(Real weight) { weights.push_back(weight); }
  NewtonReport newton() const {
    const bool is_good = weights.back() == 0;
    return {.status = is_good ? NewtonStatus::converged : NewtonStatus::not_finite,
            .linear = {},
            .iterations = is_good ? 2 : 1,
            .linear_iterations = 7};
  }
};

TEST(NewtonFrom, StartsAgainFromTheStateBeforeTheStepWhereTheExtrapolatedOneFailed) {
  BadExtrapolation system;
  const NewtonReport report = newton_from(system, 0.5);
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(system.weights, (std::vector<Real>{0.5, 0}));
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(report.linear_iterations, 14);
}

TEST(NewtonFrom, StartsOnceWhereThereWasNothingToExtrapolate) {
  BadExtrapolation system;
  EXPECT_EQ(newton_from(system, 0).iterations, 2);
  EXPECT_EQ(system.weights, (std::vector<Real>{0}));
}

/// Counts the values that loops round.
class CountingRounds : public SizingBackend {
 public:
  void for_each(Index n, const RoundValues& body) {
    EXPECT_GT(n, 0);
    EXPECT_EQ(body.value, first_ + rounded_);
    rounded_ += n;
  }
  using SizingBackend::for_each;
  std::int64_t rounded_ = 0;
  const Real* first_ = nullptr;
};

TEST(RoundedValuesTest, HasMoreValuesThanALoopCanCount) {
  for (const std::int64_t slots :
       {std::int64_t{1}, (std::int64_t{1} << 30) + 1, (std::int64_t{1} << 31) + 7, std::int64_t{100} * 42'949'673}) {
    CountingRounds backend;
    const Real value = 1;
    backend.first_ = &value;
    const RoundedValues<CountingRounds> rounded(backend, 1, slots, &value, nullptr);
    backend.rounded_ = 0;
    rounded.renew(backend);
    EXPECT_EQ(backend.rounded_, slots);
  }
}

}  // namespace
}  // namespace cardiowarp
