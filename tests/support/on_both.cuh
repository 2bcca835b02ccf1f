#pragma once
// Every loop body of a step on the device against the CPU, and twice on the device: the second time must give the same
// bits. A device rounds a product and the addition behind it once, a CPU may round twice. So what has no product in
// front of an addition must be the CPU's bit for bit; elsewhere the bound is (rounded operations) · ε · (the expression
// with every term made positive), since either machine is off by at most half of that.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "app/simulation/backend_simulation.hpp"
#include "app/simulation/step_on_gpu.cuh"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {

inline constexpr unsigned seed = 31;
inline constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
inline constexpr Real h = 1.0 / 16;  // τ; products with 1 / h are exact
inline constexpr Index million = 1'000'000;
inline const std::vector<Index> small_sizes{1, 31, 32, 33, 97}, all_sizes{1, 31, 32, 33, 97, million};

using Values = std::vector<Real>;

inline Values random_between(Real low, Real high, std::size_t n, unsigned seed_of_values) {
  Values values = random_values(n, seed_of_values);
  for (Real& value : values) value = low + (high - low) * (value + 1) / 2;
  return values;
}

template <Backend B, class T>
std::vector<T> downloaded(B& backend, const T* memory, std::size_t n) {
  std::vector<T> host(n);
  backend.download(memory, std::span<T>(host));
  return host;
}

template <Backend B, class T>
std::vector<T> downloaded(B& backend, const Buffer<T>& buffer) {
  return downloaded(backend, static_cast<const T*>(buffer.data()), buffer.size());
}

inline bool same_bits(const Values& a, const Values& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

/// |values − expected| <= bound(i), and NaN in the same places.
template <class Bound>
void expect_near(const Values& values, const Values& expected, const Bound& bound) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(expected[i]))
      ASSERT_TRUE(std::isnan(values[i])) << "at " << i << ": " << values[i];
    else
      ASSERT_LE(std::fabs(values[i] - expected[i]), bound(i)) << "at " << i << ": " << values[i] << ", " << expected[i];
  }
}

inline void expect_equal(const Values& values, const Values& expected) {
  expect_near(values, expected, [](std::size_t) { return 0; });
}

/// The device's result of `compute(backend)`, which must be the same bits twice unless it does not repeat them, and the
/// CPU's: a Values each.
struct OnBoth {
  template <class Compute>
  explicit OnBoth(const Compute& compute, bool repeats = true) {
    CudaBackend device;
    CpuBackend host;
    gpu = compute(device);
    cpu = compute(host);
    if (repeats) {
      EXPECT_TRUE(same_bits(gpu, compute(device))) << "two runs on the device differ";
    }
    EXPECT_FALSE(gpu.empty());
  }
  Values gpu, cpu;
};

}  // namespace cardiowarp
