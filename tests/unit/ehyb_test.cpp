#include "kernels/rivals/ehyb.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/sparse/matrix_format.hpp"
#include "kernels/sparse/warp_lanes.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 61;

using Indices = std::vector<Index>;
using Reals = std::vector<Real>;

/// The drawing of ehyb.hpp; the value of entry (i, j) is 10 i + j + 1.
struct Drawn {
  Indices row_begin{0, 3, 5, 7, 10, 12, 13}, column{0, 2, 4, 1, 3, 0, 2, 0, 2, 3, 1, 4, 5};
  Reals value{1, 3, 5, 12, 14, 21, 23, 31, 33, 34, 42, 45, 56};
  Indices part{0, 1, 0, 1, 0, 1};
  CsrView view() const { return {6, row_begin.data(), column.data(), value.data()}; }
};

template <class Value>
std::vector<Value> lane(const std::vector<Value>& slots, std::int64_t begin, std::int64_t end, Index lane) {
  std::vector<Value> values;
  for (std::int64_t slot = begin + lane; slot < end; slot += warp_lanes) values.push_back(slots[slot]);
  return values;
}

template <class Column>
void expect_lane(const Slices<Column>& slices, std::size_t slice, Index number, const Indices& column,
                 const Reals& value) {
  const std::vector<Column> columns = lane(slices.column, slices.begin[slice], slices.begin[slice + 1], number);
  EXPECT_EQ(Indices(columns.begin(), columns.end()), column) << "slice " << slice << ", lane " << number;
  EXPECT_EQ(lane(slices.value, slices.begin[slice], slices.begin[slice + 1], number), value)
      << "slice " << slice << ", lane " << number;
}

TEST(Ehyb, StoresTheExampleAsItIsDrawnWithSlicesOf32Rows) {
  const Drawn A;
  const EhybMatrix ehyb = ehyb_matrix(A.view(), A.part, 2);
  EXPECT_EQ(ehyb.row, (Indices{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(ehyb.part_begin, (Indices{0, 3, 6}));
  EXPECT_EQ(ehyb.part_slice, (Indices{0, 1, 2}));
  EXPECT_EQ(ehyb.longest_part(), 3);
  EXPECT_EQ(ehyb.own.begin, (std::vector<std::int64_t>{0, 96, 160}));
  expect_lane(ehyb.own, 0, 0, {0, 1, 2}, {1, 3, 5});
  expect_lane(ehyb.own, 0, 1, {0, 1, 1}, {21, 23, 0});
  expect_lane(ehyb.own, 0, 2, {2, 2, 2}, {45, 0, 0});
  expect_lane(ehyb.own, 0, 3, {0, 0, 0}, {0, 0, 0});
  expect_lane(ehyb.own, 1, 0, {0, 1}, {12, 14});
  expect_lane(ehyb.own, 1, 1, {1, 1}, {34, 0});
  expect_lane(ehyb.own, 1, 2, {2, 2}, {56, 0});
  EXPECT_EQ(ehyb.extra_row, (Indices{4, 2}));
  EXPECT_EQ(ehyb.extra.begin, (std::vector<std::int64_t>{0, 64}));
  expect_lane(ehyb.extra, 0, 0, {0, 1}, {31, 33});
  expect_lane(ehyb.extra, 0, 1, {3, 3}, {42, 0});
  EXPECT_EQ(ehyb.extra_entries, 3);
  EXPECT_EQ(ehyb.columns_of_extra, 3);
  EXPECT_EQ(ehyb.stored_entries(), 160 + 64);
  EXPECT_EQ(ehyb.product_bytes(), 10 * (9 + 6) + 12 * 4 + 8 * (3 + 2 + 3) + 16 * 6 + 20 * 2 + 8 * 3);
}

/// Rows of 0 to `longest` entries, in parts of which one has none.
TEST(Ehyb, SortsThoseOfAPartByOwnEntriesAndThoseWithExtraEntriesByThese) {
  const RandomCsr A(awkward_row_lengths(3000, seed), seed);
  const Index parts = 9, without_rows = 4;
  std::mt19937 generator(seed);
  Indices part(3000);
  for (Index& k : part)
    while ((k = static_cast<Index>(generator() % parts)) == without_rows) continue;
  const EhybMatrix ehyb = ehyb_matrix(A.view(), part, parts);
  EXPECT_EQ(ehyb.part_begin[without_rows], ehyb.part_begin[without_rows + 1]);
  EXPECT_EQ(ehyb.part_slice[without_rows], ehyb.part_slice[without_rows + 1]);
  Indices own(3000), extra(3000);
  for (Index row = 0; row < 3000; ++row)
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e)
      ++(part[A.column[e]] == part[row] ? own : extra)[row];
  for (Index k = 0; k < parts; ++k)
    for (Index row = ehyb.part_begin[k]; row < ehyb.part_begin[k + 1]; ++row) {
      ASSERT_EQ(part[ehyb.row[row]], k);
      if (row > ehyb.part_begin[k]) {
        ASSERT_GE(own[ehyb.row[row - 1]], own[ehyb.row[row]]);
      }
    }
  Indices expected;
  for (Index row = 0; row < 3000; ++row)
    if (extra[ehyb.row[row]] > 0) expected.push_back(row);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](Index a, Index b) { return extra[ehyb.row[a]] > extra[ehyb.row[b]]; });
  EXPECT_EQ(ehyb.extra_row, expected);
  EXPECT_EQ(ehyb.extra_entries, std::accumulate(extra.begin(), extra.end(), 0));
}

