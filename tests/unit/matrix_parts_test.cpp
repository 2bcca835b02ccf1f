#include "solver/parts/matrix_parts.hpp"
#include "kernels/sparse/warp_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "solver/linear_solver.hpp"
#include "solver/on_chip/on_chip_cg.hpp"
#include "solver/on_chip/on_chip_shape.hpp"
#include "solver/parts/parts_product.hpp"
#include "solver/persistent/persistent_shape.hpp"
#include "tests/support/layouts_in_parts.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/solver_for.hpp"
#include "tests/support/threads.hpp"

namespace cardiowarp {
namespace {

using test::banded, test::k1rs, test::layout_of;

struct PlainProduct {
  const EllWarpMatrix* A;
  template <class Value, class Number>
  void multiply(CpuBackend& backend, const Value* values, const Number* x, Number* y) const {
    ell_warp_multiply(backend, 0, A->view(values), TimesVector{x}, y);
  }
  template <class Value, class Number>
  void absolute_row_sums(CpuBackend& backend, const Value* values, Number* y) const {
    ell_warp_multiply(backend, 0, A->view(values), AbsoluteValues<>{}, y);
  }
  template <class Value, class Number>
  void multiply_dot(CpuBackend& backend, const Value* values, const Number* p, Number* q, Real* pq) const {
    const EllWarpViewOf<Value> view = A->view(values);
    backend.sum<1>(view.rows, pq, RowsTimesVectorDot<EllWarpViewOf<Value>, Number>{view, p, q});
  }
};

/// An ELL-WARP matrix as ConjugateGradient multiplies by it.
struct OwnProduct {
  const EllWarpMatrix* A;
  void multiply_dot(CpuBackend& backend, const Real* p, Real* q, Real* pq) const {
    PlainProduct{A}.multiply_dot(backend, A->view().value, p, q, pq);
  }
};
OwnProduct product_of(const EllWarpMatrix& A) { return {&A}; }

TEST(MatrixParts, OfADiagonalWithTwoCouplingsHaveTheirHalosByHand) {
  // 70 rows in windows of 32: parts 0..31, 32..63, 64..69. Row 0 reads 40, row 33 reads 69; all others themselves
  // twice.
  std::vector<Index> lengths(70, 2), columns;
  for (Index row = 0; row < 70; ++row)
    for (const Index column : {row, row == 0 ? 40 : row == 33 ? 69 : row}) columns.push_back(column);
  const auto parts = matrix_parts(layout_of(lengths, columns, 32));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->parts, 3);
  EXPECT_EQ(parts->rows_a_part, 32);
  EXPECT_EQ(parts->longest_halo, 1);
  // The lanes of the last slice that have no row name column 0, which so comes into the halo of part 2.
  EXPECT_EQ(parts->halo_begin, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(parts->halo_row, (std::vector<Index>{40, 69, 0}));
  EXPECT_EQ(parts->local_column[0], 0);    // row 0, entry 0: itself
  EXPECT_EQ(parts->local_column[32], 32);  // row 0, entry 1: the first of the halo
  EXPECT_EQ(parts->local_column[33], 1);   // row 1, entry 1: itself
  EXPECT_EQ(rows_in_halos(*parts, 70), (std::vector<std::uint32_t>{1u, 1u << (40 - 32), 1u << (69 - 64)}));
}

TEST(MatrixParts, OfARingAreThoseThatTheHeaderDraws) {
  std::vector<Index> columns;
  for (Index row = 0; row < 96; ++row)
    for (const Index column : {row - 1, row, row + 1}) columns.push_back((column + 96) % 96);
  const auto parts = matrix_parts(layout_of(std::vector<Index>(96, 3), columns, 32));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->halo_begin, (std::vector<Index>{0, 2, 4, 6}));
  EXPECT_EQ(parts->halo_row, (std::vector<Index>{32, 95, 31, 64, 0, 63}));
  const auto of_row = [&](std::size_t row) {
    const std::size_t first = row / 32 * 96 + row % 32;
    return std::vector<int>{parts->local_column[first], parts->local_column[first + 32],
                            parts->local_column[first + 64]};
  };
  EXPECT_EQ(of_row(0), (std::vector<int>{0, 1, 33}));
  EXPECT_EQ(of_row(31), (std::vector<int>{30, 31, 32}));
  EXPECT_EQ(of_row(64), (std::vector<int>{33, 0, 1}));
}

TEST(MatrixParts, LeadBackToTheColumnsOfTheMatrix) {
  for (const Index rows : {1, 31, 33, 97, 4999})
    for (const Index window : {32, 96, 1024}) {
      SCOPED_TRACE(std::to_string(rows) + " in windows of " + std::to_string(window));
      std::vector<Index> lengths = awkward_row_lengths(rows, 3);
      for (Index& length : lengths) length = std::min(length, 97);
      const RandomCsr csr(lengths, 4);
      const EllWarpLayout layout = layout_of(csr.length, csr.column, window);
      const auto parts = matrix_parts(layout);
      ASSERT_TRUE(parts);
      const std::vector<std::uint32_t> in_halos = rows_in_halos(*parts, rows);
      for (Index slice = 0; slice < layout.shape.slices(); ++slice) {
        const Index part = slice / (window / warp_lanes);
        for (std::int64_t e = layout.shape.slice_begin[slice]; e < layout.shape.slice_begin[slice + 1]; ++e) {
          const Index local = parts->local_column[e];
          const Index column =
              local < window ? part * window + local : parts->halo_row[parts->halo_begin[part] + local - window];
          ASSERT_EQ(column, layout.column[e]);
          ASSERT_TRUE(local < window || in_halos[column / warp_lanes] >> column % warp_lanes & 1u);
        }
      }
    }
}

TEST(MatrixParts, HaveHalosInAscendingOrderWithoutRepetition) {
  for (const Index rows : {1, 33, 97, 130, 4999, 70'001})
    for (const Index window : {32, 96, 1024}) {
      SCOPED_TRACE(std::to_string(rows) + " in windows of " + std::to_string(window));
      const RandomCsr csr(std::vector<Index>(rows, std::min(rows, 5)), 11);
      const EllWarpLayout layout = layout_of(csr.length, csr.column, window);
      const auto parts = matrix_parts(layout);
      ASSERT_TRUE(parts);
      Index longest = 0;
      for (Index part = 0; part < parts->parts; ++part) {
        std::set<Index> expected;
        const Index first_slice = part * window / warp_lanes;
        for (std::int64_t e = layout.shape.slice_begin[first_slice];
             e < layout.shape.slice_begin[std::min(first_slice + window / warp_lanes, layout.shape.slices())]; ++e)
          if (layout.column[e] / window != part) expected.insert(layout.column[e]);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), parts->halo_row.begin() + parts->halo_begin[part],
                               parts->halo_row.begin() + parts->halo_begin[part + 1]));
        longest = std::max(longest, static_cast<Index>(expected.size()));
      }
      EXPECT_EQ(parts->longest_halo, longest);
    }
}

