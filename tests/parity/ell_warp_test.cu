// The ELL-WARP kernels against the CPU's loop over slices. The order of the additions is the same on both.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/ell_warp.cuh"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 21;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
const std::vector<int> block_sizes{32, 96, 256, 1024};

using EllWarpParity = GpuTest;

struct Case {
  Index rows;
  EllWarpOptions options;
};

std::vector<Case> all_cases(const std::vector<Index>& sizes) {
  std::vector<Case> cases;
  for (const Index rows : sizes)
    for (const auto renumbering :
         {EllWarpRenumbering::none, EllWarpRenumbering::rows, EllWarpRenumbering::rows_and_columns_sorted}) {
      for (const Index window : {0, 1024}) cases.push_back({rows, {EllWarpVariant::k1, renumbering, 1, window}});
      for (const Index threshold : {1, 3, 8, 1000})
        cases.push_back({rows, {EllWarpVariant::k2, renumbering, threshold, 1024}});
    }
  return cases;
}

std::string name_of(const Case& c) {
  const char* suffix[] = {"", "r", "rs"};
  return (c.options.variant == EllWarpVariant::k1 ? "K1" : "K2") + std::string(suffix[int(c.options.renumbering)]) +
         ", " + std::to_string(c.rows) + " rows, threshold " + std::to_string(c.options.threshold) + ", window " +
         std::to_string(c.options.window);
}

template <class B>
EllWarpMatrix filled(B& backend, const EllWarpLayout& layout, const RandomCsr& csr) {
  EllWarpMatrix A(backend, layout);
  const Buffer<std::int64_t> slot_of_entry = backend.template allocate<std::int64_t>(layout.slot_of_entry.size());
  const Buffer<Real> value = backend.template allocate<Real>(csr.value.size());
  backend.upload(std::span<const std::int64_t>(layout.slot_of_entry), slot_of_entry.data());
  backend.upload(std::span<const Real>(csr.value), value.data());
  backend.for_each(static_cast<Index>(csr.value.size()), ScatterEntries{slot_of_entry.data(), value.data(), A.value()});
  backend.synchronize();
  return A;
}

/// A matrix on both machines, with a vector.
struct Both {
  explicit Both(const Case& c)
      : csr(awkward_row_lengths(c.rows, seed), seed + 1),
        layout(ell_warp_layout(csr.length, csr.column, c.options)),
        x(random_values(c.rows, seed + 2)),
        magnitudes(csr),
        on_cpu(filled(cpu, layout, csr)),
        on_gpu(filled(gpu, layout, csr)),
        gpu_x(gpu.allocate<Real>(x.size())),
        gpu_y(gpu.allocate<Real>(x.size())) {
    gpu.upload(std::span<const Real>(x), gpu_x.data());
    for (Real& value : magnitudes.value) value = std::abs(value);
  }
  template <class Term>
  std::vector<Real> cpu_multiply(const EllWarpMatrix& A, const Term& term) {
    std::vector<Real> y(x.size(), NAN);
    cpu.for_each(A.view().slices, EllWarpSlices<Term>{A.view(), term, y.data()});
    return y;
  }
  template <class Term>
  std::vector<Real> gpu_multiply(const Term& term, int block_size) {
    gpu.upload(std::span<const Real>(std::vector<Real>(x.size(), NAN)), gpu_y.data());
    ell_warp_multiply(nullptr, block_size, on_gpu.view(), term, gpu_y.data());
    cuda_check(cudaDeviceSynchronize());
    std::vector<Real> y(x.size());
    gpu.download(static_cast<const Real*>(gpu_y.data()), std::span<Real>(y));
    return y;
  }
  /// Σ |a x| of each row: |x| <= 1.
  std::vector<Real> magnitude() { return cpu_multiply(filled(cpu, layout, magnitudes), TimesOnes{}); }

  CpuBackend cpu;
  CudaBackend gpu;
  RandomCsr csr;
  EllWarpLayout layout;
  std::vector<Real> x;
  RandomCsr magnitudes;
  EllWarpMatrix on_cpu, on_gpu;
  Buffer<Real> gpu_x, gpu_y;
};

TEST_F(EllWarpParity, SumsAreTheCpusBitForBitForEveryBlockSize) {
  for (const Case& c : all_cases({1, 31, 32, 33, 97, 3000})) {
    SCOPED_TRACE(name_of(c));
    Both both(c);
    const std::vector<Real> expected = both.cpu_multiply(both.on_cpu, TimesOnes{});
    for (const int block_size : block_sizes) ASSERT_EQ(both.gpu_multiply(TimesOnes{}, block_size), expected);
  }
}

TEST_F(EllWarpParity, ProductsAreTheCpusUpToTheRoundingOfTheirTermsAndTheSameForEveryBlockSize) {
  for (const Case& c : all_cases({1, 31, 32, 33, 97, 3000})) {
    SCOPED_TRACE(name_of(c));
    Both both(c);
    const std::vector<Real> expected = both.cpu_multiply(both.on_cpu, TimesVector{both.x.data()}),
                            magnitude = both.magnitude(),
                            product = both.gpu_multiply(TimesVector{both.gpu_x.data()}, 256);
    // A device rounds a product and its addition once, the CPU may round twice: at most ε Σ |a x| a step each.
    for (Index row = 0; row < c.rows; ++row)
      ASSERT_NEAR(product[row], expected[row], 2 * epsilon * 1100 * magnitude[row]) << "row " << row;
    for (const int block_size : block_sizes)
      ASSERT_EQ(both.gpu_multiply(TimesVector{both.gpu_x.data()}, block_size), product) << block_size;
  }
}

TEST_F(EllWarpParity, AMillionRowsAreSummedAsOnTheCpu) {
  for (const Case& c : {Case{1'000'000, {EllWarpVariant::k1, EllWarpRenumbering::rows_and_columns_sorted, 1, 1024}},
                        Case{1'000'000, {EllWarpVariant::k2, EllWarpRenumbering::none, 4, 1024}}}) {
    SCOPED_TRACE(name_of(c));
    Both both(c);
    EXPECT_EQ(both.gpu_multiply(TimesOnes{}, 256), both.cpu_multiply(both.on_cpu, TimesOnes{}));
    const std::vector<Real> first = both.gpu_multiply(TimesVector{both.gpu_x.data()}, 256);
    for (int run = 0; run < 10; ++run) ASSERT_EQ(both.gpu_multiply(TimesVector{both.gpu_x.data()}, 256), first);
  }
}

TEST_F(EllWarpParity, TheLoopOverSlicesRunsOnTheDeviceToo) {
  Both both({3000, {EllWarpVariant::k2, EllWarpRenumbering::none, 3, 0}});
  both.gpu.for_each(both.on_gpu.view().slices,
                    EllWarpSlices<TimesVector<>>{both.on_gpu.view(), {both.gpu_x.data()}, both.gpu_y.data()});
  std::vector<Real> looped(both.x.size());
  both.gpu.download(static_cast<const Real*>(both.gpu_y.data()), std::span<Real>(looped));
  EXPECT_EQ(looped, both.gpu_multiply(TimesVector{both.gpu_x.data()}, 128));
}

TEST_F(EllWarpParity, ABlockSizeThatIsNoMultipleOf32IsRefusedBeforeTheLaunch) {
  Both both({33, {}});
  EXPECT_THROW(both.gpu_multiply(TimesOnes{}, 48), std::invalid_argument);
  EXPECT_NO_THROW(both.gpu_multiply(TimesOnes{}, 64));
}

}  // namespace
}  // namespace cardiowarp
