// The rivals of `bench spmv` on the device against the host's rows, for every choice of their parameters.

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "assembly/formats.cuh"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/rivals/block_ell.hpp"
#include "kernels/rivals/csr_vector.cuh"
#include "kernels/rivals/ehyb.cuh"
#include "kernels/rivals/hyb.cuh"
#include "kernels/rivals/merge.cuh"
#include "kernels/rivals/segmented_scan.cuh"
#include "kernels/rivals/sorted_csr.hpp"
#include "tests/support/gpu_test.hpp"
#include "tests/support/products_on_both.cuh"

namespace cardiowarp {
namespace {

using namespace test::products;
using SpmvFormatsParity = GpuTest;

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

/// The product by each layout of blocks, of every size of thread blocks and number of rows a thread.
void expect_right_by_blocks(Both& both, const std::vector<BlockEllOptions>& all, std::set<Caching>& cachings) {
  const CsrPattern pattern{both.csr().row_begin, both.csr().column};
  for (const BlockEllOptions& options : all) {
    BlockEllLayout layout = block_ell_layout(pattern, options);
    BlockEllMatrix A(both.gpu(), layout);
    both.fill({std::move(layout.slot_of_entry), layout.value_slots()}, A.value());
    cachings.insert(A.view().caching);
    for (const int block_size : block_sizes)
      for (const Index rows_a_thread : {1, 2, 3}) {
        if (options.slice_rows % (32 * rows_a_thread) != 0 && rows_a_thread > 1) continue;
        both.expect_right(
            "slices of " + std::to_string(options.slice_rows) + ", window " + std::to_string(options.window) + ", " +
                std::to_string(block_size) + ", " + std::to_string(rows_a_thread) + " rows a thread",
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

/// Full blocks and others, empty block rows and long ones, cached and streamed, against the same rows without blocks.
TEST_F(SpmvFormatsParity, BellSbellAndBcsrMultiplyBlocksOfEverySize) {
  std::set<Caching> cachings;
  for (const Index unknowns : {1, 2, 3})
    for (const Index block_rows : {1, 31, 32, 33, 97, 3000, 1'000'000 / unknowns + 1}) {
      SCOPED_TRACE(std::to_string(unknowns) + " unknowns, " + std::to_string(block_rows) + " block rows");
      if (!is_tried(static_cast<std::size_t>(unknowns) * block_rows)) continue;
      Both both(random_blocks(awkward_row_lengths(block_rows, seed), unknowns, seed + 1));
      std::vector<BlockEllOptions> all{bcsr_options(unknowns)};
      if (block_rows <= 3000)  // as wide as the longest block row
        all.push_back(bell_options({both.csr().row_begin, both.csr().column}, unknowns));
      for (const Index slice_rows : {32, 64, 96})
        for (const Index window : {0, 1024}) all.push_back({unknowns, slice_rows, true, window});
      expect_right_by_blocks(both, all, cachings);
      if (HasFatalFailure()) return;
    }
  EXPECT_EQ(cachings.size(), is_tried(1'000'000) ? 2u : 1u);
}

TEST_F(SpmvFormatsParity, BellMultipliesAMillionRows) {
  std::set<Caching> cachings;
  for (const Index unknowns : {1, 2, 3}) {
    SCOPED_TRACE(unknowns);
    std::vector<Index> length(1'000'000 / unknowns + 1, 5);
    length.front() = 0;
    length.back() = 7;
    Both both(random_blocks(length, unknowns, seed + 2));
    expect_right_by_blocks(both, {bell_options({both.csr().row_begin, both.csr().column}, unknowns)}, cachings);
    if (HasFatalFailure()) return;
  }
}

TEST_F(SpmvFormatsParity, NoBlockRowsAreNotLaunched) {
  CudaBackend gpu;
  EXPECT_NO_THROW(block_ell_multiply(BlockEllView{}, nullptr, nullptr, [&](Index n, const auto& body) {
    for_each_in_blocks(gpu.stream(), 64, n, body);
  }));
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
