// Linear solves with a matrix in single precision: products against those in double, solves against those of the
// rounded matrix, runs against runs in double precision.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/simulation/simulation.hpp"
#include "assembly/global_matrix.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/linear_solver.hpp"
#include "tests/support/all_options.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/random_symmetric.hpp"
#include "tests/support/single_run.hpp"

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

/// Holds the products of a format with values in single precision against those in double.
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

/// A system on the CPU in ELL-WARP, which can be cut into parts.
class System {
 public:
  explicit System(const RandomSymmetric& given)
      : pattern_(given.view()),
        rows_(pattern_.rows),
        layout_(ell_warp_layout(
            row_lengths(given.row_begin), given.column,
            {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = 32})),
        matrix_(cpu_, {given.row_begin, given.column}, layout_),
        value_(layout_.shape.stored_entries()),
        inverse_diagonal_(rows_),
        x_(rows_) {
    for (std::size_t e = 0; e < given.value.size(); ++e) value_[layout_.slot_of_entry[e]] = given.value[e];
    const std::vector<Index> new_of_old = inverse_permutation(layout_.shape.row);
    for (Index row = 0; row < rows_; ++row)
      for (Index e = given.row_begin[row]; e < given.row_begin[row + 1]; ++e)
        if (given.column[e] == row) inverse_diagonal_[new_of_old[row]] = 1 / given.value[e];
  }

  Values& value() { return value_; }
  MatrixParts parts() const { return matrix_parts(layout_).value(); }

  CgReport solve(const SolverPlan& plan, const CgConfig& config) {
    b_ = random_values(rows_, seed + 3);
    CgState state{};
    make_linear_solver(
        cpu_, plan, layout_, *this,
        {rows_, layout_.shape.stored_entries(), value_.data(), inverse_diagonal_.data(), b_.data(), x_.data(), &state})
        ->solve(cpu_, config, nullptr);
    return state.report;
  }
  const Values& x() const { return x_; }

  // As MatrixWithValues multiplies.
  template <class Value>
  void multiply_dot(CpuBackend& backend, const Value* values, const Real* p, Real* q, Real* pq) const {
    matrix_.multiply_dot(backend, 0, values, p, q, pq);
  }
  template <class Value, class Number>
  void multiply(CpuBackend& backend, const Value* values, const Number* x, Number* y) const {
    matrix_.multiply(backend, 0, values, x, y);
  }
  template <class Value, class Number>
  void absolute_row_sums(CpuBackend& backend, const Value* values, Number* y) const {
    matrix_.absolute_row_sums(backend, 0, values, y);
  }

 private:
  CsrView pattern_;
  Index rows_;
  CpuBackend cpu_;
  EllWarpLayout layout_;
  FormatOf<MatrixFormat::ell_warp>::Product<CpuBackend> matrix_;
  Values value_, inverse_diagonal_, b_, x_;
};

/// The ways of a CPU through a solve whose preconditioner depends on the diagonal and the products alone.
std::vector<SolverPlan> plans_of_a_cpu(const System& system) {
  std::vector<SolverPlan> plans(4);
  plans[1].parts = plans[3].parts = system.parts();
  plans[2].polynomial = plans[3].polynomial = PolynomialOptions{PolynomialKind::chebyshev, 3};
  return plans;
}

TEST(MixedPrecision, SolvesTheRoundedSystemBitForBit) {
  for (const Index rows : {1, 31, 32, 33, 97, 3000}) {
    const RandomSymmetric given(rows, 13, seed);
    System system(given);
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
  System system(given);
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

struct History {
  std::vector<Values> potential_mv;
  std::vector<int> newton_iterations;
};

/// A front through a slab, whose systems are solved as `choose` says.
template <class Choose>
History front(const Mesh& mesh, const Choose& choose) {
  Problem problem = resting_problem(mesh, 0.1, 0.3);
  problem.newton = {};
  problem.linear_solver = {1e-10, 1000};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 2) problem.phi[i] = 1;
  choose(problem);
  const auto simulation = make_cpu_simulation(problem);
  History run;
  Values potential(mesh.nodes.size());
  for (int step = 1; step <= 60; ++step) {
    const StepReport report = simulation->step_to(step * 0.2);
    EXPECT_FALSE(report.failure) << report.failure->reason;
    run.newton_iterations.push_back(report.newton_iterations);
    simulation->potential_mv(potential);
    run.potential_mv.push_back(potential);
  }
  return run;
}

Real largest_difference(const History& a, const History& b) {
  Real largest = 0;
  for (std::size_t step = 0; step < a.potential_mv.size(); ++step)
    for (std::size_t i = 0; i < a.potential_mv[step].size(); ++i)
      largest = std::max(largest, std::fabs(a.potential_mv[step][i] - b.potential_mv[step][i]));
  return largest;
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
