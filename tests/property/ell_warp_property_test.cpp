// Every variant of ELL-WARP against CSR on random matrices with empty rows and a very long one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 11;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

struct Case {
  Index rows;
  EllWarpOptions options;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Index rows : {1, 31, 32, 33, 97, 3000})
    for (const auto renumbering :
         {EllWarpRenumbering::none, EllWarpRenumbering::rows, EllWarpRenumbering::rows_and_columns_sorted})
      for (const Index window : {0, 32, 64, 1024}) {
        cases.push_back({rows, {EllWarpVariant::k1, renumbering, 1, window}});
        for (const Index threshold : {1, 3, 8, 1000})
          cases.push_back({rows, {EllWarpVariant::k2, renumbering, threshold, window}});
      }
  return cases;
}

std::string name_of(const Case& c) {
  const char* suffix[] = {"", "r", "rs"};
  return (c.options.variant == EllWarpVariant::k1 ? "K1" : "K2") + std::string(suffix[int(c.options.renumbering)]) +
         ", " + std::to_string(c.rows) + " rows, threshold " + std::to_string(c.options.threshold) + ", window " +
         std::to_string(c.options.window) + ", seed " + std::to_string(seed);
}

/// A random matrix in both formats, and the number in which vectors of the second have each row of the first.
struct Both {
  explicit Both(const Case& c)
      : csr(awkward_row_lengths(c.rows, seed), seed + 1),
        layout(ell_warp_layout(csr.length, csr.column, c.options)),
        matrix(backend, layout) {
    backend.for_each(static_cast<Index>(csr.value.size()),
                     ScatterEntries{layout.slot_of_entry.data(), csr.value.data(), matrix.value()});
    number = inverse_permutation(layout.shape.row);
    if (c.options.renumbering == EllWarpRenumbering::none)
      for (Index row = 0; row < c.rows; ++row) number[row] = row;
  }
  template <class Term>
  std::vector<Real> multiply(const Term& term) {
    std::vector<Real> y(csr.length.size(), NAN);
    backend.for_each(matrix.view().slices, EllWarpSlices<Term>{matrix.view(), term, y.data()});
    return y;
  }
  CpuBackend backend;
  RandomCsr csr;
  EllWarpLayout layout;
  EllWarpMatrix matrix;
  std::vector<Index> number;
};

/// |difference| of two sums of the same `length` terms in any two orders, products rounded once.
Real bound(Index length, Real sum_of_magnitudes) { return 2 * epsilon * length * sum_of_magnitudes; }

TEST(EllWarpProperty, ProductsAndSumsAreThoseOfCsr) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(name_of(c));
    Both both(c);
    const RandomCsr& csr = both.csr;
    const std::vector<Real> x = random_values(c.rows, seed + 2);
    std::vector<Real> new_x(c.rows);
    for (Index row = 0; row < c.rows; ++row) new_x[both.number[row]] = x[row];
    const std::vector<Real> product = both.multiply(TimesVector{new_x.data()}), sum = both.multiply(TimesOnes{});
    for (Index row = 0; row < c.rows; ++row) {
      Real row_sum = 0, magnitude = 0, product_magnitude = 0;
      for (Index e = csr.row_begin[row]; e < csr.row_begin[row + 1]; ++e) {
        row_sum += csr.value[e];
        magnitude += std::abs(csr.value[e]);
        product_magnitude += std::abs(csr.value[e] * x[csr.column[e]]);
      }
      ASSERT_NEAR(product[both.number[row]], row_times_vector(csr.view(), row, x.data()),
                  bound(csr.length[row], product_magnitude))
          << "row " << row;
      ASSERT_NEAR(sum[both.number[row]], row_sum, bound(csr.length[row], magnitude)) << "row " << row;
    }
  }
}

TEST(EllWarpProperty, ConjugateGradientsRowByRowProductIsTheSameBitForBit) {
  for (const Case& c : all_cases()) {
    if (c.options.variant != EllWarpVariant::k1 || c.options.renumbering == EllWarpRenumbering::none) continue;
    SCOPED_TRACE(name_of(c));
    Both both(c);
    const std::vector<Real> x = random_values(c.rows, seed + 2), product = both.multiply(TimesVector{x.data()});
    for (Index row = 0; row < c.rows; ++row)
      ASSERT_EQ(row_times_vector(both.matrix.view(), row, x.data()), product[row]) << "row " << row;
  }
}

