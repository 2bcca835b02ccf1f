// The passes of the path `persistent` over its rows, one after the other on the host, against conjugate gradients by
// loops with the same preconditioner.

#include "solver/persistent/persistent_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "solver/parts/matrix_parts.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

/// Tridiagonal in windows of 32 rows, with diagonals that differ by orders of magnitude.
struct Chain {
  explicit Chain(Index rows) {
    std::vector<Index> row_begin{0}, column;
    std::vector<Real> entries;
    for (Index row = 0; row < rows; ++row) {
      for (Index other = std::max(0, row - 1); other <= std::min(rows - 1, row + 1); ++other) {
        column.push_back(other);
        entries.push_back(other == row ? 2.1 * scale(row) * scale(row) : -scale(row) * scale(other));
      }
      row_begin.push_back(static_cast<Index>(column.size()));
    }
    layout = ell_warp_layout(
        row_lengths(row_begin), column,
        {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = 32});
    parts = *matrix_parts(layout);
    value.resize(layout.shape.stored_entries());
    for (std::size_t e = 0; e < entries.size(); ++e) value[layout.slot_of_entry[e]] = entries[e];
    for (const Index row : layout.shape.row) inverse_diagonal.push_back(1 / (2.1 * scale(row) * scale(row)));
  }
  static Real scale(Index row) { return 1 + row % 5; }

  EllWarpLayout layout;
  MatrixParts parts;
  std::vector<Real> value, inverse_diagonal;
};

struct Solution {
  CgReport report;
  std::vector<Real> x;
};

/// What persistent_cg.cuh does, by one thread: Rows has the numbers of a row, multiply(y, x) is the product outside of
/// the preconditioner, apply() follows each z_0.
template <class Rows, class Multiply, class Apply>
Solution solve(Index n, const Rows& M, Real& scale, Real* kept, const Multiply& multiply, const Apply& apply,
               const CgConfig& config) {
  std::vector<Real> x(n), p(n), other(n), q(n);
  const CgDirections directions{p.data(), other.data()};
  CgState state{};
  const auto sum = [&](const auto& terms_of) {
    Real sums[2] = {0, 0};
    for (Index row = 0; row < n; ++row) {
      const Terms<2> terms = terms_of(row);
      sums[0] += terms.value[0], sums[1] += terms.value[1];
    }
    state.sums[1] = sums[1];
    if (!Rows::needs_products) state.sums[0] = sums[0];
  };
  sum([&](Index row) { return M.ready(scale).start(row); });
  state.prepare(config, {});
  if (state.is_rescaling()) {
    sum([&](Index row) { return M.ready(scale).rescale(row, state.rescale); });
    state.take_scale();
  }
  if constexpr (Rows::needs_products) {
    scale = Rows::scale_near(std::sqrt(state.sums[1]));
    for (Index row = 0; row < n; ++row) M.ready(scale).first(row);
    state.sums[0] = apply();
  }
  state.begin_scaled();
  while (state.go_on != 0) {
    Real* const now = directions.now(state);
    const Real* const before = state.beta == 0 ? kept : directions.before(state);
    for (Index row = 0; row < n; ++row) now[row] = cg_direction(M.ready(scale).z(row), state.beta, before[row]);
    multiply(q.data(), now);
    state.pq = 0;
    for (Index row = 0; row < n; ++row) state.pq += now[row] * q[row];
    if constexpr (Rows::needs_products) scale = Rows::scale_near(state.report.residual_norm);
    for (Index row = 0; row < n; ++row) x[row] = cg_solution(x[row], state.alpha_for_x(), now[row]);
    sum([&](Index row) {
      return M.ready(scale).update(row, kept[row], M.inverse_diagonal[row], state.alpha(), q[row]);
    });
    if constexpr (Rows::needs_products) state.sums[0] = apply();
    state.end_iteration();
  }
  return {state.report, x};
}

class PersistentRows : public testing::TestWithParam<Index> {
 protected:
  template <class Value>
  PartsViewOf<Value> view(const std::vector<Value>& value) const {
    return {n(),
            chain.parts.parts,
            chain.parts.rows_a_part,
            chain.parts.longest_halo,
            chain.layout.shape.slice_begin.data(),
            value.data(),
            chain.parts.local_column.data(),
            chain.parts.halo_begin.data(),
            chain.parts.halo_row.data()};
  }
  Index n() const { return chain.layout.shape.rows(); }

