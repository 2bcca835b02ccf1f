// The formats of the product benchmark on the device against the host's rows, for every choice of their parameters.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assembly/formats.cuh"
#include "assembly/options.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/rivals/block_ell.hpp"
#include "kernels/rivals/csr_vector.cuh"
#include "kernels/rivals/ehyb.cuh"
#include "kernels/rivals/hyb.cuh"
#include "kernels/rivals/merge.cuh"
#include "kernels/rivals/segmented_scan.cuh"
#include "kernels/rivals/sorted_csr.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "solver/parts/parts_product.cuh"
#include "solver/rounded_values.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 41;
const std::vector<int> block_sizes{32, 64, 96, 256, 512, 1024};

using SpmvFormatsParity = GpuTest;

struct Case {
  std::string name;
  std::vector<Index> lengths;
};

/// 5 rows of 3 entries each, all others empty: first and last, and many in a row.
std::vector<Index> mostly_empty(Index rows) {
  std::vector<Index> lengths(rows);
  for (Index k = 0; k < 5; ++k) lengths[(k + 1) * (rows / 7)] = 3;
  return lengths;
}

/// Rows of 0 to 11 entries.
std::vector<Index> short_rows(Index rows) {
  std::vector<Index> lengths(rows);
  for (Index row = 0; row < rows; ++row) lengths[row] = row % 12;
  return lengths;
}