TEST(EllWarpProperty, EveryEntryHasASlotOfItsOwnAndPaddingAColumnOfItsRow) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(name_of(c));
    const Both both(c);
    const RandomCsr& csr = both.csr;
    const EllWarpShape& shape = both.layout.shape;
    TeamVector<std::int64_t> slots = both.layout.slot_of_entry;
    std::sort(slots.begin(), slots.end());
    ASSERT_EQ(std::adjacent_find(slots.begin(), slots.end()), slots.end());
    ASSERT_EQ(std::ssize(both.layout.column), shape.stored_entries());
    std::int64_t of_rows = 0;
    for (Index slice = 0; slice < shape.slices(); ++slice)
      for (Index position = shape.slice_row[slice]; position < shape.slice_row[slice + 1]; ++position) {
        const Index row = shape.row[position], lanes = shape.slice_lanes[slice];
        std::set<Index> columns;
        for (Index e = csr.row_begin[row]; e < csr.row_begin[row + 1]; ++e) columns.insert(both.number[csr.column[e]]);
        const std::int64_t first =
            shape.slice_begin[slice] + slot_in_slice(position - shape.slice_row[slice], lanes, 0);
        for (std::int64_t layer = first; layer < shape.slice_begin[slice + 1]; layer += 32)
          for (std::int64_t slot = layer; slot < layer + lanes; ++slot) {
            const bool own = columns.contains(both.layout.column[slot]);
            ASSERT_TRUE(own || (columns.empty() && both.layout.column[slot] == 0)) << "row " << row;
            of_rows += std::binary_search(slots.begin(), slots.end(), slot);
          }
      }
    EXPECT_EQ(of_rows, std::ssize(csr.column));  // every slot lies in the lanes of some row
  }
}

TEST(EllWarpProperty, SlicesHoldEachRowOnceAndNoMoreThanTheirLanes) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(name_of(c));
    const Both both(c);
    const EllWarpShape& shape = both.layout.shape;
    std::vector<Index> rows = shape.row;
    std::sort(rows.begin(), rows.end());
    for (Index row = 0; row < c.rows; ++row) ASSERT_EQ(rows[row], row);
    EXPECT_EQ(shape.slice_row.front(), 0);
    EXPECT_EQ(shape.slice_row.back(), c.rows);
    for (Index slice = 0; slice < shape.slices(); ++slice) {
      const Index begin = shape.slice_row[slice], end = shape.slice_row[slice + 1], lanes = shape.slice_lanes[slice];
      ASSERT_GT(end, begin);
      ASSERT_LE((end - begin) * lanes, 32);
      const Index window = c.options.window == 0 ? c.rows : c.options.window;
      for (Index position = begin; position < end; ++position)
        ASSERT_EQ(shape.row[position] / window, begin / window) << "a row has left its window";
      const std::int64_t entries_a_lane = (shape.slice_begin[slice + 1] - shape.slice_begin[slice]) / 32;
      const Index longest = both.csr.length[shape.row[begin]];
      if (c.options.variant == EllWarpVariant::k1) {
        ASSERT_EQ(lanes, 1);
        ASSERT_EQ(begin, 32 * slice);
        ASSERT_EQ(entries_a_lane, longest);
      } else if (lanes == 32) {
        ASSERT_EQ(entries_a_lane, (longest + 31) / 32);
      } else {
        ASSERT_LE(entries_a_lane, c.options.threshold);
      }
      // No more lanes than needed: half of them would exceed the threshold.
      if (lanes > 1) {
        ASSERT_GT((longest + lanes / 2 - 1) / (lanes / 2), c.options.threshold);
      }
    }
  }
}

TEST(EllWarpProperty, SortedColumnsAscendAlongEveryRow) {
  Index unsorted_without = 0;
  for (const Case& c : all_cases()) {
    if (c.options.renumbering == EllWarpRenumbering::none) continue;
    SCOPED_TRACE(name_of(c));
    const Both both(c);
    const EllWarpShape& shape = both.layout.shape;
    for (Index slice = 0; slice < shape.slices(); ++slice)
      for (Index position = shape.slice_row[slice]; position < shape.slice_row[slice + 1]; ++position) {
        std::vector<Index> columns;
        for (Index k = 0; k < both.csr.length[shape.row[position]]; ++k)
          columns.push_back(
              both.layout.column[shape.slice_begin[slice] +
                                 slot_in_slice(position - shape.slice_row[slice], shape.slice_lanes[slice], k)]);
        const bool sorted = std::is_sorted(columns.begin(), columns.end());
        if (c.options.renumbering == EllWarpRenumbering::rows) {
          unsorted_without += !sorted;
        } else {
          ASSERT_TRUE(sorted) << "position " << position;
        }
      }
  }
  EXPECT_GT(unsorted_without, 0);  // otherwise the order was there without sorting
}

}  // namespace
}  // namespace cardiowarp
