// Conjugate gradients on the chip, in one launch and in parts against those of the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/gpu_test.hpp"
#include "tests/support/large_gpu.cuh"
#include "tests/support/paths_on_both.cuh"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

using namespace test::paths;
using SolverPaths = GpuTest;

TEST_F(SolverPaths, AreAllThereForAMatrixThatFitsAndAllButOneForALargerOne) {
  if (!has_room_for_large_blocks()) GTEST_SKIP() << "solves on the chip and in one launch need an H100 or H200";
  using enum SolverPath;
  EXPECT_EQ(Both(mirrored(4225)).paths(), (std::vector<SolverPath>{plain, in_parts, persistent, on_chip}));
  EXPECT_EQ(Both(mirrored(67'585), 256).paths(), (std::vector<SolverPath>{plain, in_parts, persistent}));
}

TEST_F(SolverPaths, KeepAMatrixOnTheChipInMixedPrecisionThatIsTooLargeForItInDouble) {
  if (!has_room_for_large_blocks()) GTEST_SKIP() << "solves on the chip and in one launch need an H100 or H200";
  // Parts of 1024 rows with 59 entries: 60,416 entries, of which at least half have to be kept. 230,400 bytes, less
  // 8,192 of the rows, hold no more than 22,220 entries of 10 bytes; less those of the halo, too, 36,900 of 6.
  for (const SolverPrecision precision : with_double_vectors) {
    const auto name = name_of(precision);
    Both both(banded(4096, 59), 1024, {}, precision);
    const std::vector<SolverPath> paths = both.paths();
    const bool is_mixed = precision == SolverPrecision::mixed;
    ASSERT_EQ(std::count(paths.begin(), paths.end(), SolverPath::on_chip), is_mixed ? 1 : 0) << name;
    if (!is_mixed) continue;
    const std::vector<Real> b = random_values(both.rows(), seed + 9);
    const Solution on_chip = both.on_gpu(SolverPath::on_chip, b, {1e-10, 1000});
    EXPECT_EQ(on_chip.report.status, CgStatus::converged);
    EXPECT_LE(both.residual_norm(b, on_chip.x), 1.2e-10 * on_chip.report.rhs_norm);
  }
}

TEST_F(SolverPaths, HaveTheIteratesOfThePlainOne) {
  for_all(with_double_vectors, [](Both& both, SolverPath path) {
    const std::vector<Real> b = random_values(both.rows(), seed + 1);
    const Solution exact = both.plain(b, {1e-14, 1000});
    for (const int iterations : {0, 1, 2, 5, 9}) {
      SCOPED_TRACE(iterations);
      const Solution plain = both.plain(b, {1e-13, iterations}), on_gpu = both.on_gpu(path, b, {1e-13, iterations});
      EXPECT_EQ(on_gpu.report.status, plain.report.status);
      EXPECT_EQ(on_gpu.report.iterations, plain.report.iterations);
      EXPECT_NEAR(on_gpu.report.rhs_norm, plain.report.rhs_norm, 1e-13 * plain.report.rhs_norm);
      EXPECT_LE(largest_difference(on_gpu.x, plain.x), tight * largest(exact.x));
      if (iterations > 0) {
        EXPECT_GT(largest(plain.x), 0.01);
      }
    }
  });
}

/// In single precision what the paths add in different orders differs by as much as rounding leaves of |b − A x|.
TEST_F(SolverPaths, InSinglePrecisionLeaveTheTrueResidualAsSmallAsAskedOrAsItHolds) {
  for_all(in_single, [](Both& both, SolverPath path) {
    const std::vector<Real> b = random_values(both.rows(), seed + 2);
    for (const Real tolerance : {1e-2, 1e-4, 1e-6, 1e-12}) {
      SCOPED_TRACE(tolerance);
      const Real held = std::max(tolerance, smallest_target_in_single);
      const Solution on_gpu = both.on_gpu(path, b, {tolerance, 1000}), plain = both.plain(b, {held, 1000});
      EXPECT_EQ(on_gpu.report.status, CgStatus::converged);
      EXPECT_NEAR(on_gpu.report.rhs_norm, plain.report.rhs_norm, 1e-6 * plain.report.rhs_norm);
      EXPECT_LE(both.residual_norm(b, on_gpu.x), 1.2 * held * on_gpu.report.rhs_norm + 1e-6 * on_gpu.report.rhs_norm);
      EXPECT_NEAR(on_gpu.report.iterations, plain.report.iterations, path == SolverPath::on_chip ? 10 : 1);
      EXPECT_LE(largest_difference(on_gpu.x, plain.x), (4 * held + 2e-6) * largest(plain.x) * std::sqrt(both.rows()));
    }
    for (const int iterations : {0, 1, 2, 3}) {
      SCOPED_TRACE(iterations);
      const Solution plain = both.plain(b, {1e-5, iterations}), on_gpu = both.on_gpu(path, b, {1e-5, iterations});
      EXPECT_EQ(on_gpu.report.status, plain.report.status);
      EXPECT_EQ(on_gpu.report.iterations, plain.report.iterations);
      EXPECT_LE(largest_difference(on_gpu.x, plain.x), 1e-5 * std::max(largest(plain.x), 0.1));
    }
  });
}

TEST_F(SolverPaths, InSinglePrecisionSolveForARightHandSideOfAnySize) {
  Both both(of_slab({12, 7, 3}, 0.4), 0, {}, SolverPrecision::single);
  const std::vector<Real> b = random_values(both.rows(), seed + 3);
  for (const SolverPath path : both.paths()) {
    const Solution first = both.on_gpu(path, b, {1e-6, 1000});
    for (const Real scale : {0x1p-900, 0x1p-200, 0x1p200, 0x1p900}) {
      std::vector<Real> scaled = b;
      for (Real& number : scaled) number *= scale;
      const Solution solution = both.on_gpu(path, scaled, {1e-6, 1000});
      EXPECT_EQ(solution.report.iterations, first.report.iterations);
      EXPECT_EQ(solution.report.residual_norm, scale * first.report.residual_norm);
      for (Index row = 0; row < both.rows(); ++row) ASSERT_EQ(solution.x[row], scale * first.x[row]);
    }
  }
}

TEST_F(SolverPaths, SolveForARightHandSideWhoseSquaresVanishOrOverflow) {
  for (const SolverPrecision precision : {SolverPrecision::double_precision, SolverPrecision::mixed}) {
    Both both(of_slab({12, 7, 3}, 0.4), 0, {}, precision);
    const std::vector<Real> b = random_values(both.rows(), seed + 3);
    const auto expect_scaled = [&](const auto& solve) {
      const Solution first = solve(b);
      EXPECT_EQ(first.report.status, CgStatus::converged);
      for (int exponent = -990; exponent <= 990; exponent += 110) {
        SCOPED_TRACE("2^" + std::to_string(exponent));
        const Real scale = std::ldexp(1.0, exponent);
        std::vector<Real> scaled = b;
        for (Real& number : scaled) number *= scale;
        const Solution solution = solve(scaled);
        EXPECT_EQ(solution.report.status, CgStatus::converged);
        EXPECT_NEAR(solution.report.iterations, first.report.iterations, 1);
        EXPECT_NEAR(solution.report.rhs_norm, scale * first.report.rhs_norm, 1e-13 * scale * first.report.rhs_norm);
        for (Index row = 0; row < both.rows(); ++row)
          ASSERT_NEAR(solution.x[row] / scale, first.x[row], 1e-8 * largest(first.x));
      }
    };
    for (const SolverPath path : both.paths()) {
      expect_scaled([&](const std::vector<Real>& scaled) { return both.on_gpu(path, scaled, {1e-10, 1000}); });
      if (path == SolverPath::on_chip) continue;
      for (const PolynomialPrecision inside : {PolynomialPrecision::double_precision, PolynomialPrecision::single})
        expect_scaled([&](const std::vector<Real>& scaled) {
          return both.with_polynomial(path, {PolynomialKind::chebyshev, 3, inside}, scaled, {1e-10, 1000});
        });
    }
  }
}

TEST_F(SolverPaths, KeepPartsOf4096RowsOnTheChipInSinglePrecision) {
  if (!has_room_for_large_blocks()) GTEST_SKIP() << "solves on the chip and in one launch need an H100 or H200";
  for (const BenchMatrix& matrix : {mirrored(2049), mirrored(4095), mirrored(4096), banded(12'289, 5)}) {
    const Index rows = matrix.rows();
    Both both(matrix, 4096, {}, SolverPrecision::single);
    const std::vector<SolverPath> paths = both.paths();
    ASSERT_EQ(std::count(paths.begin(), paths.end(), SolverPath::on_chip), 1) << rows;
    const std::vector<Real> b = random_values(both.rows(), seed + 9);
    const Solution on_chip = both.on_gpu(SolverPath::on_chip, b, {1e-5, 1000});
    EXPECT_EQ(on_chip.report.status, CgStatus::converged);
    EXPECT_LE(both.residual_norm(b, on_chip.x), 1.2e-5 * on_chip.report.rhs_norm);
    for (int run = 0; run < 20; ++run) ASSERT_EQ(both.on_gpu(SolverPath::on_chip, b, {1e-5, 1000}).x, on_chip.x);
  }
}

TEST_F(SolverPaths, LeaveTheTrueResidualAsSmallAsAsked) {
  for_all(with_double_vectors, [](Both& both, SolverPath path) {
    for (const Real tolerance : {1e-3, 1e-10, 1e-13}) {
      SCOPED_TRACE(tolerance);
      const std::vector<Real> b = random_values(both.rows(), seed + 2);
      const Solution on_gpu = both.on_gpu(path, b, {tolerance, 1000}), plain = both.plain(b, {tolerance, 1000});
      EXPECT_EQ(on_gpu.report.status, CgStatus::converged);
      EXPECT_LE(both.residual_norm(b, on_gpu.x), 1.2 * tolerance * on_gpu.report.rhs_norm);
      EXPECT_NEAR(both.residual_norm(b, on_gpu.x), on_gpu.report.residual_norm, 1e-13 * on_gpu.report.rhs_norm);
      if (tolerance >= 1e-10) {
        EXPECT_NEAR(on_gpu.report.iterations, plain.report.iterations, 1);
      }
      EXPECT_LE(largest_difference(on_gpu.x, plain.x), 4 * tolerance * largest(plain.x) * std::sqrt(both.rows()));
    }
  });
}

void expect_polynomials_of_the_cpu(SolverPrecision precision,
                                   PolynomialPrecision inside = PolynomialPrecision::double_precision) {
  for (const Case& c : cases()) {
    if (c.matrix.rows() > 100'000) continue;
    Both both(c.matrix, c.window, {}, precision);
    const std::vector<Real> b = random_values(both.rows(), seed + 8);
    for (const auto& [name, kind] : polynomial_kinds)
      for (const int degree : {1, 4}) {
        const Solution cpu = both.with_polynomial_on_cpu({kind, degree, inside}, b, {1e-10, 1000});
        EXPECT_EQ(cpu.report.status, CgStatus::converged);
        for (const SolverPath path : both.paths()) {
          if (path == SolverPath::on_chip) continue;  // which has Jacobi alone
          SCOPED_TRACE(c.name + ", " + std::string(name) + " of degree " + std::to_string(degree) + ", " +
                       std::string(name_of(path)));
          const Solution gpu = both.with_polynomial(path, {kind, degree, inside}, b, {1e-10, 1000});
          EXPECT_EQ(gpu.report.status, CgStatus::converged);
          EXPECT_NEAR(gpu.report.iterations, cpu.report.iterations, 1);
          EXPECT_LE(both.residual_norm(b, gpu.x), 1.2e-10 * gpu.report.rhs_norm);
          EXPECT_LE(largest_difference(gpu.x, cpu.x), 4e-10 * largest(cpu.x) * std::sqrt(both.rows()));
          EXPECT_EQ(both.with_polynomial(path, {kind, degree, inside}, b, {1e-10, 1000}).x, gpu.x);
        }
      }
  }
}

TEST_F(SolverPaths, WithAPolynomialAreThoseOfTheCpuAndTheSameInEveryRun) {
  expect_polynomials_of_the_cpu(SolverPrecision::double_precision);
}

TEST_F(SolverPaths, WithAPolynomialInMixedPrecisionAreThoseOfTheCpuAndTheSameInEveryRun) {
  expect_polynomials_of_the_cpu(SolverPrecision::mixed);
}

TEST_F(SolverPaths, WithAPolynomialAppliedInSinglePrecisionAreThoseOfTheCpuAndTheSameInEveryRun) {
  for (const SolverPrecision precision : {SolverPrecision::double_precision, SolverPrecision::mixed})
    expect_polynomials_of_the_cpu(precision, PolynomialPrecision::single);
}

TEST_F(SolverPaths, WithAPolynomialFailForTheReasonsThatTheOthersHave) {
  for (const PolynomialPrecision inside : {PolynomialPrecision::double_precision, PolynomialPrecision::single}) {
    Both both(mirrored(5000));
    const PolynomialOptions options{PolynomialKind::chebyshev, 3, inside};
    for (const SolverPath path : both.paths()) {
      if (path == SolverPath::on_chip) continue;
      SCOPED_TRACE(name_of(path));
      const auto report = [&](const std::vector<Real>& b, const CgConfig& config) {
        return both.with_polynomial(path, options, b, config).report;
      };
      std::vector<Real> b = random_values(5000, seed + 5);
      EXPECT_EQ(report(b, {0, 3}).status, CgStatus::iteration_limit);
      b[1234] = std::numeric_limits<Real>::quiet_NaN();
      EXPECT_EQ(report(b, {1e-10, 1000}).status, CgStatus::not_finite);
      b[1234] = 1;
      EXPECT_EQ(report(std::vector<Real>(5000), {1e-10, 1000}).status, CgStatus::converged);
      both.scale_matrix(1e39);  // more than single precision has
      EXPECT_EQ(report(b, {1e-10, 1000}).has_solution(), inside != PolynomialPrecision::single);
      both.scale_matrix(1);
      EXPECT_EQ(report(b, {1e-10, 1000}).status, CgStatus::converged);
    }
  }
}

TEST_F(SolverPaths, StopAtTheForcingTerm) {
  for (const SolverPrecision precision : {SolverPrecision::double_precision, SolverPrecision::single}) {
    Both both(of_slab({12, 7, 3}, 0.4), 0, {}, precision);
    const std::vector<Real> b = random_values(both.rows(), seed + 3);
    const Forcing forcing{.largest = 1e-2, .previous_norm = 0, .enough = 0};
    const Solution plain = both.plain(b, {1e-12, 1000}, &forcing);
    for (const SolverPath path : both.paths()) {
      const Solution on_gpu = both.on_gpu(path, b, {1e-12, 1000}, &forcing);
      EXPECT_EQ(on_gpu.report.iterations, plain.report.iterations);
      EXPECT_LT(on_gpu.report.iterations, both.on_gpu(path, b, {1e-12, 1000}).report.iterations);
    }
  }
}

TEST_F(SolverPaths, GiveTheSameBitsInEveryRun) {
  for (const Index window : {0, 64})  // at most one part a group, and two or three
    for (const SolverPrecision precision :
         {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
      Both both(of_slab({20, 13, 7}, 0.28), window, {}, precision);
      const std::vector<Real> b = random_values(both.rows(), seed + 4);
      for (const SolverPath path : both.paths()) {
        const Solution first = both.on_gpu(path, b, {1e-10, 1000});
        for (int run = 0; run < 200; ++run) {
          const Solution again = both.on_gpu(path, b, {1e-10, 1000});
          ASSERT_EQ(again.x, first.x) << run << ", " << name_of(precision);
          ASSERT_EQ(again.report.residual_norm, first.report.residual_norm);
        }
      }
    }
}

TEST_F(SolverPaths, OfOneLaunchBecomesTwoAnIterationWhereADeviceHasNoRoomForIt) {
  Device larger = CudaBackend().device();
  larger.multiprocessors = 1;  // with all parts in one block, which has the shared memory for it
  larger.shared_bytes = 16 << 20;
  Both both(of_slab({20, 13, 7}, 0.28), 0, larger);
  const std::vector<SolverPath> paths = both.paths();
  EXPECT_EQ(std::count(paths.begin(), paths.end(), SolverPath::persistent), 0);
  EXPECT_EQ(std::count(paths.begin(), paths.end(), SolverPath::in_parts), 1);
  const std::vector<Real> b = random_values(both.rows(), seed + 7);
  const Solution solution = both.on_gpu(SolverPath::in_parts, b, {1e-10, 1000});
  EXPECT_EQ(solution.report.status, CgStatus::converged);
  EXPECT_GT(largest(solution.x), 0);
}

TEST_F(SolverPaths, HaveNothingToDoForZero) {
  Both both(mirrored(97));
  for (const SolverPath path : both.paths()) {
    EXPECT_GT(largest(both.on_gpu(path, random_values(97, seed + 6), {1e-10, 1000}).x), 0);
    const Solution solution = both.on_gpu(path, std::vector<Real>(97), {1e-10, 1000});
    EXPECT_EQ(solution.report.status, CgStatus::converged);
    EXPECT_EQ(solution.report.iterations, 0);
    EXPECT_EQ(largest(solution.x), 0);
  }
}

void expect_reasons_of_failures(SolverPrecision precision) {
  Both both(mirrored(5000), 0, {}, precision);
  for (const SolverPath path : both.paths()) {
    std::vector<Real> b = random_values(5000, seed + 5);
    EXPECT_EQ(both.on_gpu(path, b, {0, 3}).report.status, CgStatus::iteration_limit);
    b[1234] = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_EQ(both.on_gpu(path, b, {1e-10, 1000}).report.status, CgStatus::not_finite);
    b[1234] = 1;
    both.scale_matrix(-1);
    const Solution solution = both.on_gpu(path, b, {1e-10, 1000}), plain = both.plain(b, {1e-10, 1000});
    EXPECT_EQ(solution.report.status, CgStatus::not_positive_definite);
    EXPECT_EQ(plain.report.status, CgStatus::not_positive_definite);
    EXPECT_EQ(solution.report.iterations, 0);  // it looks before the step
    EXPECT_EQ(largest(solution.x), 0);
    EXPECT_EQ(plain.report.iterations, 0);
    EXPECT_EQ(largest(plain.x), 0);
    both.scale_matrix(std::numeric_limits<Real>::quiet_NaN());
    EXPECT_EQ(both.on_gpu(path, b, {1e-10, 1000}).report.status, CgStatus::not_finite);
    both.scale_matrix(1e39);  // more than single precision has
    EXPECT_EQ(both.on_gpu(path, b, {1e-10, 1000}).report.status,
              precision != SolverPrecision::double_precision ? CgStatus::not_finite : CgStatus::converged);
    both.scale_matrix(1);
    EXPECT_EQ(both.on_gpu(path, b, {1e-10, 1000}).report.status, CgStatus::converged);  // and it goes on
  }
}

TEST_F(SolverPaths, SayWhyTheyFailed) { expect_reasons_of_failures(SolverPrecision::double_precision); }

TEST_F(SolverPaths, SayWhyTheyFailedInMixedPrecision) { expect_reasons_of_failures(SolverPrecision::mixed); }

TEST_F(SolverPaths, SayWhyTheyFailedInSinglePrecision) { expect_reasons_of_failures(SolverPrecision::single); }

}  // namespace
}  // namespace cardiowarp