/// Every row of `each` entries but one, of `longest`.
std::vector<Index> one_long_row(Index rows, Index each, Index longest) {
  std::vector<Index> lengths(rows, each);
  lengths[rows / 2] = longest;
  return lengths;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Index rows : {1, 31, 32, 33, 97, 5000, 1'000'000})
    all.push_back({std::to_string(rows) + " awkward rows", awkward_row_lengths(rows, seed)});
  all.push_back({"a million short rows", short_rows(1'000'000)});
  all.push_back({"one entry", {1}});
  all.push_back({"no entries", std::vector<Index>(1000)});
  all.push_back({"mostly empty rows", mostly_empty(30'000)});
  all.push_back({"equal rows", std::vector<Index>(4915, 39)});
  all.push_back({"full pieces of 256 entries", std::vector<Index>(320, 32)});
  all.push_back({"a full row among short ones", one_long_row(20'000, 4, 20'000)});
  all.push_back({"a full row among empty ones", one_long_row(20'000, 0, 20'000)});
  return all;
}

/// A matrix and x on the device, and what the host finds row by row.
class Both {
 public:
  explicit Both(const std::vector<Index>& lengths) : Both(RandomCsr(lengths, seed + 1)) {}
  explicit Both(RandomCsr csr)
      : csr_(std::move(csr)),
        x_(random_values(csr_.length.size(), seed + 2)),
        row_begin_(uploaded(gpu_, csr_.row_begin)),
        column_(uploaded(gpu_, csr_.column)),
        value_(uploaded(gpu_, csr_.value)),
        device_x_(uploaded(gpu_, x_)),
        device_y_(gpu_.allocate<Real>(x_.size())) {
    const CsrView A = csr_.view();
    for (Index row = 0; row < A.rows; ++row) {
      Real magnitude = 0;
      for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e)
        magnitude += std::abs(A.value[e] * x_[A.column[e]]);
      expected_.push_back(row_times_vector(A, row, x_.data()));
      // Each of two sums of n terms is within n ε/2 Σ|a x| of the exact one.
      bound_.push_back((csr_.length[row] + 1) * std::numeric_limits<Real>::epsilon() * magnitude);
    }
  }

  CudaBackend& gpu() { return gpu_; }
  const RandomCsr& csr() const { return csr_; }
  CsrView on_gpu() const { return {rows(), row_begin_.data(), column_.data(), value_.data()}; }
  Index rows() const { return static_cast<Index>(x_.size()); }

  /// The matrix in ELL-WARP.
  EllWarpMatrix filled(const EllWarpLayout& layout) {
    EllWarpMatrix A(gpu_, layout);
    const Buffer<std::int64_t> slot = uploaded(gpu_, layout.slot_of_entry);
    gpu_.for_each(static_cast<Index>(slot.size()), ScatterEntries{slot.data(), value_.data(), A.value()});
    gpu_.synchronize();
    return A;
  }

  using Multiply = std::function<void(const Real* x, Real* y)>;

  /// Each row within its bound of the host's, one that is not written seen, and a second product the same bits. `order`
  /// has the old number of each new row and column where the product has renumbered them.
  void expect_right(const std::string& what, const Multiply& multiply, const std::vector<Index>& order = {}) {
    SCOPED_TRACE(what);
    const auto old = [&](Index row) { return order.empty() ? row : order[row]; };
    std::vector<Real> x(x_.size());
    for (Index row = 0; row < rows(); ++row) x[row] = x_[old(row)];
    gpu_.upload(std::span<const Real>(x), device_x_.data());
    const std::vector<Real> y = product(multiply);
    for (Index row = 0; row < rows(); ++row)
      ASSERT_NEAR(y[row], expected_[old(row)], bound_[old(row)]) << "row " << old(row);
    ASSERT_EQ(product(multiply), y);
  }

  /// The same of values, x and y in single precision, against the host's product of the rounded numbers.
  void expect_right_in_single(const std::string& what, const std::function<void(const float* x, float* y)>& multiply,
                              const std::vector<Index>& order = {}) {
    SCOPED_TRACE(what);
    const auto old = [&](Index row) { return order.empty() ? row : order[row]; };
    std::vector<float> x(x_.size()), y(x_.size(), NAN), again(x_.size());
    for (Index row = 0; row < rows(); ++row) x[row] = static_cast<float>(x_[old(row)]);
    const Buffer<float> device_x = uploaded(gpu_, x), device_y = uploaded(gpu_, y);
    multiply(device_x.data(), device_y.data());
    gpu_.download(static_cast<const float*>(device_y.data()), std::span<float>(y));
    for (Index row = 0; row < rows(); ++row) {
      Real expected = 0, magnitude = 0;
      for (Index e = csr_.row_begin[old(row)]; e < csr_.row_begin[old(row) + 1]; ++e) {
        const Real term = Real{static_cast<float>(csr_.value[e])} * Real{static_cast<float>(x_[csr_.column[e]])};
        expected += term;
        magnitude += std::abs(term);
      }
      const Real bound = (csr_.length[old(row)] + 1) * Real{std::numeric_limits<float>::epsilon()} * magnitude;
      ASSERT_NEAR(y[row], expected, bound) << "row " << old(row);
    }
    multiply(device_x.data(), device_y.data());
    gpu_.download(static_cast<const float*>(device_y.data()), std::span<float>(again));
    ASSERT_EQ(again, y);
  }

  /// Values in slots, rounded to single precision.
  Buffer<float> in_single(const Real* value, std::int64_t slots) {
    Buffer<float> rounded = gpu_.allocate<float>(static_cast<std::size_t>(slots));
    gpu_.for_each(static_cast<Index>(slots), RoundValues{value, rounded.data()});
    gpu_.synchronize();
    return rounded;
  }

  /// y, of the x that the last expect_right() has left.
  std::vector<Real> product(const Multiply& multiply) {
    gpu_.upload(std::span<const Real>(std::vector<Real>(x_.size(), NAN)), device_y_.data());
    multiply(device_x_.data(), device_y_.data());
    std::vector<Real> y(x_.size());
    gpu_.download(static_cast<const Real*>(device_y_.data()), std::span<Real>(y));
    return y;
  }

  /// The values of the matrix in the slots of a format.
  void fill(const StoredEntries& entries, Real* value) {
    const Buffer<std::int64_t> slot = uploaded(gpu_, entries.slot_of_entry);
    gpu_.for_each(static_cast<Index>(slot.size()), ScatterEntries{slot.data(), value_.data(), value});
    gpu_.synchronize();
  }

 private:
  CudaBackend gpu_;
  RandomCsr csr_;
  std::vector<Real> x_, expected_, bound_;
  Buffer<Index> row_begin_, column_;
  Buffer<Real> value_, device_x_, device_y_;
};

/// Calls `check(both)` for every matrix.
template <class Check>
void for_all(const Check& check) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Both both(c.lengths);
    check(both);
    if (testing::Test::HasFatalFailure()) return;
  }
}

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

