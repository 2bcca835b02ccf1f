#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/rivals/carries.hpp"
#include "kernels/rivals/coo.hpp"
#include "kernels/rivals/ell.hpp"
#include "kernels/rivals/merge.hpp"
#include "kernels/rivals/segmented_scan.hpp"
#include "kernels/rivals/sorted_csr.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/warp_lanes.hpp"
#include "tests/support/expect_product.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 51;

using Indices = std::vector<Index>;
using Reals = std::vector<Real>;

/// 1 . 2
/// . . .
/// 3 4 5
struct SmallCsr {
  Indices row_begin{0, 2, 2, 5}, column{0, 2, 0, 1, 2};
  Reals value{1, 2, 3, 4, 5};
  CsrView view() const { return {3, row_begin.data(), column.data(), value.data()}; }
};

/// A random matrix with x.
struct Product {
  explicit Product(const Indices& lengths) : A(lengths, seed), x(random_values(lengths.size(), seed + 1)) {}

  void expect_right(const Reals& y) const { expect_product(A, x, y); }

  RandomCsr A;
  Reals x;
};

std::vector<Indices> all_lengths() {
  std::vector<Indices> all{Indices(97, 0), Indices(97, 39), {0, 0, 5, 0, 0, 0, 1, 0}};
  for (const Index rows : {1, 31, 32, 33, 97, 3000}) all.push_back(awkward_row_lengths(rows, seed));
  return all;
}

TEST(Ell, IsColumnMajorAndPaddedWithZerosAtAColumnOfTheRow) {
  const EllMatrix ell = ell_matrix(SmallCsr().view(), 3);
  EXPECT_EQ(ell.column, (Indices{0, 0, 0, 2, 0, 1, 2, 0, 2}));
  EXPECT_EQ(ell.value, (Reals{1, 0, 3, 2, 0, 4, 0, 0, 5}));
  EXPECT_EQ(ell.row_length, (Indices{2, 0, 3}));
  EXPECT_EQ(ell.stored_entries(), 9);
}

TEST(Ell, LeavesOutWhatDoesNotFitAndCoordinatesTakeIt) {
  const SmallCsr csr;
  const EllMatrix ell = ell_matrix(csr.view(), 1);
  EXPECT_EQ(ell.value, (Reals{1, 0, 3}));
  EXPECT_EQ(ell.row_length, (Indices{1, 0, 1}));
  const CooMatrix rest = coo_matrix(csr.view(), 1);
  EXPECT_EQ(rest.row, (Indices{0, 2, 2}));
  EXPECT_EQ(rest.column, (Indices{2, 1, 2}));
  EXPECT_EQ(rest.value, (Reals{2, 4, 5}));
}

TEST(Ell, HasNoEntriesWhereThereAreNone) {
  const Indices begin{0, 0, 0};
  const CsrView empty{2, begin.data(), nullptr, nullptr};
  EXPECT_EQ(longest_row(empty), 0);
  EXPECT_TRUE(ell_matrix(empty, 0).value.empty());
  EXPECT_EQ(ell_matrix(empty, 1).value, (Reals{0, 0}));
  EXPECT_TRUE(coo_matrix(empty).row.empty());
}

