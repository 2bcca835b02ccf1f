// Linear solves with a matrix in single precision, and with vectors in it, too: products against those in double,
// solves against those of the rounded matrix, runs against runs in double precision.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assembly/global_matrix.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/linear_solver.hpp"
#include "solver/rounded_values.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/cpu_system.hpp"
#include "tests/support/precision_run.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/random_symmetric.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 61;
constexpr Real single_epsilon = std::numeric_limits<float>::epsilon();
using Values = std::vector<Real>;

std::vector<float> rounded(const Values& value) { return {value.begin(), value.end()}; }
Values widened(const std::vector<float>& value) { return {value.begin(), value.end()}; }

/// y = A x, Σ_j |A_ij|, q = A x and x·q, one behind the other.
template <class Product, class Value>
Values products(CpuBackend& cpu, const Product& A, const std::vector<Value>& value, const Values& x) {
  Values y(x.size()), sums(x.size()), q(x.size()), dot(1);
  A.multiply(cpu, 0, value.data(), x.data(), y.data());
  A.absolute_row_sums(cpu, 0, value.data(), sums.data());
  A.multiply_dot(cpu, 0, value.data(), x.data(), q.data(), dot.data());
  for (const Values* part : {&sums, &q, &dot}) y.insert(y.end(), part->begin(), part->end());
  return y;
}

/// Holds q = A p and p·q in single precision against those in double, for the same numbers.
template <class Product>
void expect_product_of_single_vectors(CpuBackend& cpu, const Product& A, const std::vector<float>& value,
                                      const std::vector<float>& p) {
  std::vector<float> q(p.size());
  Values exact(p.size()), magnitude(p.size());
  Real dot = 0, exact_dot = 0;
  std::vector<float> magnitudes = value;
  for (float& number : magnitudes) number = std::fabs(number);
  Values absolute = widened(p);
  for (Real& number : absolute) number = std::fabs(number);
  A.multiply_dot(cpu, 0, value.data(), p.data(), q.data(), &dot);
  A.multiply(cpu, 0, value.data(), widened(p).data(), exact.data());
  A.multiply(cpu, 0, magnitudes.data(), absolute.data(), magnitude.data());
  constexpr int longest = 200;
  for (std::size_t i = 0; i < p.size(); ++i) {
    ASSERT_NEAR(q[i], exact[i], longest * single_epsilon * magnitude[i]) << i;
    exact_dot += Real{p[i]} * q[i];
  }
  Real scale = 0;
  for (std::size_t i = 0; i < p.size(); ++i) scale += std::fabs(Real{p[i]} * q[i]);
  EXPECT_NEAR(dot, exact_dot, 1e-14 * static_cast<Real>(p.size()) * scale);  // summed in double precision
}

/// Holds the products of a format with values in single precision against those in double, with vectors in double and
/// in single precision.
template <class Format>
void expect_products(const RandomCsr& csr, const MatrixOptions& options) {
  CpuBackend cpu;
  const CsrPattern pattern{csr.row_begin, csr.column};
  auto layout = Format::layout(pattern, options);
  const StoredEntries entries = Format::take_entries(layout, pattern);
  const typename Format::template Product<CpuBackend> A(cpu, pattern, layout);
  Values value(entries.slots);
  for (std::size_t e = 0; e < csr.value.size(); ++e) value[entries.slot_of_entry[e]] = csr.value[e];
  const std::vector<float> single = rounded(value);
  const std::vector<Index> order = Format::own_order(layout);
  const Values given = random_values(csr.length.size(), seed + 2);
  Values x = given;
  for (std::size_t i = 0; i < order.size(); ++i) x[i] = given[order[i]];

  const Values mixed = products(cpu, A, single, x);
  ASSERT_EQ(mixed, products(cpu, A, widened(single), x));
  const Values exact = products(cpu, A, value, x);
  EXPECT_TRUE(mixed != exact || csr.value.empty());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Index row = order.empty() ? static_cast<Index>(i) : order[i];
    Real magnitude = 0;
    for (Index e = csr.row_begin[row]; e < csr.row_begin[row + 1]; ++e)
      magnitude += std::fabs(csr.value[e] * given[csr.column[e]]);
    ASSERT_NEAR(mixed[i], exact[i], (csr.length[row] + 1) * single_epsilon * magnitude) << row;
  }
  expect_product_of_single_vectors(cpu, A, single, rounded(x));
}

TEST(MixedPrecision, ProductsAreThoseOfRoundedValuesInDoublePrecision) {
  for (const Index rows : {1, 2, 31, 32, 33, 97, 1500}) {
    const RandomCsr csr(awkward_row_lengths(rows, seed), seed + 1);
    for_each_format([&](auto format) {
      using Format = FormatOf<format.value>;
      if constexpr (Format::has_single_values)
        for (const MatrixOptions& options : Format::variants()) {
          SCOPED_TRACE(std::to_string(rows) + " rows, " + Format::name(options));
          expect_products<Format>(csr, options);
        }
    });
  }
}

