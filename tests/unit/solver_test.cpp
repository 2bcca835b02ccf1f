#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/sizing_backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/rounded_values.hpp"
#include "tests/support/row_matrix.hpp"

namespace cardiowarp {
namespace {

using test::laplacian, test::RowMatrix;

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
    report = conjugate_gradient(backend, RowMatrix<Row>{A, n}, JacobiPreconditioner{inverse_diagonal.data()},
                                {n, r.data(), x.data()}, config);
  }
  std::vector<Real> x, r;
  CgReport report;
};

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

/// Counts the values that loops round.
class CountingRounds : public SizingBackend {
 public:
  void for_each(Index n, const RoundValues& body) {
    EXPECT_GT(n, 0);
    EXPECT_EQ(body.value, first + rounded);
    rounded += n;
  }
  using SizingBackend::for_each;
  std::int64_t rounded = 0;
  const Real* first = nullptr;
};

TEST(RoundedValuesTest, HasMoreValuesThanALoopCanCount) {
  for (const std::int64_t slots :
       {std::int64_t{1}, (std::int64_t{1} << 30) + 1, (std::int64_t{1} << 31) + 7, std::int64_t{100} * 42'949'673}) {
    CountingRounds backend;
    const Real value = 1;
    backend.first = &value;
    const RoundedValues<CountingRounds> rounded(backend, 1, slots, &value, nullptr);
    backend.rounded = 0;
    rounded.renew(backend);
    EXPECT_EQ(backend.rounded, slots);
  }
}

}  // namespace
}  // namespace cardiowarp
