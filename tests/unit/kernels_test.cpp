#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

const std::vector<Index> awkward_sizes{1, 3, 31, 32, 33, 97, 1023, 1024, 1025, 100'003};

TEST(CpuBackend, SumsEveryIndexOnceAtAwkwardSizes) {
  CpuBackend backend;
  for (const Index n : awkward_sizes) {
    Real result[2];
    backend.sum<2>(n, result, [](Index i) { return Terms<2>{{1.0, static_cast<Real>(i)}}; });
    EXPECT_EQ(result[0], n);
    EXPECT_EQ(result[1], static_cast<Real>(n) * (n - 1) / 2);
  }
}

TEST(CpuBackend, SumIsTheSameBitForBitForAnyNumberOfThreads) {
  CpuBackend backend;
  const int threads_before = omp_get_max_threads();
  for (const Index n : awkward_sizes) {
    const std::vector<Real> x = random_values(n, 7), y = random_values(n, 8);
    const auto dot = [&](int threads) {
      omp_set_num_threads(threads);
      Real result = 0;
      backend.sum<1>(n, &result, [&](Index i) { return Terms<1>{{x[i] * y[i]}}; });
      return result;
    };
    const Real one = dot(1);
    EXPECT_NE(one, 0);
    for (const int threads : {2, 3, 4, 7}) EXPECT_EQ(dot(threads), one) << n << " values, " << threads << " threads";
  }
  omp_set_num_threads(threads_before);
}

TEST(CpuBackend, SumOfNothingIsZero) {
  CpuBackend backend;
  Real result = 5;
  backend.sum<1>(0, &result, [](Index) { return Terms<1>{{1.0}}; });
  EXPECT_EQ(result, 0);
}

TEST(CpuBackend, WhatFollowsASumHappensOnceAndKnowsIt) {
  CpuBackend backend;
  for (const Index n : awkward_sizes) {
    Real result = 0, seen = -1;
    int times = 0;
    backend.sum<1>(
        n, &result, [](Index) { return Terms<1>{{1.0}}; }, [&] { ++times, seen = result; });
    EXPECT_EQ(times, 1);
    EXPECT_EQ(seen, n);
  }
}

/// 0 until it is ready, then `terms` of 1; idle while that is negative.
struct LateTerm {
  const Real* terms;
  struct Ready {
    Real value;
    Terms<1> operator()(Index) const { return {{value}}; }
  };
  Terms<1> operator()(Index) const { return {{0}}; }
  Ready ready() const { return {*terms}; }
  bool idle() const { return *terms < 0; }
};

TEST(CpuBackend, SumsABodyAsItIsWhenReady) {
  CpuBackend backend;
  for (const Index n : awkward_sizes) {
    const Real term = 3;
    Real result = 7;
    backend.sum<1>(n, &result, LateTerm{&term});
    EXPECT_EQ(result, 3 * n);
  }
}

TEST(CpuBackend, DoesNothingForABodyThatIsIdle) {
  CpuBackend backend;
  for (const Index n : awkward_sizes) {
    const Real term = -1;
    Real result = 7;
    int times = 0;
    backend.sum<1>(n, &result, LateTerm{&term}, [&] { ++times; });
    EXPECT_EQ(result, 7);
    EXPECT_EQ(times, 0);
  }
}

TEST(CpuBackend, RepeatsWhileANumberIsNotZero) {
  CpuBackend backend;
  CpuBackend::Repetition repetition;
  for (const int rounds : {0, 1, 1000}) {
    int left = rounds, done = 0;
    backend.repeat_while(repetition, &left, [&] { ++done, --left; });
    EXPECT_EQ(done, rounds);
    left = rounds, done = 0;
    backend.repeat_while(
        repetition, &left, [&] { left > 0 ? (++done, --left) : 0; }, 4);
    EXPECT_EQ(done, rounds);
  }
}

TEST(CpuBackend, MaximumFindsTheLargestWhereverItStands) {
  CpuBackend backend;
  for (const Index n : awkward_sizes)
    for (const Index place : {Index{0}, n / 2, n - 1}) {
      Real result = 0;
      backend.maximum(n, &result, [&](Index i) { return i == place ? 2.5 : 1.0; });
      EXPECT_EQ(result, 2.5);
    }
}

TEST(CpuBackend, WhatFollowsAMaximumHappensOnceAndKnowsIt) {
  CpuBackend backend;
  for (const Index n : awkward_sizes) {
    Real result = 0, seen = 0;
    int times = 0;
    backend.maximum(
        n, &result, [](Index i) { return i + 1.0; }, [&] { seen = result, ++times; });
    EXPECT_EQ(seen, n);
    EXPECT_EQ(times, 1);
  }
}

TEST(CpuBackend, MaximumIsNotANumberIfAnyValueIs) {
  CpuBackend backend;
  Real result = 0;
  backend.maximum(1000, &result, [](Index i) { return i == 567 ? std::nan("") : 1.0; });
  EXPECT_TRUE(std::isnan(result));
}

TEST(CpuBackend, AllocatedValuesAreZero) {
  CpuBackend backend;
  const Buffer<Real> buffer = backend.allocate<Real>(1025);
  for (Index i = 0; i < 1025; ++i) ASSERT_EQ(buffer.data()[i], 0);
}

TEST(Buffer, MovingHandsTheMemoryOver) {
  CpuBackend backend;
  Buffer<Real> first = backend.allocate<Real>(3);
  const Real* memory = first.data();
  Buffer<Real> second = std::move(first);
  EXPECT_EQ(second.data(), memory);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): what is left is what is asked
  second = backend.allocate<Real>(5);
  EXPECT_EQ(second.size(), 5u);
}

//     | 2 . 1 |   | 1 |   |  5 |
//     | . . . | × | 2 | = |  0 |
//     | 4 5 6 |   | 3 |   | 32 |
TEST(Csr, RowTimesVectorOfADrawnMatrixWithAnEmptyRow) {
  const std::vector<Index> row_begin{0, 2, 2, 5}, column{0, 2, 0, 1, 2};
  const std::vector<Real> value{2, 1, 4, 5, 6}, x{1, 2, 3};
  const CsrView A{3, row_begin.data(), column.data(), value.data()};
  EXPECT_EQ(row_times_vector(A, 0, x.data()), 5);
  EXPECT_EQ(row_times_vector(A, 1, x.data()), 0);
  EXPECT_EQ(row_times_vector(A, 2, x.data()), 32);
}

}  // namespace
}  // namespace cardiowarp