TEST_F(SpmvFormatsParity, CsrVectorMultipliesWithEveryNumberOfLanes) {
  for_all([](Both& both) {
    for (const Index lanes : {2, 4, 8, 16, 32})
      for (const int block_size : block_sizes)
        both.expect_right(std::to_string(lanes) + " lanes, " + std::to_string(block_size), [&](const Real* x, Real* y) {
          csr_vector_multiply(both.gpu().stream(), block_size, lanes, both.on_gpu(), x, y);
        });
  });
}

TEST_F(SpmvFormatsParity, CooMultipliesAcrossItsPieces) {
  for_all([](Both& both) {
    const DeviceCoo A(both.gpu(), coo_matrix(both.csr().view()));
    for (const int block_size : block_sizes)
      both.expect_right(std::to_string(block_size), [&](const Real* x, Real* y) {
        A.multiply(both.gpu().stream(), block_size, both.rows(), x, y);
      });
  });
}

TEST_F(SpmvFormatsParity, EllAndEllRMultiply) {
  for_all([](Both& both) {
    const CsrView csr = both.csr().view();
    const Index width = longest_row(csr);
    if (std::int64_t{csr.rows} * width > 500'000'000) return;  // more than 4 GB
    const EllBuffers A(both.gpu(), ell_matrix(csr, width));
    for (const int block_size : block_sizes) {
      const cudaStream_t stream = both.gpu().stream();
      both.expect_right("ell, " + std::to_string(block_size), [&](const Real* x, Real* y) {
        for_each_in_blocks(stream, block_size, csr.rows, RowsTimesVector<EllView>{A.view(), x, y});
      });
      both.expect_right("ell_r, " + std::to_string(block_size), [&](const Real* x, Real* y) {
        for_each_in_blocks(stream, block_size, csr.rows, RowsTimesVector<EllRView>{A.view_with_lengths(), x, y});
      });
    }
  });
}

TEST_F(SpmvFormatsParity, HybMultipliesWithEveryWidthOfItsEllPart) {
  for_all([](Both& both) {
    for (const Index width : {0, 1, 3, 40, hyb_width(both.csr().view())}) {
      const DeviceHyb A(both.gpu(), both.csr().view(), width);
      for (const int block_size : block_sizes)
        both.expect_right("width " + std::to_string(width) + ", " + std::to_string(block_size),
                          [&](const Real* x, Real* y) { A.multiply(both.gpu().stream(), block_size, x, y); });
    }
  });
}

TEST_F(SpmvFormatsParity, MergeMultipliesWithEveryShareOfAThread) {
  for_all([](Both& both) {
    for (const Index share : MergeProduct::shares) {
      const MergeProduct A(both.gpu(), both.on_gpu(), static_cast<Index>(both.csr().value.size()), share);
      for (const int block_size : block_sizes)
        both.expect_right(std::to_string(share) + " items, " + std::to_string(block_size),
                          [&](const Real* x, Real* y) { A.multiply(both.gpu().stream(), block_size, x, y); });
    }
  });
}