TEST(Ell, HybIsAsWideAsAThirdOfTheRowsAnd4096Fill) {
  const auto width = [](Index rows, Index long_rows) {
    Indices lengths(rows, 2);
    for (Index row = 0; row < long_rows; ++row) lengths[rows - 1 - row] = 7;
    return hyb_width(RandomCsr(lengths, seed).view());
  };
  EXPECT_EQ(width(4095, 4095), 0);
  EXPECT_EQ(width(4096, 4095), 2);
  EXPECT_EQ(width(4096, 4096), 7);
  EXPECT_EQ(width(12'300, 4099), 2);
  EXPECT_EQ(width(12'300, 4100), 7);
}

TEST(Ell, MultipliesWithAndWithoutTheLengthsOfItsRows) {
  CpuBackend cpu;
  for (const Indices& lengths : all_lengths()) {
    const Product product(lengths);
    const EllBuffers ell(cpu, ell_matrix(product.A.view(), longest_row(product.A.view())));
    const Index rows = static_cast<Index>(lengths.size());
    Reals y(lengths.size(), NAN);
    cpu.for_each(rows, RowsTimesVector<EllView>{ell.view(), product.x.data(), y.data()});
    product.expect_right(y);
    y.assign(y.size(), NAN);
    cpu.for_each(rows, RowsTimesVector<EllRView>{ell.view_with_lengths(), product.x.data(), y.data()});
    product.expect_right(y);
  }
}

TEST(SortedCsr, WritesEachRowWhereItBelongs) {
  CpuBackend cpu;
  for (const Indices& lengths : all_lengths()) {
    const Product product(lengths);
    const Indices row = ell_warp_shape(lengths, {}).row;
    Reals y(lengths.size(), NAN);
    cpu.for_each(static_cast<Index>(lengths.size()),
                 SortedCsrRows{product.A.view(), row.data(), product.x.data(), y.data()});
    product.expect_right(y);
  }
}

/// Items are e0 e1 | e2 e3 e4 | with a row's end at each bar but the empty row's, which is the second of the first two.
TEST(Merge, APlaceHasTheEndsOfRowsAfterTheirEntries) {
  const Indices row_end{2, 2, 5};
  const Indices rows_ended{0, 0, 0, 1, 2, 2, 2, 2, 3};
  for (Index item = 0; item <= 8; ++item) {
    const MergePlace place = merge_place(row_end.data(), 3, 5, item);
    EXPECT_EQ(place.row, rows_ended[item]) << item;
    EXPECT_EQ(place.entry, item - rows_ended[item]) << item;
  }
}

TEST(Merge, SharesAndWhatTheyLeaveAreTheProductForEveryLengthOfAShare) {
  for (const Indices& lengths : all_lengths())
    for (const Index share : {1, 2, 7, 160, 100'000}) {
      const Product product(lengths);
      const CsrView A = product.A.view();
      const Index* row_end = A.row_begin + 1;
      const Index entries = static_cast<Index>(product.A.value.size()), items = A.rows + entries;
      const Index shares = (items + share - 1) / share;
      Reals terms(entries), y(lengths.size(), NAN), sum(shares);
      for (Index e = 0; e < entries; ++e) terms[e] = A.value[e] * product.x[A.column[e]];
      Indices row(shares);
      for (Index k = 0; k < shares; ++k) {
        const MergePlace place = merge_place(row_end, A.rows, entries, std::int64_t{k} * share);
        const RowRest rest = merge_share(place, std::min(share, items - k * share), row_end, terms.data(), y.data());
        row[k] = place.row + rest.ended < A.rows ? place.row + rest.ended : -1;
        sum[k] = rest.sum;
      }
      CpuBackend().for_each(shares, AddCarries{{shares, row.data(), sum.data()}, y.data()});
      product.expect_right(y);
    }
}

TEST(Merge, TheRestOfTwoSharesGoesOnUnlessARowEndsInTheSecond) {
  const RowRest on = joined({3, 1}, {4, 0}), anew = joined({3, 1}, {4, 2});
  EXPECT_EQ(on.sum, 7);
  EXPECT_EQ(on.ended, 1);
  EXPECT_EQ(anew.sum, 4);
  EXPECT_EQ(anew.ended, 3);
}

/// Rows of 1, 0, 4 and 2 entries, four a thread: 1| 0| 2 3 / 4 5| 6 7|
TEST(SegmentedScan, StoresTheSharesOfAWarpInLayersWithABarAtTheEndOfARow) {
  const Indices row_begin{0, 1, 1, 5, 7}, column{3, 0, 1, 2, 3, 0, 3};
  const SegmentedScanLayout layout = segmented_scan_layout({row_begin, column}, 4);
  EXPECT_EQ(layout.stretches(), 1);
  EXPECT_EQ(layout.stored_entries(), 128);
  EXPECT_EQ(layout.slot_of_entry, (std::vector<std::int64_t>{0, 64, 96, 1, 33, 65, 97}));
  EXPECT_EQ(layout.first_row, (Indices{0, 4}));
  EXPECT_EQ(layout.most_ends, 4);
  std::vector<std::uint16_t> ends_before(32, 4);
  ends_before[0] = 0;
  ends_before[1] = 2;
  EXPECT_EQ(layout.ends_before, ends_before);
  std::vector<std::uint32_t> stored(128, 0);
  stored[0] = 3 | end_of_row;
  stored[32] = end_of_row;
  stored[96] = 1;
  stored[1] = 2;
  stored[33] = 3 | end_of_row;
  stored[97] = 3 | end_of_row;
  EXPECT_EQ(layout.column_and_end, stored);
  EXPECT_EQ(layout.product_bytes(), 12 * 128 + 2 * 32 + 4 * 2 + 16 * 4);
}

/// y of a product whose blocks have so many stretches, thread after thread.
Reals scanned(const SegmentedScanView& A, Index stretches_a_block, const Reals& x) {
  Reals y(A.rows, NAN), sum;
  Indices row;
  for (Index first = 0; first < A.stretches; first += stretches_a_block) {
    const Index end = std::min(first + stretches_a_block, A.stretches);
    RowRest before{0, 0};
    for (Index stretch = first; stretch < end; ++stretch)
      for (Index lane = 0; lane < warp_lanes; ++lane) {
        Real* const sums = y.data() + A.first_row[stretch] + A.ends_before[stretch * warp_lanes + lane];
        RowRest rest{};
        with_values_per_thread(A.values_per_thread, [&]<Index Values>() {
          rest = scan_share<Values, Caching::cached>(A, stretch, lane, x.data(), sums);
        });
        if (rest.ended > 0) *sums += before.sum;
        before = joined(before, rest);
      }
    row.push_back(A.first_row[end] < A.rows ? A.first_row[end] : -1);
    sum.push_back(before.sum);
  }
  const Index blocks = static_cast<Index>(row.size());
  CpuBackend().for_each(blocks, AddCarries{{blocks, row.data(), sum.data()}, y.data()});
  return y;
}

TEST(SegmentedScan, SharesAndWhatTheyLeaveAreTheProductForEveryNumberOfValues) {
  CpuBackend cpu;
  for (const Indices& lengths : all_lengths())
    for (const Index values : segmented_scan_values) {
      const Product product(lengths);
      const SegmentedScanLayout layout = segmented_scan_layout({product.A.row_begin, product.A.column}, values);
      SegmentedScanMatrix A(cpu, layout);
      cpu.for_each(static_cast<Index>(product.A.value.size()),
                   ScatterEntries{layout.slot_of_entry.data(), product.A.value.data(), A.value()});
      for (const Index stretches : {1, 2, 7}) product.expect_right(scanned(A.view(), stretches, product.x));
    }
}

TEST(SegmentedScan, OfNoRowsHasNoStretchesAndOtherNumbersOfValuesAreRefused) {
  const Indices row_begin{0};
  EXPECT_EQ(segmented_scan_layout({row_begin, {}}, 16).stretches(), 0);
  EXPECT_THROW(segmented_scan_layout({row_begin, {}}, 5), std::invalid_argument);
  EXPECT_THROW(segmented_scan_layout({row_begin, {}}, 0), std::invalid_argument);
}

TEST(Carries, AreAddedOnceARowAndNowhereWhereNothingIsLeft) {
  Indices row{-1, 2, 2, 2, -1, 4, 5};
  Reals sum{9, 1, 2, 4, 9, 8, 16}, y(8, 100);
  CpuBackend().for_each(7, AddCarries{{7, row.data(), sum.data()}, y.data() + 1});
  EXPECT_EQ(y, (Reals{100, 100, 100, 107, 100, 108, 116, 100}));
}

}  // namespace
}  // namespace cardiowarp
