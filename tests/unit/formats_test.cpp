// Every format of the list, without naming one.

#include "assembly/formats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "assembly/options.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 61;

TEST(Formats, EveryNameStandsForOptionsThatHaveThisName) {
  std::set<std::string> names;
  for (const auto& [name, options] : named_formats()) {
    EXPECT_EQ(format_name(options), name);
    EXPECT_TRUE(names.insert(name).second) << name << " stands for two formats";
  }
  EXPECT_EQ(named_formats().front().first, "auto");
  EXPECT_GE(names.size(), number_of_formats + 1);
}

/// Vectors in the numbering of a layout, which has old numbers of new ones or none at all.
std::vector<Real> renumbered(const std::vector<Real>& values, const std::vector<Index>& order) {
  std::vector<Real> result;
  for (std::size_t i = 0; i < values.size(); ++i) result.push_back(values[order.empty() ? i : order[i]]);
  return result;
}

template <class Format>
void expect_products_of_the_rows(const RandomCsr& csr, const MatrixOptions& options) {
  SCOPED_TRACE(Format::name(options) + ", " + std::to_string(csr.length.size()) + " rows");
  const CsrPattern pattern{csr.row_begin, csr.column};
  auto layout = Format::layout(pattern, options);
  CpuBackend cpu;
  typename Format::template Product<CpuBackend> A(cpu, pattern, layout);
  EXPECT_GE(Format::product_bytes(layout, pattern), 12 * pattern.entries());
  const std::vector<Index> order = Format::own_order(layout);
  const StoredEntries entries = Format::take_entries(layout, pattern);
  ASSERT_EQ(entries.slot_of_entry.size(), csr.column.size());
  for (std::size_t entry = 0; entry < csr.column.size() && Format::keeps_entry_order; ++entry)
    ASSERT_EQ(entries.slot_of_entry[entry], static_cast<std::int64_t>(entry));
  std::vector<Real> twice(entries.slots);
  for (std::size_t entry = 0; entry < csr.value.size(); ++entry) {
    A.value()[entries.slot_of_entry[entry]] = csr.value[entry];
    twice[entries.slot_of_entry[entry]] = 2 * csr.value[entry];
  }

  const std::vector<Real> p = random_values(csr.length.size(), seed + 1);
  std::vector<Real> expected, bound;
  for (Index row = 0; row < pattern.rows(); ++row) {
    Real magnitude = 0;
    for (Index e = csr.row_begin[row]; e < csr.row_begin[row + 1]; ++e)
      magnitude += std::fabs(csr.value[e] * p[csr.column[e]]);
    expected.push_back(row_times_vector(csr.view(), row, p.data()));
    bound.push_back((csr.length[row] + 1) * std::numeric_limits<Real>::epsilon() * magnitude);
  }
  const std::vector<Real> x = renumbered(p, order), rows = renumbered(expected, order), near = renumbered(bound, order);
  std::vector<Real> q(p.size(), NAN), y(p.size(), NAN);
  Real dot = NAN, dot_of_rows = 0, total = 0;
  A.multiply_dot(cpu, 0, A.value(), x.data(), q.data(), &dot);
  A.multiply(cpu, 0, twice.data(), x.data(), y.data());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_NEAR(q[i], rows[i], near[i]) << "row " << i;
    ASSERT_EQ(y[i], 2 * q[i]) << "row " << i;
    dot_of_rows += x[i] * q[i];
    total += std::fabs(x[i] * q[i]);
  }
  EXPECT_NEAR(dot, dot_of_rows, static_cast<Real>(rows.size()) * std::numeric_limits<Real>::epsilon() * total);
}

TEST(Formats, EveryFormatMultipliesAsTheRowsOfItsMatrix) {
  for (const Index n : {1, 31, 32, 33, 97, 1200}) {
    const RandomCsr csr(awkward_row_lengths(n, seed), seed);
    for_each_format([&](auto format) {
      using Format = FormatOf<format.value>;
      for (MatrixOptions options : Format::variants()) {
        options.ell_warp.threshold = 2;
        options.ell_warp.window = 64;
        expect_products_of_the_rows<Format>(csr, options);
      }
    });
  }
}

TEST(Formats, TheOrderOfTheNodesHasEveryNodeOnce) {
  const std::vector<Index> lengths = awkward_row_lengths(97, seed);
  for_each_format([&](auto format) {
    for (const MatrixOptions& options : FormatOf<format.value>::variants()) {
      const std::vector<Index> order = FormatOf<format.value>::node_order(options, lengths);
      const std::set<Index> nodes(order.begin(), order.end());
      EXPECT_EQ(nodes.size(), order.size()) << format_name(options);
      EXPECT_TRUE(order.empty() || (nodes.size() == 97 && *nodes.begin() == 0 && *nodes.rbegin() == 96))
          << format_name(options);
    }
  });
}

}  // namespace
}  // namespace cardiowarp