TEST_F(SpmvFormatsParity, SegmentedScanMultipliesWithEveryNumberOfValues) {
  for_all([](Both& both) {
    for (const Index values : segmented_scan_values) {
      SegmentedScanLayout layout = segmented_scan_layout({both.csr().row_begin, both.csr().column}, values);
      SegmentedScanProduct A(both.gpu(), layout);
      both.fill({std::move(layout.slot_of_entry), layout.stored_entries()}, A.value());
      for (const int block_size : block_sizes)
        both.expect_right(std::to_string(values) + " values, " + std::to_string(block_size),
                          [&](const Real* x, Real* y) { A.multiply(both.gpu().stream(), block_size, x, y); });
    }
  });
}

/// The part of each row: in runs, scattered over all parts, in as few parts as have room, and where METIS puts it.
std::vector<std::vector<Index>> partitions(const RandomCsr& csr, Index parts, Index longest) {
  const std::int64_t rows = csr.view().rows;
  std::vector<std::vector<Index>> all(2);
  for (std::int64_t row = 0; row < rows; ++row) {
    all[0].push_back(static_cast<Index>(row * parts / rows));
    all[1].push_back(static_cast<Index>(row % parts));
  }
  all.emplace_back(rows, 0);
  // A random graph of more rows has no good parts, and looking for them takes METIS long.
  if (has_metis() && rows <= 30'000) all.push_back(metis_parts({csr.row_begin, csr.column}, parts));
  for (std::vector<Index>& part : all) limit_parts(part, parts, longest);
  return all;
}

/// Parts of no row, of few and as long as shared memory allows; more slices than warps and fewer.
TEST_F(SpmvFormatsParity, EhybMultipliesByEveryScheduleAndCachingWithTheSameBits) {
  for_all([](Both& both) {
    const Device& device = both.gpu().device();
    const Index parts = ehyb_parts(both.rows(), device);
    for (const std::vector<Index>& part : partitions(both.csr(), parts, ehyb_longest_part(device))) {
      const EhybMatrix host = ehyb_matrix(both.csr().view(), part, parts);
      const EhybBuffers<CudaBackend> buffers(both.gpu(), host);
      EhybView A = buffers.view();
      std::optional<std::vector<Real>> first;
      for (const Caching caching : {Caching::cached, Caching::streamed})
        for (const SliceSchedule schedule : {SliceSchedule::dynamic, SliceSchedule::fixed})
          for (const int block_size : block_sizes) {
            A.caching = caching;
            const auto multiply = [&](const Real* x, Real* y) {
              ehyb_multiply(both.gpu(), schedule, block_size, A, x, y);
            };
            const std::string slices = schedule == SliceSchedule::fixed ? "fixed slices, " : "dynamic slices, ";
            both.expect_right(slices + std::to_string(block_size), multiply, host.row);
            if (HasFatalFailure()) return;
            const std::vector<Real> y = both.product(multiply);
            if (!first) first = y;
            ASSERT_EQ(y, *first) << slices << block_size;
          }
    }
  });
}

TEST_F(SpmvFormatsParity, EhybIsRefusedWhereAPartHasNoRoomAndNotLaunchedWithoutRows) {
  Both both(std::vector<Index>(40'000, 1));
  const EhybMatrix host = ehyb_matrix(both.csr().view(), std::vector<Index>(40'000, 0), 1);  // 320 KB
  const EhybBuffers<CudaBackend> A(both.gpu(), host);
  const auto nothing = static_cast<Real*>(nullptr);
  EXPECT_THROW(ehyb_multiply(both.gpu(), SliceSchedule::dynamic, 256, A.view(), nothing, nothing), DeviceError);
  EXPECT_THROW(ehyb_multiply(both.gpu(), SliceSchedule::dynamic, 48, A.view(), nothing, nothing),
               std::invalid_argument);
  EXPECT_NO_THROW(ehyb_multiply(both.gpu(), SliceSchedule::fixed, 0, EhybView{}, nothing, nothing));
}

TEST_F(SpmvFormatsParity, SortedRowsMultiplyWhereCsrHasThem) {
  for_all([](Both& both) {
    const Buffer<Index> row = uploaded(both.gpu(), ell_warp_shape(both.csr().length, {.window = 1024}).row);
    for (const int block_size : block_sizes)
      both.expect_right(std::to_string(block_size), [&](const Real* x, Real* y) {
        for_each_in_blocks(both.gpu().stream(), block_size, both.rows(),
                           SortedCsrRows{both.on_gpu(), row.data(), x, y});
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

/// Full blocks and others, empty block rows and long ones, cached and streamed, against the same rows without blocks.
TEST_F(SpmvFormatsParity, BellSbellAndBcsrMultiplyBlocksOfEverySize) {
  std::set<Caching> cachings;
  for (const Index unknowns : {1, 2, 3})
    for (const Index block_rows : {1, 31, 32, 33, 97, 3000, 300'000}) {
      SCOPED_TRACE(std::to_string(unknowns) + " unknowns, " + std::to_string(block_rows) + " block rows");
      Both both(random_blocks(awkward_row_lengths(block_rows, seed), unknowns, seed + 1));
      const CsrPattern pattern{both.csr().row_begin, both.csr().column};
      std::vector<BlockEllOptions> all{bcsr_options(unknowns)};
      if (block_rows <= 3000) all.push_back(bell_options(pattern, unknowns));  // as wide as the longest block row
      for (const Index slice_rows : {32, 64, 96})
        for (const Index window : {0, 1024}) all.push_back({unknowns, slice_rows, true, window});
      for (const BlockEllOptions& options : all) {
        BlockEllLayout layout = block_ell_layout(pattern, options);
        BlockEllMatrix A(both.gpu(), layout);
        both.fill({std::move(layout.slot_of_entry), layout.value_slots()}, A.value());
        cachings.insert(A.view().caching);
        for (const int block_size : block_sizes)
          for (const Index rows_a_thread : {1, 2, 3}) {
            if (options.slice_rows % (32 * rows_a_thread) != 0 && rows_a_thread > 1) continue;
            both.expect_right(
                "slices of " + std::to_string(options.slice_rows) + ", window " + std::to_string(options.window) +
                    ", " + std::to_string(block_size) + ", " + std::to_string(rows_a_thread) + " rows a thread",
                [&](const Real* x, Real* y) {
                  block_ell_multiply(
                      A.view(), x, y,
                      [&](Index n, const auto& body) { for_each_in_blocks(both.gpu().stream(), block_size, n, body); },
                      rows_a_thread);
                });
          }
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  EXPECT_EQ(cachings.size(), 2u);
}

TEST_F(SpmvFormatsParity, NoBlockRowsAreNotLaunched) {
  CudaBackend gpu;
  EXPECT_NO_THROW(block_ell_multiply(BlockEllView{}, nullptr, nullptr, [&](Index n, const auto& body) {
    for_each_in_blocks(gpu.stream(), 64, n, body);
  }));
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
  EXPECT_EQ(small.size(), 2u);
}

TEST_F(SpmvFormatsParity, PartsOfNoRowsAreNotLaunched) {
  CudaBackend gpu;
  const auto nothing = static_cast<Real*>(nullptr);
  EXPECT_NO_THROW(parts_multiply(gpu, PartsView{}, Caching::cached, nothing, nothing));
}

TEST_F(SpmvFormatsParity, ParametersThatNoKernelHasAreRefused) {
  Both both({1, 2});
  const auto nothing = static_cast<Real*>(nullptr);
  EXPECT_THROW(csr_vector_multiply(both.gpu().stream(), 64, 3, both.on_gpu(), nothing, nothing), std::invalid_argument);
  EXPECT_THROW(MergeProduct(both.gpu(), both.on_gpu(), 3, 6), std::invalid_argument);
  EXPECT_THROW(for_each_in_blocks(both.gpu().stream(), 48, 1, RowsTimesVector<CsrView>{}), std::invalid_argument);
}

}  // namespace
}  // namespace cardiowarp
