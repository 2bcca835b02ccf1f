#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "kernels/sparse/matrix_format.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/threads.hpp"

namespace cardiowarp {
namespace {

constexpr auto k1 = EllWarpVariant::k1;
constexpr auto k2 = EllWarpVariant::k2;
constexpr auto none = EllWarpRenumbering::none;
constexpr auto r = EllWarpRenumbering::rows;
constexpr auto rs = EllWarpRenumbering::rows_and_columns_sorted;

using Indices = std::vector<Index>;
using Slots = std::vector<std::int64_t>;
using Values = std::vector<Real>;

/// Lanes [0, 32) of a layer: those given, then padding of 0.
Indices layer(Indices lanes) {
  lanes.resize(32, 0);
  return lanes;
}

Indices operator+(Indices a, const Indices& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// y = A x, or A times ones, by the loop over slices; every row that is not written stays NaN.
template <class Term>
Values multiply(const EllWarpMatrix& A, const Term& term) {
  CpuBackend backend;
  Values y(A.view().rows, NAN);
  backend.for_each(A.view().slices, EllWarpSlices<Term>{A.view(), term, y.data()});
  return y;
}

EllWarpMatrix filled(const EllWarpLayout& layout, const Values& csr_value) {
  CpuBackend backend;
  EllWarpMatrix A(backend, layout);
  backend.for_each(static_cast<Index>(csr_value.size()),
                   ScatterEntries{layout.slot_of_entry.data(), csr_value.data(), A.value()});
  return A;
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

//  row  length                        sorted: 1 4 3 0 2
//   0     1     | . . 1 . . |
//   1     3     | 2 3 . . 4 |
//   2     0     | . . . . . |
//   3     2     | . 5 . 6 . |
//   4     3     | 7 . 8 . 9 |
struct Drawing {
  Indices length{1, 3, 0, 2, 3}, column{2, 0, 1, 4, 1, 3, 0, 2, 4};
  Values value{1, 2, 3, 4, 5, 6, 7, 8, 9}, x{1, 10, 100, 1000, 10000};
  Values product{100, 40032, 0, 6050, 90807}, sum{1, 9, 0, 11, 24};
};

// One slice of three layers, whose lanes are the sorted rows; a row's padding repeats its last column.
//   lane      0 1 2 3 4
//   layer 0   0 0 1 2 .
//   layer 1   1 2 3 2 .
//   layer 2   4 4 3 2 .
TEST(EllWarp, K1OfADrawnMatrixIsASliceAsWideAsItsLongestRowStoredEntryMajor) {
  const Drawing drawing;
  const EllWarpLayout layout = ell_warp_layout(drawing.length, drawing.column, {k1, none, 1, 0});
  EXPECT_EQ(layout.shape.row, (Indices{1, 4, 3, 0, 2}));
  EXPECT_EQ(layout.shape.slice_begin, (Slots{0, 96}));
  EXPECT_EQ(layout.shape.slice_row, (Indices{0, 5}));
  EXPECT_EQ(layout.shape.slice_lanes, (Indices{1}));
  EXPECT_EQ(layout.slot_of_entry, (Slots{3, 0, 32, 64, 2, 34, 1, 33, 65}));
  EXPECT_EQ(layout.column, layer({0, 0, 1, 2}) + layer({1, 2, 3, 2}) + layer({4, 4, 3, 2}));
  EXPECT_EQ(layout.shape.entries, 9);
  EXPECT_EQ(layout.shape.padding_ratio(), 96 / 9.0);
  const EllWarpMatrix A = filled(layout, drawing.value);
  EXPECT_EQ(multiply(A, TimesVector{drawing.x.data()}), drawing.product);
  EXPECT_EQ(multiply(A, TimesOnes{}), drawing.sum);
}

// Threshold 1: the longest row has 3 > 2 entries, so each row of the slice has four lanes and one layer is enough.
//   lane      0 1 2 3 | 4 5 6 7 | 8 9 10 11 | 12 ..
//   layer 0   0 1 4 4 | 0 2 4 4 | 1 3  3  3 |  2 ..
TEST(EllWarp, K2OfADrawnMatrixGivesARowFourLanes) {
  const Drawing drawing;
  const EllWarpLayout layout = ell_warp_layout(drawing.length, drawing.column, {k2, none, 1, 0});
  EXPECT_EQ(layout.shape.row, (Indices{1, 4, 3, 0, 2}));
  EXPECT_EQ(layout.shape.slice_begin, (Slots{0, 32}));
  EXPECT_EQ(layout.shape.slice_row, (Indices{0, 5}));
  EXPECT_EQ(layout.shape.slice_lanes, (Indices{4}));
  EXPECT_EQ(layout.slot_of_entry, (Slots{12, 0, 1, 2, 8, 9, 4, 5, 6}));
  EXPECT_EQ(layout.column, layer({0, 1, 4, 4, 0, 2, 4, 4, 1, 3, 3, 3, 2, 2, 2, 2}));
  const EllWarpMatrix A = filled(layout, drawing.value);
  EXPECT_EQ(multiply(A, TimesVector{drawing.x.data()}), drawing.product);
  EXPECT_EQ(multiply(A, TimesOnes{}), drawing.sum);
}

// Threshold 2: entries 0 and 2 of a row of three are in its first lane, entry 1 in its second.
//   lane      0 1 | 2 3 | 4 5 | 6 7 | 8 ..
//   layer 0   0 1 | 0 2 | 1 3 | 2 2 | . ..
//   layer 1   4 4 | 4 4 | 3 3 | 2 2 | . ..
TEST(EllWarp, K2DealsTheEntriesOfARowOutToItsLanesInTurn) {
  const Drawing drawing;
  const EllWarpLayout layout = ell_warp_layout(drawing.length, drawing.column, {k2, none, 2, 0});
  EXPECT_EQ(layout.shape.slice_lanes, (Indices{2}));
  EXPECT_EQ(layout.slot_of_entry, (Slots{6, 0, 1, 32, 4, 5, 2, 3, 34}));
  EXPECT_EQ(layout.column, layer({0, 1, 0, 2, 1, 3, 2, 2}) + layer({4, 4, 4, 4, 3, 3, 2, 2}));
  const EllWarpMatrix A = filled(layout, drawing.value);
  EXPECT_EQ(multiply(A, TimesVector{drawing.x.data()}), drawing.product);
  EXPECT_EQ(multiply(A, TimesOnes{}), drawing.sum);
}

// Threshold 2: 100 > 64 entries have a warp and four layers; of 64, a warp and two; 33, too (17 lanes are not a power
// of two); 32 and 4, sixteen and two lanes in one slice; the rest one lane.
TEST(EllWarp, K2HalvesLongRowsUntilTheThresholdIsMet) {
  const EllWarpShape shape = ell_warp_shape(Indices{2, 4, 100, 64, 33, 32, 1, 0}, {k2, none, 2, 0});
  EXPECT_EQ(shape.row, (Indices{2, 3, 4, 5, 1, 0, 6, 7}));
  EXPECT_EQ(shape.slice_row, (Indices{0, 1, 2, 3, 5, 8}));
  EXPECT_EQ(shape.slice_lanes, (Indices{32, 32, 32, 16, 1}));
  EXPECT_EQ(shape.slice_begin, (Slots{0, 128, 192, 256, 320, 384}));
}

TEST(EllWarp, K2WithAThresholdAboveEveryRowIsK1) {
  const Indices length{3, 0, 5, 1, 1, 1, 4, 9, 2, 2};
  const EllWarpShape one = ell_warp_shape(length, {k1, none, 1, 0}), two = ell_warp_shape(length, {k2, none, 9, 0});
  EXPECT_EQ(one.row, two.row);
  EXPECT_EQ(one.slice_begin, two.slice_begin);
  EXPECT_EQ(one.slice_lanes, two.slice_lanes);
}

// Rows 1, 3, 5, .. have two entries, the others one; row 40 has three.
TEST(EllWarp, RowsAreSortedInsideAWindowOnlyAndEqualOnesKeepTheirOrder) {
  Indices length(70);
  for (Index row = 0; row < 70; ++row) length[row] = 1 + row % 2;
  length[40] = 3;
  Indices expected;
  for (Index row = 1; row < 32; row += 2) expected.push_back(row);
  for (Index row = 0; row < 32; row += 2) expected.push_back(row);
  expected.push_back(40);
  for (Index row = 33; row < 64; row += 2) expected.push_back(row);
  for (Index row = 32; row < 64; row += 2)
    if (row != 40) expected.push_back(row);
  for (const Index row : {65, 67, 69, 64, 66, 68}) expected.push_back(row);
  const EllWarpShape shape = ell_warp_shape(length, {k1, none, 1, 32});
  EXPECT_EQ(shape.row, expected);
  EXPECT_EQ(shape.slice_begin, (Slots{0, 64, 160, 224}));
  EXPECT_EQ(ell_warp_shape(length, {k1, none, 1, 0}).slice_begin, (Slots{0, 96, 160, 192}));
  // K2: the second window begins a slice of its own, although the last one of the first has room.
  EXPECT_EQ(ell_warp_shape(length, {k2, none, 2, 32}).slice_row, (Indices{0, 32, 48, 64, 70}));
}

// Paper 000 sec. 5.2: P = 2 5 7 3 1 4 6 and a row [7 8 9 10 2] at columns 1 2 4 5 6, all counted from 1, here from 0.
// Row 7 (our 6) is the one of the paper; the lengths of the others make P the order of the rows.
class PaperExample : public testing::Test {
 protected:
  static constexpr Index row_of_paper = 6, position = 2;
  PaperExample() {
    for (Index row = 0; row < 7; ++row)
      for (Index k = 0; k < length[row]; ++k) column.push_back(row == row_of_paper ? paper_column[k] : k);
    const std::size_t first = column.size() - paper_column.size();
    value.assign(column.size(), 1);
    std::copy(paper_value.begin(), paper_value.end(), value.begin() + first);
  }
  const Indices length{3, 7, 4, 2, 6, 1, 5}, paper_column{0, 1, 3, 4, 5};
  const Values paper_value{7, 8, 9, 10, 2}, x{1, 2, 3, 4, 5, 6, 7};
  Indices column;
  Values value;
};

TEST_F(PaperExample, RenumberedColumnsAreThoseOfThePaper) {
  const EllWarpLayout layout = ell_warp_layout(length, column, {k1, r, 1, 0});
  EXPECT_EQ(layout.shape.row, (Indices{1, 4, 6, 2, 0, 3, 5}));
  EXPECT_EQ(inverse_permutation(layout.shape.row), (Indices{4, 0, 3, 5, 1, 6, 2}));
  const EllWarpMatrix A = filled(layout, value);
  Indices new_column;
  Values new_value;
  for (Index k = 0; k < 5; ++k) {
    new_column.push_back(1 + A.view().column[position + 32 * k]);
    new_value.push_back(A.view().value[position + 32 * k]);
  }
  EXPECT_EQ(new_column, (Indices{5, 1, 6, 2, 7}));
  EXPECT_EQ(new_value, paper_value);
}

TEST_F(PaperExample, SortedColumnsAreThoseOfThePaperAndTheValuesGoWithThem) {
  const EllWarpMatrix A = filled(ell_warp_layout(length, column, {k1, rs, 1, 0}), value);
  Indices new_column;
  Values new_value;
  for (Index k = 0; k < 5; ++k) {
    new_column.push_back(1 + A.view().column[position + 32 * k]);
    new_value.push_back(A.view().value[position + 32 * k]);
  }
  EXPECT_EQ(new_column, (Indices{1, 2, 5, 6, 7}));
  EXPECT_EQ(new_value, (Values{8, 10, 7, 9, 2}));
}

// Vectors in the sorted numbering: x' = x(P), (A x)' = (A x)(P).
TEST_F(PaperExample, RenumberedProductsStayInTheSortedNumbering) {
  const Values product{6, 28, 10, 3, 21, 1, 7 * 1 + 8 * 2 + 9 * 4 + 10 * 5 + 2 * 6};
  for (const auto renumbering : {r, rs}) {
    const EllWarpLayout layout = ell_warp_layout(length, column, {k1, renumbering, 1, 0});
    Values new_x, new_product;
    for (const Index row : layout.shape.row) {
      new_x.push_back(x[row]);
      new_product.push_back(product[row]);
    }
    const EllWarpMatrix A = filled(layout, value);
    EXPECT_EQ(multiply(A, TimesVector{new_x.data()}), new_product);
    for (Index row = 0; row < 7; ++row) EXPECT_EQ(row_times_vector(A.view(), row, new_x.data()), new_product[row]);
  }
}

TEST(EllWarp, AShapeFollowsFromTheOrderOfAnotherOneOfItsWindow) {
  Indices length(101);
  for (Index row = 0; row < 101; ++row) length[row] = row * 37 % 23;
  for (const bool sorted : {true, false}) {
    const EllWarpOptions options{k2, none, 3, 32, sorted};
    const EllWarpShape shape = ell_warp_shape(length, options),
                       same = ell_warp_shape(length, ell_warp_shape(length, {k1, none, 1, 32, sorted}).row, options);
    EXPECT_EQ(same.row, shape.row);
    EXPECT_EQ(same.slice_begin, shape.slice_begin);
    EXPECT_EQ(same.slice_row, shape.slice_row);
    EXPECT_EQ(same.slice_lanes, shape.slice_lanes);
  }
}

// Lane and row are the same; the slice is as wide as its longest row wherever that is.
TEST(EllWarp, UnsortedRowsStayInTheirOrder) {
  const Drawing drawing;
  const EllWarpLayout layout = ell_warp_layout(drawing.length, drawing.column, {k1, r, 1, 0, false});
  EXPECT_EQ(layout.shape.row, (Indices{0, 1, 2, 3, 4}));
  EXPECT_EQ(layout.shape.slice_begin, (Slots{0, 96}));
  EXPECT_EQ(layout.slot_of_entry, (Slots{0, 1, 33, 65, 3, 35, 4, 36, 68}));
  EXPECT_EQ(layout.column, layer({2, 0, 0, 1, 0}) + layer({2, 1, 0, 3, 2}) + layer({2, 4, 0, 3, 4}));
  EXPECT_EQ(multiply(filled(layout, drawing.value), TimesVector{drawing.x.data()}), drawing.product);
  // 33 rows are two slices, each with its own width.
  Indices length(33, 1);
  length[31] = 7;
  length[32] = 2;
  EXPECT_EQ(ell_warp_shape(length, {k1, r, 1, 0, false}).slice_begin, (Slots{0, 224, 288}));
  // K2: as many lanes as the longest of the rows that could be in the slice asks for
  EXPECT_EQ(ell_warp_shape(length, {k2, r, 2, 0, false}).slice_lanes, (Indices{4, 4, 4, 4, 1}));
}

TEST(EllWarp, AMatrixThatOnlyMeetsOnesNeedsNoColumns) {
  const Drawing drawing;
  const EllWarpLayout layout = ell_warp_layout(drawing.length, {}, {k2, rs, 2, 0});
  EXPECT_TRUE(layout.column.empty());
  EXPECT_EQ(multiply(filled(layout, drawing.value), TimesOnes{}), (Values{9, 24, 11, 1, 0}));
}

TEST(EllWarp, MatricesWithoutRowsOrEntriesAreNoSpecialCase) {
  const EllWarpShape no_rows = ell_warp_shape({}, {});
  EXPECT_EQ(no_rows.slices(), 0);
  EXPECT_EQ(no_rows.stored_entries(), 0);
  EXPECT_EQ(no_rows.padding_ratio(), 1);
  const EllWarpLayout no_entries = ell_warp_layout(Indices(40, 0), {}, {k2, none, 1, 0});
  EXPECT_EQ(no_entries.shape.slices(), 2);
  EXPECT_EQ(multiply(filled(no_entries, {}), TimesOnes{}), Values(40, 0.0));
}

TEST(EllWarp, StoredEntriesMayPassTwoToThe31) {
  const Index length = Index{1} << 30;
  const EllWarpShape shape = ell_warp_shape(Indices(33, length), {});
  EXPECT_EQ(shape.entries, 33 * std::int64_t{length});
  EXPECT_EQ(shape.slice_begin, (Slots{0, 32 * std::int64_t{length}, 64 * std::int64_t{length}}));
  EXPECT_EQ(slot_in_slice(31, 1, length), 31 + 32 * std::int64_t{length});
}

TEST(EllWarp, MoreRowsThanAnIndexCanNumberAreRefusedWithBothNumbers) {
  const Index length = 0;
  try {
    ell_warp_shape(std::span<const Index>(&length, std::size_t{1} << 31), {});  // none of them is read
    FAIL() << "accepted";
  } catch (const std::length_error& error) {
    EXPECT_STREQ(error.what(), "ELL-WARP: expected at most 2147483647 rows, got 2147483648");
  }
}

TEST(EllWarp, RowLengthsAreTheDistancesOfTheirBegins) {
  EXPECT_EQ(row_lengths(Indices{0, 2, 2, 5}), (Indices{2, 0, 3}));
}

TEST(EllWarp, OptionsThatMakeNoSenseAreRefusedWithWhatIsExpected) {
  const Indices length{1, 1}, column{0, 1};
  EXPECT_EQ(message_of([&] {
              ell_warp_shape(length, {k2, none, 0, 0});
            }),
            "ELL-WARP: expected a K2 threshold of at least 1, got 0");
  EXPECT_NO_THROW(ell_warp_shape(length, {k1, none, 0, 0}));  // K1 has no threshold
  EXPECT_EQ(message_of([&] {
              ell_warp_shape(length, {k1, none, 1, 48});
            }),
            "ELL-WARP: expected a sorting window of a multiple of 32 rows, or 0 for the whole matrix, got 48");
  EXPECT_NE(message_of([&] { ell_warp_shape(length, {k1, none, 1, -32}); }), "nothing was thrown");
  EXPECT_EQ(message_of([&] {
              ell_warp_shape(Indices{1, -2}, {});
            }),
            "ELL-WARP: expected row lengths of at least 0, got -2 for row 1");
  EXPECT_EQ(message_of([&] { ell_warp_layout(length, Indices{0}, {}); }),
            "ELL-WARP: expected a column for each of 2 entries, got 1");
  EXPECT_EQ(message_of([&] {
              ell_warp_layout(length, Indices{0, -1}, {});
            }),
            "ELL-WARP: expected columns of at least 0, got -1");
  EXPECT_EQ(message_of([&] {
              ell_warp_layout(length, Indices{0, 2}, {k1, r, 1, 0});
            }),
            "ELL-WARP: expected columns in [0, 2), got 2");
  EXPECT_NO_THROW(ell_warp_layout(length, Indices{0, 2}, {}));  // more columns than rows
  for (const int threads : {32, 64, 96, 1024}) EXPECT_NO_THROW(require_valid_block_size(threads));
  for (const int threads : {0, -32, 1, 48, 1056})
    EXPECT_EQ(message_of([&] { require_valid_block_size(threads); }),
              "ELL-WARP: expected a block size of a multiple of 32 in [32, 1024], got " + std::to_string(threads));
}

TEST(EllWarpLayout, HasColumn0WhereALaneHasNoRowAndWhereARowHasNoEntry) {
  for (const auto variant : {k1, k2})
    for (const bool sorted : {true, false}) {
      const Indices length{0, 3, 0, 2, 1}, column{4, 3, 2, 4, 3, 4};
      const EllWarpOptions options{variant, rs, 1, 0, sorted};
      const std::int64_t slots = ell_warp_shape(length, options).stored_entries();
      { const TeamVector<Index> used_before(slots, -1); }  // the same memory again, most likely
      const EllWarpLayout layout = ell_warp_layout(length, column, options);
      TeamVector<Index> expected(slots, 0);
      const Indices new_of_old = inverse_permutation(layout.shape.row);
      for (std::size_t entry = 0; entry < column.size(); ++entry)
        expected[layout.slot_of_entry[entry]] = new_of_old[column[entry]];
      Index others = 0;  // padding of rows with entries
      for (std::int64_t slot = 0; slot < slots; ++slot)
        if (layout.column[slot] != expected[slot]) {
          EXPECT_GT(layout.column[slot], 0);
          ++others;
        }
      EXPECT_LE(others, 9);
    }
}

TEST(EllWarpLayout, DoesNotDependOnTheNumberOfThreads) {
  for (const auto variant : {k1, k2})
    for (const Index window : {0, 96, 1024}) {
      const RandomCsr csr(awkward_row_lengths(40'000, 5), 6);
      const auto layout_by = [&](int threads) {
        const test::Threads team(threads);
        return ell_warp_layout(csr.length, csr.column, {variant, rs, 4, window});
      };
      const EllWarpLayout one = layout_by(1), five = layout_by(5);
      EXPECT_EQ(one.shape.slice_begin, five.shape.slice_begin);
      EXPECT_EQ(one.shape.slice_row, five.shape.slice_row);
      EXPECT_EQ(one.shape.slice_lanes, five.shape.slice_lanes);
      EXPECT_EQ(one.shape.row, five.shape.row);
      EXPECT_EQ(one.shape.entries, five.shape.entries);
      EXPECT_EQ(one.column, five.column);
      EXPECT_EQ(one.slot_of_entry, five.slot_of_entry);
    }
}

TEST(EllWarpLayout, KeepsTheOrderOfEntriesWithTheSameColumn) {
  Indices column(100, 3);  // more than are sorted by insertion
  column.insert(column.end(), {2, 0, 2, 1, 0});
  const EllWarpLayout layout = ell_warp_layout(Indices{100, 5, 0, 0}, column, {k1, rs, 1, 0});
  for (Index k = 0; k < 100; ++k) EXPECT_EQ(layout.slot_of_entry[k], 32 * k);
  EXPECT_EQ(Slots(layout.slot_of_entry.begin() + 100, layout.slot_of_entry.end()),
            (Slots{1 + 32 * 3, 1, 1 + 32 * 4, 1 + 32 * 2, 1 + 32}));
}

TEST(StoredEntries, TakeValuesAndHave0WhereThereIsPadding) {
  for (const Index rows : {1, 31, 33, 97, 50'000}) {
    const RandomCsr csr(Indices(rows, 1), 3);
    EllWarpLayout layout = ell_warp_layout(csr.length, csr.column, {k1, rs, 1, 32});
    const StoredEntries entries{layout.slot_of_entry, layout.shape.stored_entries()};
    { const TeamVector<Real> used_before(entries.slots, -1); }
    TeamVector<Real> stored = values_in_slots(entries, csr.value);
    ASSERT_EQ(std::ssize(stored), entries.slots);
    for (std::size_t entry = 0; entry < csr.value.size(); ++entry) {
      ASSERT_EQ(stored[layout.slot_of_entry[entry]], csr.value[entry]);
      stored[layout.slot_of_entry[entry]] = 0;
    }
    EXPECT_EQ(std::count(stored.begin(), stored.end(), Real{0}), entries.slots);
  }
}

TEST(TeamVector, HoldsWhatIsWrittenAtEverySize) {
  for (const std::size_t size : {0UL, 1UL, 33UL, 262'143UL, 262'144UL, 262'145UL, 3'000'000UL}) {  // 2 MiB are 262,144
    TeamVector<std::int64_t> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::int64_t>(i);
    const TeamVector<std::int64_t> same = values;
    values.resize(size + 1, 7);
    EXPECT_EQ(values.back(), 7);
    values.pop_back();
    EXPECT_EQ(values, same);
  }
  EXPECT_THROW(TeamVector<std::int64_t>().reserve(static_cast<std::size_t>(-1) / 8), std::length_error);
}

}  // namespace
}  // namespace cardiowarp