TEST(MixedPrecision, RoundsTheDiagonalAloneWhereNothingElseChanges) {
  CpuBackend cpu;
  for (const Index rows : {1, 31, 32, 33, 97}) {
    const RandomSymmetric given(rows, 7, seed);
    std::vector<Index> diagonal(rows);
    for (Index row = 0; row < rows; ++row)
      for (Index e = given.row_begin[row]; e < given.row_begin[row + 1]; ++e)
        if (given.column[e] == row) diagonal[row] = e;
    Values value = given.value;
    const auto slots = static_cast<std::int64_t>(value.size());
    const RoundedValues<CpuBackend> all(cpu, rows, slots, value.data(), nullptr),
        of_diagonal(cpu, rows, slots, value.data(), diagonal.data());
    const auto numbers = [&](const RoundedValues<CpuBackend>& values) {
      return std::vector<float>(values.data(), values.data() + slots);
    };
    EXPECT_EQ(numbers(of_diagonal), rounded(given.value));
    for (Real& number : value) number *= 1.1;
    all.renew(cpu);
    of_diagonal.renew(cpu);
    EXPECT_EQ(numbers(all), rounded(value));
    std::vector<float> expected = rounded(given.value);
    for (const Index slot : diagonal) expected[slot] = static_cast<float>(value[slot]);
    EXPECT_EQ(numbers(of_diagonal), expected);
  }
}

/// The ways of a CPU through a solve whose preconditioner depends on the diagonal and the products alone.
std::vector<SolverPlan> plans_of_a_cpu(const CpuSystem& system) {
  std::vector<SolverPlan> plans(4);
  plans[1].parts = plans[3].parts = system.parts();
  plans[2].preconditioner = plans[3].preconditioner = PolynomialOptions{PolynomialKind::chebyshev, 3};
  return plans;
}

TEST(MixedPrecision, SolvesTheRoundedSystemBitForBit) {
  for (const Index rows : {1, 31, 32, 33, 97, 3000}) {
    const RandomSymmetric given(rows, 13, seed);
    CpuSystem system(given);
    const Values exact = system.value();
    for (SolverPlan plan : plans_of_a_cpu(system))
      for (const CgConfig config : {CgConfig{1e-12, 500}, CgConfig{1e-12, 3}}) {
        SCOPED_TRACE(std::to_string(rows) + " rows");
        system.value() = exact;
        plan.precision = SolverPrecision::double_precision;
        system.solve(plan, config);
        const Values in_double = system.x();
        plan.precision = SolverPrecision::mixed;
        const CgReport mixed = system.solve(plan, config);
        const Values x = system.x();
        EXPECT_EQ(system.value(), exact);
        system.value() = widened(rounded(exact));
        plan.precision = SolverPrecision::double_precision;
        const CgReport expected = system.solve(plan, config);
        EXPECT_EQ(mixed.status, expected.status);
        EXPECT_EQ(mixed.iterations, expected.iterations);
        EXPECT_EQ(mixed.residual_norm, expected.residual_norm);
        EXPECT_EQ(x, system.x());
        EXPECT_EQ(x == in_double, rows == 1);  // whose value, 0.125, single precision has
      }
  }
}

TEST(MixedPrecision, EndsAsNotFiniteWithEntriesThatSinglePrecisionHasNot) {
  const RandomSymmetric given(97, 13, seed);
  CpuSystem system(given);
  const Values exact = system.value();
  for (SolverPlan plan : plans_of_a_cpu(system)) {
    plan.precision = SolverPrecision::mixed;
    system.value() = exact;
    for (Real& number : system.value()) number *= 1e39;
    EXPECT_EQ(system.solve(plan, {1e-10, 500}).status, CgStatus::not_finite);
    plan.precision = SolverPrecision::double_precision;
    EXPECT_EQ(system.solve(plan, {1e-10, 500}).status, CgStatus::converged);
  }
}

TEST(MixedPrecision, TakesTheNewtonIterationsOfDoubleToTheSamePotentials) {
  const Mesh mesh = random_mesh({8, 4, 4}, 0.5, seed);
  const auto with = [&](Quadrature quadrature, PreconditionerChoice preconditioner, SolverPath path,
                        SolverPrecision precision) {
    return front(mesh, [&](Problem& problem) {
      problem.quadrature = quadrature;
      problem.preconditioner = preconditioner;
      problem.path = path;
      problem.precision = precision;
    });
  };
  using enum PreconditionerChoice;
  for (const Quadrature quadrature : {Quadrature::vertices, Quadrature::centroid, Quadrature::vertices_and_centroid})
    for (const auto& [preconditioner, path] :
         std::vector<std::pair<PreconditionerChoice, SolverPath>>{{jacobi, SolverPath::plain},
                                                                  {jacobi, SolverPath::in_parts},
                                                                  {block_jacobi, SolverPath::plain},
                                                                  {polynomial, SolverPath::plain}}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(quadrature)) + ", " + std::string(name_of(path)));
      const History in_double = with(quadrature, preconditioner, path, SolverPrecision::double_precision),
                    mixed = with(quadrature, preconditioner, path, SolverPrecision::mixed);
      EXPECT_EQ(mixed.newton_iterations, in_double.newton_iterations);
      const Values& last = in_double.potential_mv.back();
      EXPECT_GT(*std::max_element(last.begin(), last.end()), 0);
      const Real difference = largest_difference(mixed, in_double);
      EXPECT_GT(difference, 0);
      EXPECT_LE(difference, 1e-6);  // newton.tolerance 1e-8 in mV
    }
}

}  // namespace
}  // namespace cardiowarp