/// A random product by the general implementation, each row within (n + 1) ε Σ|a x| of that of compressed rows.
void expect_right(const RandomCsr& A, const Indices& part, Index parts) {
  const CsrView csr = A.view();
  const Reals x = random_values(A.length.size(), seed + 1);
  const EhybMatrix host = ehyb_matrix(csr, part, parts);
  CpuBackend cpu;
  const EhybBuffers<CpuBackend> ehyb(cpu, host);
  Reals own_x(x.size()), y(x.size(), NAN);
  for (std::size_t k = 0; k < x.size(); ++k) own_x[k] = x[host.row[k]];
  ehyb_multiply(cpu, SliceSchedule::dynamic, 0, ehyb.view(), own_x.data(), y.data());
  for (Index k = 0; k < csr.rows; ++k) {
    const Index row = host.row[k];
    Real magnitude = 0;
    for (Index e = csr.row_begin[row]; e < csr.row_begin[row + 1]; ++e)
      magnitude += std::abs(csr.value[e] * x[csr.column[e]]);
    const Real bound = (A.length[row] + 1) * std::numeric_limits<Real>::epsilon() * magnitude;
    ASSERT_NEAR(y[k], row_times_vector(csr, row, x.data()), bound) << "row " << row;
  }
}

std::vector<Indices> all_lengths() {
  std::vector<Indices> all{Indices(97, 0), Indices(97, 39), {0, 0, 5, 0, 0, 0, 1, 0}};
  for (const Index rows : {1, 31, 32, 33, 97, 3000}) all.push_back(awkward_row_lengths(rows, seed));
  all.push_back(Indices(500, 1));
  all.back()[250] = 500;
  return all;
}

TEST(Ehyb, MultipliesInPartsOfAnyRows) {
  for (const Indices& lengths : all_lengths()) {
    const RandomCsr A(lengths, seed);
    const Index rows = static_cast<Index>(lengths.size());
    for (const Index parts : {1, 2, 7, 40, rows, rows + 5}) {
      SCOPED_TRACE(testing::Message() << rows << " rows in " << parts << " parts");
      std::mt19937 generator(seed);
      Indices part(rows);
      for (Index& k : part) k = static_cast<Index>(generator() % parts);
      expect_right(A, part, parts);
    }
  }
}

TEST(Ehyb, MultipliesInTheLongestPartThat16BitsNumber) {
  const Index rows = 65'536 + 40;
  const RandomCsr A(Indices(rows, 3), seed);
  Indices part(rows, 1);
  std::fill_n(part.begin() + 100, 40, 0);
  expect_right(A, part, 2);
  part[0] = 0;
  part[100] = part[101] = 1;  // one more
  EXPECT_THROW(ehyb_matrix(A.view(), part, 2), std::invalid_argument);
}

TEST(Ehyb, RefusesPartsThatAreNotThere) {
  const Drawn A;
  EXPECT_THROW(ehyb_matrix(A.view(), {0, 1, 0, 1, 0, 2}, 2), std::invalid_argument);
  EXPECT_THROW(ehyb_matrix(A.view(), {0, 1, 0, 1, 0, -1}, 2), std::invalid_argument);
  EXPECT_THROW(ehyb_matrix(A.view(), {0, 1, 0, 1, 0}, 2), std::invalid_argument);
}