  template <class Number>
  void expect_the_solve_of_loops(const PolynomialOptions& options, Real of_b) {
    std::vector<Real> b = random_values(n(), 7);
    for (Real& entry : b) entry *= of_b;
    PartsMatrix<CpuBackend> A(cpu, chain.layout, chain.parts, chain.value.data());
    const std::vector<Number> inside(chain.value.begin(), chain.value.end());
    const auto products = A.with(inside.data());
    using Preconditioner = PolynomialPreconditioner<CpuBackend, std::remove_const_t<decltype(products)>, Number>;
    Preconditioner M(cpu, n(), products, options, chain.inverse_diagonal.data());
    M.take_bounds({0.04, 1.96});

    std::vector<Real> r = b, x(n());
    CgState state{};
    ConjugateGradient<CpuBackend, PartsMatrix<CpuBackend>, PreparedZ<Number>> loops(cpu, A, M.preconditioner(),
                                                                                    {n(), r.data(), x.data(), &state});
    loops.solve(cpu, config);
    EXPECT_EQ(state.report.status, CgStatus::converged);

    std::vector<Real> kept = b;
    Real scale = std::numeric_limits<Real>::quiet_NaN();  // nobody reads it in double precision
    const auto rows = rows_of(PolynomialInParts<Number, Number>{products.A, M.vectors()}, kept.data());
    const auto apply = [&] {
      Real rz = 0;
      std::vector<Number> before(n());
      for (int k = 1; k <= options.degree; ++k) {
        const auto step = rows.step(k, scale);
        std::copy_n(step.before, n(), before.begin());  // halos are read before any row is written
        rz = 0;
        for (Index row = 0; row < n(); ++row)
          rz += step.write(row, step.read(row), row_times_vector(products.A, row, before.data()), before[row]);
        if (k < options.degree) {
          EXPECT_EQ(rz, 0);
        }
      }
      return rz;
    };
    const Solution in_one = solve(
        n(), rows, scale, kept.data(), [&](Real* y, const Real* p) { A.multiply(cpu, p, y); }, apply, config);
    EXPECT_EQ(in_one.report.status, CgStatus::converged);
    EXPECT_EQ(in_one.report.iterations, state.report.iterations);
    Real largest = 0;
    for (const Real entry : x) largest = std::max(largest, std::fabs(entry));
    EXPECT_GT(largest, 0);
    for (Index row = 0; row < n(); ++row) ASSERT_NEAR(in_one.x[row], x[row], 1e-9 * largest);
  }

  const Chain chain{GetParam()};
  const CgConfig config{1e-11, 500};
  CpuBackend cpu;
};

TEST_P(PersistentRows, WithAPolynomialMakeTheSolveOfLoops) {
  for (const auto& [name, kind] : polynomial_kinds)
    for (const int degree : {1, 2, 3, 8})
      for (const Real of_b : {1.0, 0x1p-990, 0x1p-300, 0x1p300, 0x1p990}) {
        SCOPED_TRACE(std::string(name) + " " + std::to_string(degree) + " " + std::to_string(of_b));
        expect_the_solve_of_loops<Real>({kind, degree, PolynomialPrecision::double_precision}, of_b);
        expect_the_solve_of_loops<float>({kind, degree, PolynomialPrecision::single}, of_b);
      }
}

TEST_P(PersistentRows, WithJacobiMakeTheSolveOfLoops) {
  PartsMatrix<CpuBackend> A(cpu, chain.layout, chain.parts, chain.value.data());
  for (const Real of_b : {1.0, 0x1p-990, 0x1p-300, 0x1p300, 0x1p990}) {
    std::vector<Real> b = random_values(n(), 7);
    for (Real& entry : b) entry *= of_b;
    std::vector<Real> r = b, x(n()), kept = b;
    CgState state{};
    ConjugateGradient<CpuBackend, PartsMatrix<CpuBackend>, JacobiPreconditioner> loops(
        cpu, A, {chain.inverse_diagonal.data()}, {n(), r.data(), x.data(), &state});
    loops.solve(cpu, config);
    Real scale = std::numeric_limits<Real>::quiet_NaN();
    const Solution in_one = solve(
        n(), rows_of(JacobiPreconditioner{chain.inverse_diagonal.data()}, kept.data()), scale, kept.data(),
        [&](Real* y, const Real* p) { A.multiply(cpu, p, y); }, [] { return 0.0; }, config);
    EXPECT_EQ(in_one.report.status, CgStatus::converged);
    EXPECT_NEAR(in_one.report.iterations, state.report.iterations, 1);
    EXPECT_NEAR(in_one.report.rhs_norm, state.report.rhs_norm, 1e-12 * state.report.rhs_norm);
    for (Index row = 0; row < n(); ++row) ASSERT_NEAR(in_one.x[row], x[row], 1e-9 * of_b);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, PersistentRows, testing::Values(1, 31, 32, 33, 97, 1025));

}  // namespace
}  // namespace cardiowarp