TEST(MatrixParts, DoNotDependOnTheNumberOfThreads) {
  const RandomCsr csr(std::vector<Index>(20'000, 7), 12);
  const auto parts_by = [&](int threads) {
    const test::Threads team(threads);
    return matrix_parts(layout_of(csr.length, csr.column, 96)).value();
  };
  const MatrixParts one = parts_by(1), four = parts_by(4);
  EXPECT_EQ(one.local_column, four.local_column);
  EXPECT_EQ(one.halo_begin, four.halo_begin);
  EXPECT_EQ(one.halo_row, four.halo_row);
}

TEST(MatrixParts, AreOfK1MatricesInTheirOwnNumberingAlone) {
  const std::vector<Index> lengths(64, 1), columns = banded(64, 1);
  EllWarpOptions options = k1rs(32);
  EXPECT_TRUE(matrix_parts(ell_warp_layout(lengths, columns, options)));
  options.variant = EllWarpVariant::k2;
  EXPECT_FALSE(matrix_parts(ell_warp_layout(lengths, columns, options)));
  options.variant = EllWarpVariant::k1;
  options.renumbering = EllWarpRenumbering::none;
  EXPECT_FALSE(matrix_parts(ell_warp_layout(lengths, columns, options)));
  EXPECT_FALSE(matrix_parts(ell_warp_layout(lengths, {}, k1rs(32))));
  EXPECT_FALSE(matrix_parts(ell_warp_layout(lengths, columns, k1rs(0))));
}

TEST(MatrixParts, HaveNoMoreRowsWithTheirHaloThanSixteenBitsCount) {
  // One part reads all rows of the other.
  const auto both_halves = [](Index rows) {
    std::vector<Index> columns;
    for (Index row = 0; row < rows; ++row) columns.push_back(row < rows / 2 ? row + rows / 2 : row - rows / 2);
    return matrix_parts(layout_of(std::vector<Index>(rows, 1), columns, rows / 2));
  };
  EXPECT_TRUE(both_halves(65'472));
  EXPECT_FALSE(both_halves(65'536));
}

TEST(MatrixParts, FitAnyBlockUpToNearlySixThousandRows) {
  const auto fits = [](Index rows) {
    return fits_any_block(*matrix_parts(layout_of(std::vector<Index>(rows, 1), banded(rows, 1), rows)));
  };
  EXPECT_TRUE(fits(5824));  // 46,592 bytes of rows and 1,464 of slices
  EXPECT_FALSE(fits(5856));
}

TEST(MatrixParts, HaveTheSmallestWindowsForSoMany) {
  EXPECT_EQ(window_for_parts(0, 132), 32);
  EXPECT_EQ(window_for_parts(33, 1), 64);
  EXPECT_EQ(window_for_parts(222'458, 132), 1696);
  EXPECT_EQ(window_for_parts(222'458, 2 * 132), 864);
  EXPECT_EQ(window_for_parts(1'586'103, 132), 12'032);
  EXPECT_EQ(window_for_parts(std::numeric_limits<Index>::max(), 1 << 20), 2048);
}

TEST(MatrixParts, AreExpectedWhereTheyFillADeviceAndAreStoredWithLittlePadding) {
  constexpr std::size_t least = std::size_t{263} * 1024 + 1;
  EXPECT_TRUE(expected_in_parts(std::vector<Index>(least, 14), 1024, nvidia_h200()));
  EXPECT_FALSE(expected_in_parts(std::vector<Index>(least - 1, 14), 1024, nvidia_h200()));
  EXPECT_TRUE(expected_in_parts(std::vector<Index>(least, 14), 256, nvidia_h200()));
  EXPECT_FALSE(expected_in_parts(std::vector<Index>(least, 14), 224, nvidia_h200()));
  EXPECT_FALSE(expected_in_parts(std::vector<Index>(least, 14), 0, nvidia_h200()));
  EXPECT_FALSE(expected_in_parts(std::vector<Index>{}, 1024, nvidia_h200()));
  constexpr std::size_t many = std::size_t{264} * 4096;
  EXPECT_TRUE(expected_in_parts(std::vector<Index>(many, 3), 2048, nvidia_h200()));
  EXPECT_FALSE(
      expected_in_parts(std::vector<Index>(many, 3), 4096, nvidia_h200()));  // with its halo in no block of any device
  std::vector<Index> with_a_long_row(least, 14);
  for (const Index longest : {14 + 46, 14 + 47}) {  // 31 rows of 1024 as long as that: 10 % of 1024 · 14 are 46.2
    for (std::size_t row = 0; row < least; row += 1024) with_a_long_row[row] = longest;
    EXPECT_EQ(expected_in_parts(with_a_long_row, 1024, nvidia_h200()), longest == 14 + 46) << longest;
  }
}

TEST(LinearSolver, OfACpuIsInPartsOrPlainWhereThePlanHasALaunchForAGpu) {
  CpuBackend cpu;
  const EllWarpLayout layout = layout_of(std::vector<Index>(64, 1), banded(64, 1), 32);
  const EllWarpMatrix A(cpu, layout);
  SolverPlan plan;
  const auto path = [&] {
    return test::solver_for(cpu, plan, layout, PlainProduct{&A},
                            {64, layout.shape.stored_entries(), A.view().value, nullptr, nullptr, nullptr, nullptr})
        ->path();
  };
  EXPECT_EQ(path(), SolverPath::plain);
  plan.parts = matrix_parts(layout);
  EXPECT_EQ(path(), SolverPath::in_parts);
  plan.persistent = persistent_shape(*plan.parts, nvidia_h200());
  plan.on_chip = on_chip_shape(layout.shape, *plan.parts, nvidia_h200());
  ASSERT_TRUE(plan.persistent && plan.on_chip);
  EXPECT_EQ(path(), SolverPath::in_parts);
}

/// Symmetric, diagonally dominant: neighbors and the mirror image of each row, in windows of 96.
struct Mirrored {
  explicit Mirrored(Index rows) {
    std::vector<Index> row_begin{0}, column;
    for (Index row = 0; row < rows; ++row) {
      const std::set<Index> columns{row, std::max(0, row - 1), std::min(rows - 1, row + 1), rows - 1 - row};
      column.insert(column.end(), columns.begin(), columns.end());
      row_begin.push_back(static_cast<Index>(column.size()));
    }
    layout = layout_of(row_lengths(row_begin), column, 96);
    value.resize(layout.shape.stored_entries());
    for (Index row = 0; row < rows; ++row)
      for (Index e = row_begin[row]; e < row_begin[row + 1]; ++e)
        value[layout.slot_of_entry[e]] = column[e] == row ? 5 + 0.01 * (row % 7) : -1.0 / (2 + (row + column[e]) % 3);
    parts = matrix_parts(layout).value();
  }
  EllWarpLayout layout;
  std::vector<Real> value;
  MatrixParts parts;
};

TEST(PartsMatrix, MultipliesLikeItsSlicesBitForBit) {
  for (const Index rows : {1, 31, 33, 96, 97, 4999}) {
    SCOPED_TRACE(rows);
    const auto [layout, value, parts] = Mirrored(rows);
    CpuBackend cpu;
    EllWarpMatrix plain(cpu, layout);
    cpu.upload(std::span<const Real>(value), plain.value());
    const PartsMatrix<CpuBackend> in_parts(cpu, layout, parts, plain.value());
    const std::vector<Real> x = random_values(rows, 9);
    std::vector<Real> y(rows, std::numeric_limits<Real>::max()), expected(rows);
    in_parts.multiply(cpu, x.data(), y.data());
    ell_warp_multiply(cpu, 0, plain.view(), TimesVector{x.data()}, expected.data());
    EXPECT_EQ(y, expected);
  }
}

TEST(PartsMatrix, HasTheIteratesOfAProductOfItsOwnBitForBit) {
  for (const Index rows : {1, 31, 33, 97, 4999}) {
    SCOPED_TRACE(rows);
    const auto [layout, value, parts] = Mirrored(rows);
    const std::vector<Real> inverse(rows, 0.2), b = random_values(rows, 7);
    CpuBackend cpu;
    std::vector<Real> r = b, x(rows), expected_r = b, expected(rows);
    EllWarpMatrix plain(cpu, layout);
    cpu.upload(std::span<const Real>(value), plain.value());
    const PartsMatrix<CpuBackend> in_parts(cpu, layout, parts, plain.value());
    const JacobiPreconditioner M{inverse.data()};
    for (const CgConfig config : {CgConfig{1e-12, 1000}, CgConfig{1e-12, 3}}) {
      r = expected_r = b;
      const CgReport report = conjugate_gradient(cpu, in_parts, M, {rows, r.data(), x.data()}, config);
      const CgReport other =
          conjugate_gradient(cpu, product_of(plain), M, {rows, expected_r.data(), expected.data()}, config);
      EXPECT_EQ(report.status, other.status);
      EXPECT_EQ(report.iterations, other.iterations);
      EXPECT_GT(report.iterations, 0);
      EXPECT_EQ(x, expected);
      EXPECT_EQ(r, expected_r);
    }
  }
}

/// The first solve, and the same after solves that ended in their third and fourth iteration and without a solution.
template <class Matrix>
void expect_no_memory(CpuBackend& cpu, const Matrix& A, Index rows) {
  const std::vector<Real> b = random_values(rows, 8);
  std::vector<Real> inverse(rows, 0.2), r(rows), x(rows), first_x;
  CgState state{};
  ConjugateGradient<CpuBackend, Matrix, JacobiPreconditioner> cg(cpu, A, {inverse.data()},
                                                                 {rows, r.data(), x.data(), &state});
  CgReport first;
  for (const int iterations_before : {0, 3, 4}) {
    if (iterations_before > 0) {
      std::fill(r.begin(), r.end(), 1);
      cg.solve(cpu, {1e-12, iterations_before}, {});
      ASSERT_EQ(state.report.status, CgStatus::iteration_limit);
      inverse[17] = std::numeric_limits<Real>::infinity();  // and so is a direction
      cg.solve(cpu, {1e-12, 1000}, {});
      ASSERT_EQ(state.report.status, CgStatus::not_finite);
      inverse[17] = 0.2;
    }
    std::copy(b.begin(), b.end(), r.begin());
    cg.solve(cpu, {1e-12, 1000}, {});
    if (first_x.empty()) first_x = x, first = state.report;
    EXPECT_EQ(state.report.status, CgStatus::converged);
    EXPECT_EQ(state.report.iterations, first.iterations);
    EXPECT_EQ(x, first_x);
  }
}

TEST(ConjugateGradient, SolveAgainAsIfForTheFirstTime) {
  constexpr Index rows = 997;
  const auto [layout, value, parts] = Mirrored(rows);
  CpuBackend cpu;
  EllWarpMatrix plain(cpu, layout);
  cpu.upload(std::span<const Real>(value), plain.value());
  expect_no_memory(cpu, product_of(plain), rows);
  expect_no_memory(cpu, PartsMatrix<CpuBackend>(cpu, layout, parts, plain.value()), rows);
}

}  // namespace
}  // namespace cardiowarp