/// 227 KB less 2 KB for the kernel are room for 28,800 numbers.
TEST(Ehyb, HasAsFewPartsForEachMultiprocessorAsSharedMemoryAllows) {
  const Device gpu = nvidia_h200();
  EXPECT_EQ(ehyb_longest_part(gpu), 28'800);
  EXPECT_EQ(ehyb_parts(1, gpu), 132);
  EXPECT_EQ(ehyb_parts(132 * 28'800, gpu), 132);
  EXPECT_EQ(ehyb_parts(132 * 28'800 + 1, gpu), 264);
  EXPECT_EQ(ehyb_parts(2 * 132 * 28'800 + 1, gpu), 396);
  Device roomy = gpu;
  roomy.shared_bytes = std::size_t{1} << 20;
  EXPECT_EQ(ehyb_longest_part(roomy), 65'536) << "local columns have 16 bits";
}

TEST(Ehyb, APartThatIsTooLongGivesItsLastRowsToPartsWithRoom) {
  Indices part{2, 2, 2, 2, 0, 2, 1, 1};
  limit_parts(part, 4, 2);
  EXPECT_EQ(part, (Indices{2, 2, 3, 3, 0, 0, 1, 1}));
  const Indices balanced = part;
  limit_parts(part, 4, 2);
  EXPECT_EQ(part, balanced);
  EXPECT_THROW(limit_parts(part, 3, 2), std::invalid_argument);
}

TEST(NoMetis, MeansThatNothingIsCut) {
  if (has_metis()) GTEST_SKIP() << "this build has METIS";
  const Drawn A;
  EXPECT_THROW(metis_parts({A.row_begin, A.column}, 2), std::runtime_error);
  const Indices length{3, static_cast<Index>(A.row_begin.size()) - 4};
  EXPECT_THROW(metis_parts({A.row_begin, A.column}, length), std::runtime_error);
}

class MetisParts : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_metis()) GTEST_SKIP() << "this build has no METIS";
  }

  /// The rows of each part; every row is in one of them.
  static Indices rows_of_parts(const Indices& part, Index parts) {
    Indices rows(parts);
    for (const Index k : part) ++rows.at(k);
    return rows;
  }
};

/// Each row reads the next one only: METIS has to be told of the mirrored neighbors.
TEST_F(MetisParts, CutAChainWhereFewEntriesAre) {
  const Index rows = 4000, parts = 8;
  Indices row_begin{0}, column;
  for (Index row = 0; row < rows; ++row) {
    column.push_back(row);
    if (row + 1 < rows) column.push_back(row + 1);
    row_begin.push_back(static_cast<Index>(column.size()));
  }
  const Indices part = metis_parts({row_begin, column}, parts);
  ASSERT_EQ(part.size(), 4000u);
  for (const Index in_part : rows_of_parts(part, parts)) EXPECT_NEAR(in_part, 500, 0.03 * 500 + 1);
  int cuts = 0;
  for (Index row = 0; row + 1 < rows; ++row) cuts += part[row] != part[row + 1] ? 1 : 0;
  EXPECT_GE(cuts, parts - 1);
  EXPECT_LE(cuts, 3 * parts);
  EXPECT_EQ(metis_parts({row_begin, column}, parts), part) << "its seed is fixed";
}

TEST_F(MetisParts, AreThereForEveryMatrixAndMultiply) {
  for (const Indices& lengths : all_lengths()) {
    const RandomCsr A(lengths, seed);
    const Index rows = static_cast<Index>(lengths.size());
    for (const Index parts : {1, 2, 7, 32, rows - 1, rows, rows + 5}) {
      if (parts < 1) continue;
      SCOPED_TRACE(testing::Message() << rows << " rows in " << parts << " parts");
      Indices part = metis_parts({A.row_begin, A.column}, parts);
      ASSERT_EQ(part.size(), lengths.size());
      const Indices in_parts = rows_of_parts(part, parts);
      if (parts >= rows) {
        EXPECT_LE(*std::max_element(in_parts.begin(), in_parts.end()), 1);
      }
      limit_parts(part, parts, (rows + parts - 1) / parts);
      expect_right(A, part, parts);
    }
  }
}

TEST_F(MetisParts, HaveNearlyTheLengthsThatAreAskedFor) {
  const Index rows = 4000;
  Indices row_begin{0}, column;
  for (Index row = 0; row < rows; ++row) {
    for (const Index other : {row - 1, row, row + 1})
      if (other >= 0 && other < rows) column.push_back(other);
    row_begin.push_back(static_cast<Index>(column.size()));
  }
  const Indices length{1000, 1000, 1000, 800, 200};
  const Indices in_parts = rows_of_parts(metis_parts({row_begin, column}, length), 5);
  for (std::size_t part = 0; part < length.size(); ++part) EXPECT_NEAR(in_parts[part], length[part], 20) << part;
  for (const Indices& wrong : {Indices{1000, 2999}, Indices{4000, 1}, Indices{4001, -1}, Indices{4000, 0}, Indices{}})
    EXPECT_THROW(metis_parts({row_begin, column}, wrong), std::invalid_argument);
}

TEST_F(MetisParts, OfGivenLengthsAreThereForEveryMatrix) {
  for (const Indices& lengths : all_lengths()) {
    const RandomCsr A(lengths, seed);
    const auto rows = static_cast<Index>(lengths.size());
    for (const Index window : {1, 2, 32, rows, rows + 1}) {
      Indices length((rows - 1) / window + 1, window);
      length.back() = rows - window * (static_cast<Index>(length.size()) - 1);
      const Indices part = metis_parts({A.row_begin, A.column}, length);
      ASSERT_EQ(part.size(), lengths.size());
      EXPECT_NO_THROW(rows_of_parts(part, static_cast<Index>(length.size())));
    }
  }
}

TEST_F(MetisParts, OfNoRowsAreEmptyAndFewerThanOneIsRefused) {
  const Indices row_begin{0};
  EXPECT_TRUE(metis_parts({row_begin, {}}, 4).empty());
  EXPECT_THROW(metis_parts({row_begin, {}}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace cardiowarp
