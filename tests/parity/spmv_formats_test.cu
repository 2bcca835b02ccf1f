// The formats of a run on the device against the host's rows, for every choice of their parameters, and K1 in parts.

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "assembly/formats.cuh"
#include "assembly/options.hpp"
#include "solver/parts/parts_product.cuh"
#include "tests/support/gpu_test.hpp"
#include "tests/support/products_on_both.cuh"

namespace cardiowarp {
namespace {

using namespace test::products;
using SpmvFormatsParity = GpuTest;

template <class Format>
void expect_format_right(Both& both, const MatrixOptions& options) {
  if (Format::needs_gpu && both.csr().value.empty()) return;  // no business of a library
  const CsrPattern pattern{both.csr().row_begin, both.csr().column};
  auto layout = Format::layout(pattern, options);
  typename Format::template Product<CudaBackend> A(both.gpu(), pattern, layout);
  const std::vector<Index> order = Format::own_order(layout);
  const StoredEntries entries = Format::take_entries(layout, pattern);
  const std::int64_t slots = entries.slots;
  both.fill(entries, A.value());
  const std::vector<int> only_its_own{0};
  for (const int block_size : Format::parameters(options).block_size ? block_sizes : only_its_own)
    both.expect_right(
        Format::name(options) + ", " + std::to_string(block_size),
        [&](const Real* x, Real* y) { A.multiply(both.gpu(), block_size, A.value(), x, y); }, order);
  if constexpr (Format::has_single_values) {
    const Buffer<float> single = both.in_single(A.value(), slots);
    for (const int block_size : Format::parameters(options).block_size ? block_sizes : only_its_own)
      both.expect_right_in_single(
          Format::name(options) + " in single precision, " + std::to_string(block_size),
          [&](const float* x, float* y) { A.multiply(both.gpu(), block_size, single.data(), x, y); }, order);
  }
}

/// Without naming one: a new format is among them.
TEST_F(SpmvFormatsParity, EveryFormatOfARunMultipliesInBlocksOfEverySize) {
  for_all([](Both& both) {
    for_each_format([&](auto format) {
      for (MatrixOptions options : FormatOf<format.value>::variants()) {
        options.ell_warp.threshold = 4;
        try {
          expect_format_right<FormatOf<format.value>>(both, options);
        } catch (const MissingLibrary& missing) {  // parity_cusparse counts it
          std::printf("%s is left out: %s\n", format_name(options).c_str(), missing.what());
        }
      }
    });
  });
}

TEST_F(SpmvFormatsParity, CsrRowsMultiplyInBlocksOfEverySize) {
  for_all([](Both& both) {
    for (const int block_size : block_sizes)
      both.expect_right(std::to_string(block_size), [&](const Real* x, Real* y) {
        for_each_in_blocks(both.gpu().stream(), block_size, both.rows(), RowsTimesVector<CsrView>{both.on_gpu(), x, y});
      });
  });
}

/// SELL is K1 of rows that keep their order.
TEST_F(SpmvFormatsParity, UnsortedK1MultipliesInTheGivenOrder) {
  for_all([](Both& both) {
    const EllWarpOptions options{.renumbering = EllWarpRenumbering::rows, .sorted = false};
    const EllWarpLayout layout = ell_warp_layout(both.csr().length, both.csr().column, options);
    const EllWarpMatrix A = both.filled(layout);
    for (const int block_size : block_sizes)
      both.expect_right(std::to_string(block_size), [&](const Real* x, Real* y) {
        ell_warp_multiply(both.gpu().stream(), block_size, A.view(), TimesVector{x}, y);
      });
  });
}

template <FetchWay W>
void expect_fetched_right(Both& both, const EllWarpOptions& options) {
  const EllWarpLayout layout = ell_warp_layout(both.csr().length, both.csr().column, options);
  const EllWarpMatrix A = both.filled(layout);
  const std::vector<Index> order =
      options.renumbering == EllWarpRenumbering::none ? std::vector<Index>() : layout.shape.row;
  for (const Caching caching : {Caching::cached, Caching::streamed})
    both.expect_right(
        ell_warp_name(options),
        [&](const Real* x, Real* y) {
          EllWarpView view = A.view();
          view.caching = caching;
          ell_warp_multiply(both.gpu().stream(), 256, view, TimesVector<Caching::cached, W>{x}, y);
        },
        order);
}

TEST_F(SpmvFormatsParity, EllWarpMultipliesWithEveryWayOfFetchingX) {
  for_all([](Both& both) {
    for (const MatrixOptions& options : FormatOf<MatrixFormat::ell_warp>::variants()) {
      expect_fetched_right<FetchWay::read_only>(both, options.ell_warp);
      expect_fetched_right<FetchWay::past_l1>(both, options.ell_warp);
    }
  });
}

/// Parts without a halo, with long ones, and a last one that is shorter, cached and streamed.
TEST_F(SpmvFormatsParity, K1InPartsMultipliesWhereABlockHasRoomForThem) {
  std::set<Index> fitting;
  std::set<bool> with_a_halo;
  for_all([&](Both& both) {
    for (const Index window : {32, 96, 1024}) {
      const EllWarpOptions options{.renumbering = EllWarpRenumbering::rows, .window = window, .sorted = false};
      const EllWarpLayout layout = ell_warp_layout(both.csr().length, both.csr().column, options);
      const std::optional<MatrixParts> parts = matrix_parts(layout);
      if (!parts || !fits_any_block(*parts)) continue;
      fitting.insert(window);
      with_a_halo.insert(parts->longest_halo > 0);
      EllWarpMatrix values = both.filled(layout);
      const PartsMatrix<CudaBackend> A(both.gpu(), layout, *parts, values.value());
      both.expect_right("windows of " + std::to_string(window),
                        [&](const Real* x, Real* y) { A.multiply(both.gpu(), x, y); });
    }
  });
  EXPECT_EQ(fitting.size(), 3u);
  EXPECT_EQ(with_a_halo.size(), 2u);
}

/// As many parts as a multiple of the multiprocessors, with more shared memory than a block has without asking, too.
TEST_F(SpmvFormatsParity, K1InPartsMultipliesInBlocksOfEverySize) {
  std::set<bool> small;
  for_all([&](Both& both) {
    const Device& device = both.gpu().device();
    const auto rows = static_cast<Index>(both.csr().length.size());
    for (const Index parts_at_most : {1, device.multiprocessors, 3 * device.multiprocessors}) {
      const Index window = window_for_parts(rows, parts_at_most);
      const EllWarpOptions options{.renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window};
      const EllWarpLayout layout = ell_warp_layout(both.csr().length, both.csr().column, options);
      const std::optional<MatrixParts> parts = matrix_parts(layout);
      if (!parts || product_shared_bytes(window, parts->longest_halo) > usable_shared_bytes(device)) continue;
      small.insert(fits_any_block(*parts));
      EXPECT_LE(parts->parts, parts_at_most);
      EllWarpMatrix values = both.filled(layout);
      const PartsMatrix<CudaBackend> A(both.gpu(), layout, *parts, values.value());
      for (const int block_size : parts_block_sizes)
        both.expect_right(
            "windows of " + std::to_string(window) + ", blocks of " + std::to_string(block_size),
            [&](const Real* x, Real* y) {
              parts_multiply_in_blocks(both.gpu(), block_size, A.view(), A.caching(), x, y);
            },
            layout.shape.row);
      const Buffer<float> single = both.in_single(values.value(), layout.shape.stored_entries());
      const PartsMatrix<CudaBackend, float> A_single(both.gpu(), layout, *parts, single.data());
      for (const int block_size : parts_block_sizes)
        both.expect_right_in_single(
            "in single precision, windows of " + std::to_string(window) + ", blocks of " + std::to_string(block_size),
            [&](const float* x, float* y) {
              parts_multiply_in_blocks(both.gpu(), block_size, A_single.view(), A_single.caching(), x, y);
            },
            layout.shape.row);
      Real* const nowhere = nullptr;
      EXPECT_THROW(parts_multiply_in_blocks(both.gpu(), 96, A.view(), A.caching(), nowhere, nowhere),
                   std::invalid_argument);
    }
  });
  // Only thousands of rows in one part have a part that is too large for some block.
  EXPECT_EQ(small.size(), is_tried(1'000'000) ? 2u : 1u);
}

TEST_F(SpmvFormatsParity, PartsOfNoRowsAreNotLaunched) {
  CudaBackend gpu;
  const auto nothing = static_cast<Real*>(nullptr);
  EXPECT_NO_THROW(parts_multiply(gpu, PartsView{}, Caching::cached, nothing, nothing));
}

}  // namespace
}  // namespace cardiowarp
