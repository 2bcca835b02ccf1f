// The words of the CUDA backend against the CPU's, at awkward sizes. Bounds follow from the number of additions.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/csr.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
const std::vector<Index> awkward_sizes{1, 31, 32, 33, 97, 255, 256, 257, 262'143, 1'000'000};

using CudaParity = GpuTest;

/// Host values in backend memory.
template <class B, class T>
Buffer<T> on(B& backend, const std::vector<T>& host) {
  Buffer<T> buffer = backend.template allocate<T>(host.size());
  backend.upload(std::span<const T>(host), buffer.data());
  return buffer;
}

template <class B, class T>
std::vector<T> from(B& backend, const Buffer<T>& buffer) {
  std::vector<T> host(buffer.size());
  backend.download(static_cast<const T*>(buffer.data()), std::span<T>(host));
  return host;
}

struct ScaleInPlace {
  Real* x;
  CARDIOWARP_HD void operator()(Index i) const { x[i] = 3 * x[i] + i; }
};

/// x·y and Σ x², writing z = x y on the way.
struct ProductTerms {
  const Real *x, *y;
  Real* z;
  CARDIOWARP_HD Terms<2> operator()(Index i) const {
    z[i] = x[i] * y[i];
    return {{z[i], x[i] * x[i]}};
  }
};

struct ValueTerm {
  const Real* x;
  CARDIOWARP_HD Terms<1> operator()(Index i) const { return {{x[i]}}; }
};

struct Magnitude {
  const Real* x;
  CARDIOWARP_HD Real operator()(Index i) const { return fabs(x[i]); }
};

TEST_F(CudaParity, ForEachVisitsEveryIndexOnce) {
  CudaBackend gpu;
  for (const Index n : awkward_sizes) {
    const std::vector<Real> host = random_values(n, 1);
    const Buffer<Real> x = on(gpu, host);
    gpu.for_each(n, ScaleInPlace{x.data()});
    const std::vector<Real> result = from(gpu, x);
    for (Index i = 0; i < n; ++i) ASSERT_NEAR(result[i], 3 * host[i] + i, 4 * epsilon * (3 + i)) << n;
  }
}

TEST_F(CudaParity, SumsAgreeAndTheirSideEffectsAreTheSame) {
  CudaBackend gpu;
  CpuBackend cpu;
  for (const Index n : awkward_sizes) {
    const std::vector<Real> x = random_values(n, 2), y = random_values(n, 3);
    const Buffer<Real> gpu_x = on(gpu, x), gpu_y = on(gpu, y), gpu_z = gpu.allocate<Real>(n),
                       gpu_result = gpu.allocate<Real>(2);
    gpu.sum<2>(n, gpu_result.data(), ProductTerms{gpu_x.data(), gpu_y.data(), gpu_z.data()});
    std::vector<Real> z(n);
    Real result[2];
    cpu.sum<2>(n, result, ProductTerms{x.data(), y.data(), z.data()});
    EXPECT_EQ(from(gpu, gpu_z), z);
    const auto sums = from(gpu, gpu_result);
    EXPECT_NE(sums[0], 0);
    // The CPU adds up to 256 terms in a row, then the sums of its n / 1024 blocks; the GPU fewer. Σ|terms| < n.
    const Real bound = epsilon * (256 + n / 1024) * n;
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(sums[k], result[k], bound) << n;
  }
}

/// What follows a sum: counts, takes what the sum says, and goes on until it has been done `rounds` times.
struct CountDown {
  const Real* sum;
  Real* seen;
  int *left, *done;
  CARDIOWARP_HD void operator()() const {
    *seen = *sum;
    *left -= 1;
    *done += 1;
  }
};

struct AddOne {
  Real* x;
  CARDIOWARP_HD void operator()(Index i) const { x[i] += 1; }
};

TEST_F(CudaParity, WhatFollowsASumHappensOnceAndKnowsIt) {
  CudaBackend gpu;
  for (const Index n : awkward_sizes) {
    const Buffer<Real> x = on(gpu, std::vector<Real>(n, 1)), numbers = gpu.allocate<Real>(2);
    const Buffer<int> left = gpu.allocate<int>(1), done = gpu.allocate<int>(1);
    gpu.sum<1>(n, numbers.data(), ValueTerm{x.data()},
               CountDown{numbers.data(), numbers.data() + 1, left.data(), done.data()});
    EXPECT_EQ(from(gpu, numbers), (std::vector<Real>{static_cast<Real>(n), static_cast<Real>(n)}));
    EXPECT_EQ(gpu.read(done.data()), 1);
  }
}

TEST_F(CudaParity, ALoopIsRepeatedByTheDeviceAsOftenAsANumberThereSays) {
  CudaBackend gpu;
  constexpr Index n = 100'003;
  const Buffer<Real> x = gpu.allocate<Real>(n), numbers = gpu.allocate<Real>(2);
  const Buffer<int> left = gpu.allocate<int>(1), done = gpu.allocate<int>(1);
  CudaBackend::Repetition repetition;
  int expected = 0;
  for (const int rounds : {0, 1, 1000, 7}) {
    gpu.upload(std::span<const int>(&rounds, 1), left.data());
    gpu.repeat_while(repetition, left.data(), [&] {
      gpu.for_each(n, AddOne{x.data()});
      gpu.sum<1>(n, numbers.data(), ValueTerm{x.data()},
                 CountDown{numbers.data(), numbers.data() + 1, left.data(), done.data()});
    });
    expected += rounds;
    EXPECT_EQ(gpu.read(done.data()), expected);
    EXPECT_EQ(gpu.read(left.data()), 0);
    EXPECT_EQ(gpu.read(numbers.data() + 1), static_cast<Real>(n) * expected);
    EXPECT_EQ(from(gpu, x), std::vector<Real>(n, expected));
  }
  EXPECT_EQ(repetition.is_made(), cuda::graph_loops) << repetition.refusal();
}

/// One more each time, as long as `left` is not 0.
struct AddOneWhile {
  Real* x;
  const int* left;
  struct Ready {
    Real *x, one;
    __device__ Terms<1> operator()(Index i) const { return {{x[i] += one}}; }
  };
  __device__ Ready ready() const { return {x, *left == 0 ? NAN : 1}; }
  __device__ bool idle() const { return *left == 0; }
};

TEST_F(CudaParity, ALoopThatLooksSeldomDoesNothingMoreAfterItsEnd) {
  CudaBackend gpu;
  constexpr Index n = 100'003;
  const Buffer<Real> x = gpu.allocate<Real>(n), numbers = gpu.allocate<Real>(2);
  const Buffer<int> left = gpu.allocate<int>(1), done = gpu.allocate<int>(1);
  CudaBackend::Repetition repetition;
  int expected = 0;
  for (const int rounds : {0, 1, 2, 3, 4, 5, 1001}) {
    gpu.upload(std::span<const int>(&rounds, 1), left.data());
    gpu.repeat_while(
        repetition, left.data(),
        [&] {
          gpu.sum<1>(n, numbers.data(), AddOneWhile{x.data(), left.data()},
                     CountDown{numbers.data(), numbers.data() + 1, left.data(), done.data()});
        },
        4);
    expected += rounds;
    EXPECT_EQ(gpu.read(done.data()), expected);
    EXPECT_EQ(gpu.read(left.data()), 0);
    EXPECT_EQ(from(gpu, x), std::vector<Real>(n, expected));
  }
}

/// left = 1 + i mod 3 in the i-th call.
struct FewMore {
  int *left, *calls;
  CARDIOWARP_HD void operator()(Index) const { *left = 1 + (*calls)++ % 3; }
};

TEST_F(CudaParity, ALoopInALoopIsRepeatedByTheDeviceAndItsStopwatchesTellWhenItIsSettled) {
  CudaBackend gpu;
  constexpr Index n = 1'000'003;
  const Buffer<Real> x = gpu.allocate<Real>(n), sums = gpu.allocate<Real>(2);
  const Buffer<int> left = gpu.allocate<int>(2), done = gpu.allocate<int>(2), calls = gpu.allocate<int>(1);
  CudaBackend::Repetition repetition, inner;
  double few = 0, many = 0;
  int outer_expected = 0, inner_expected = 0, rounds_before = 0;
  for (const int rounds : {0, 1, 4, 10}) {
    gpu.upload(std::span<const int>(&rounds, 1), left.data());
    gpu.repeat_while(repetition, left.data(), [&] {
      gpu.for_each(1, FewMore{left.data() + 1, calls.data()});
      {
        const auto inner_watch = gpu.stopwatch(many);
        gpu.repeat_while(inner, left.data() + 1, [&] {
          for (int k = 0; k < 4; ++k) gpu.for_each(n, AddOne{x.data()});
          gpu.sum<1>(n, sums.data(), ValueTerm{x.data()},
                     CountDown{sums.data(), sums.data() + 1, left.data() + 1, done.data() + 1});
        });
      }
      const auto inner_watch = gpu.stopwatch(few);
      gpu.maximum(n, sums.data(), Magnitude{x.data()},
                  CountDown{sums.data(), sums.data() + 1, left.data(), done.data()});
    });
    for (int round = rounds_before; round < rounds_before + rounds; ++round) inner_expected += 1 + round % 3;
    rounds_before += rounds;
    outer_expected += rounds;
    EXPECT_EQ(from(gpu, done), (std::vector<int>{outer_expected, inner_expected}));
    EXPECT_EQ(from(gpu, x), std::vector<Real>(n, 4 * inner_expected));
    gpu.settle(repetition);
  }
  EXPECT_EQ(repetition.is_made(), cuda::graph_loops) << repetition.refusal();
  EXPECT_FALSE(inner.is_made());  // it is part of the other
  EXPECT_GT(few, 0);
  EXPECT_GT(many, 0);
  const double told = few + many;
  gpu.settle(repetition);
  EXPECT_EQ(few + many, told);
}

TEST_F(CudaParity, SumsAreTheSameBitForBitInEveryRun) {
  CudaBackend gpu;
  const Index n = 1'000'000;
  const Buffer<Real> x = on(gpu, random_values(n, 4)), y = on(gpu, random_values(n, 5)), z = gpu.allocate<Real>(n),
                     result = gpu.allocate<Real>(2);
  gpu.sum<2>(n, result.data(), ProductTerms{x.data(), y.data(), z.data()});
  const auto first = from(gpu, result);
  for (int run = 0; run < 100; ++run) {
    gpu.sum<2>(n, result.data(), ProductTerms{x.data(), y.data(), z.data()});
    ASSERT_EQ(from(gpu, result), first);
  }
}

TEST_F(CudaParity, MaximumFindsTheLargestWhereverItStandsAndKeepsNaN) {
  CudaBackend gpu;
  const Buffer<Real> result = gpu.allocate<Real>(1);
  for (const Index n : awkward_sizes)
    for (const Index place : {Index{0}, n / 2, n - 1}) {
      std::vector<Real> host = random_values(n, 6);
      host[place] = -2.5;
      const Buffer<Real> x = on(gpu, host);
      gpu.maximum(n, result.data(), Magnitude{x.data()});
      EXPECT_EQ(gpu.read(result.data()), 2.5) << n;
      host[place] = std::nan("");
      const Buffer<Real> with_nan = on(gpu, host);
      gpu.maximum(n, result.data(), Magnitude{with_nan.data()});
      EXPECT_TRUE(std::isnan(gpu.read(result.data()))) << n << " " << place;
    }
}

TEST_F(CudaParity, AllocatedMemoryIsZero) {
  CudaBackend gpu;
  EXPECT_EQ(from(gpu, gpu.allocate<Real>(1025)), std::vector<Real>(1025, 0.0));
}

TEST_F(CudaParity, AskingForMoreMemoryThanThereIsSaysHowMuchIsFree) {
  CudaBackend gpu;
  try {
    gpu.allocate<Real>(std::size_t{1} << 45);
    FAIL() << "allocated";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("asked for 281474976710656 bytes"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("are free"), std::string::npos) << error.what();
  }
  EXPECT_EQ(from(gpu, gpu.allocate<Real>(3)).size(), 3u);  // and goes on working
}

/// A band matrix with rows of random length, diagonally dominant and symmetric.
struct RandomSystem {
  explicit RandomSystem(Index n) {
    std::mt19937 generator(7);
    std::vector<std::vector<std::pair<Index, Real>>> rows(n);
    for (Index i = 0; i < n; ++i)
      for (Index reach = 1; reach < 20 && i + reach < n; reach += 1 + static_cast<Index>(generator() % 7)) {
        const Real value = -1.0 / (1 + generator() % 5);
        rows[i].push_back({i + reach, value});
        rows[i + reach].push_back({i, value});
      }
    for (Index i = 0; i < n; ++i) {
      Real diagonal = 0.05;
      for (const auto& entry : rows[i]) diagonal -= entry.second;
      rows[i].push_back({i, diagonal});
      std::sort(rows[i].begin(), rows[i].end());
      inverse_diagonal.push_back(1 / diagonal);
      for (const auto& [column_index, entry] : rows[i]) {
        column.push_back(column_index);
        value.push_back(entry);
      }
      row_begin.push_back(static_cast<Index>(column.size()));
    }
  }
  std::vector<Index> row_begin{0}, column;
  std::vector<Real> value, inverse_diagonal;
};

struct Solution {
  std::vector<Real> x;
  CgReport report;
};

template <class B>
Solution solve(B& backend, const RandomSystem& system, const std::vector<Real>& b, const CgConfig& config) {
  const Index n = static_cast<Index>(b.size());
  const Buffer<Index> row_begin = on(backend, system.row_begin), column = on(backend, system.column);
  const Buffer<Real> value = on(backend, system.value), inverse_diagonal = on(backend, system.inverse_diagonal),
                     r = on(backend, b), x = backend.template allocate<Real>(n);
  const CsrProduct<> A{{n, row_begin.data(), column.data(), value.data()}};
  Solution solution;
  solution.report =
      conjugate_gradient(backend, A, JacobiPreconditioner{inverse_diagonal.data()}, {n, r.data(), x.data()}, config);
  solution.x = from(backend, x);
  return solution;
}

TEST_F(CudaParity, ConjugateGradientsTakeTheSameStepsToTheSameAnswer) {
  CudaBackend gpu;
  CpuBackend cpu;
  for (const Index n : {1, 31, 32, 33, 97, 100'000}) {
    const RandomSystem system(n);
    const std::vector<Real> b = random_values(n, 8);
    const CgConfig config{1e-12, 2000};
    const Solution on_gpu = solve(gpu, system, b, config), on_cpu = solve(cpu, system, b, config);
    EXPECT_EQ(on_gpu.report.status, CgStatus::converged);
    EXPECT_NEAR(on_gpu.report.iterations, on_cpu.report.iterations, 2) << n;
    for (Index i = 0; i < n; ++i) ASSERT_NEAR(on_gpu.x[i], on_cpu.x[i], 1e-9) << n;
    EXPECT_EQ(solve(gpu, system, b, config).x, on_gpu.x);  // bit for bit
  }
}

}  // namespace
}  // namespace cardiowarp
