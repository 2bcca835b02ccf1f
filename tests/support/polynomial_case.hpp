#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/config/config_names.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr_format.hpp"
#include "solver/linear_solver.hpp"
#include "solver/preconditioners/polynomial_preconditioner.hpp"
#include "tests/support/random_symmetric.hpp"
#include "tests/support/solver_for.hpp"

// A matrix on the CPU, and the polynomial preconditioners of it in double and in single precision, for tests of them.

namespace cardiowarp::polynomial_case {

inline constexpr unsigned seed = 29;
inline constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

using CsrOfRun = FormatOf<MatrixFormat::csr>::Product<CpuBackend>;

/// A matrix as the plain path has it.
struct Matrix {
  Matrix(CpuBackend& backend, const CsrView& A)
      : rows(A.rows),
        entries(A.row_begin[A.rows]),
        product(backend,
                {std::span(A.row_begin, static_cast<std::size_t>(A.rows) + 1),
                 std::span(A.column, static_cast<std::size_t>(A.row_begin[A.rows]))},
                {}),
        inverse_diagonal(A.rows) {
    set(A);
  }
  void set(const CsrView& A) {
    std::copy_n(A.value, A.row_begin[A.rows], product.value());
    for (Index row = 0; row < rows; ++row)
      for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e)
        if (A.column[e] == row) inverse_diagonal[row] = 1 / A.value[e];
  }

  // As MatrixWithValues multiplies.
  template <class Value, class Number>
  void multiply_dot(CpuBackend& backend, const Value* values, const Number* p, Number* q, Real* pq) const {
    product.multiply_dot(backend, 0, values, p, q, pq);
  }
  template <class Value, class Number>
  void multiply(CpuBackend& backend, const Value* values, const Number* x, Number* y) const {
    product.multiply(backend, 0, values, x, y);
  }
  template <class Value, class Number>
  void absolute_row_sums(CpuBackend& backend, const Value* values, Number* y) const {
    product.absolute_row_sums(backend, 0, values, y);
  }
  std::int64_t slots() const { return static_cast<std::int64_t>(entries); }

  Index rows, entries;
  CsrOfRun product;
  std::vector<Real> inverse_diagonal;
};

using Product = MatrixWithValues<Matrix, Real>;
using Polynomial = PolynomialPreconditioner<CpuBackend, Product>;
using SinglePolynomial = PolynomialPreconditioner<CpuBackend, MatrixWithValues<Matrix, float>, float>;

inline Polynomial polynomial_of(CpuBackend& backend, Matrix& A, const PolynomialOptions& options) {
  return {backend, A.rows, Product{&A, A.product.value()}, options, A.inverse_diagonal.data()};
}

inline Real inner(const std::vector<Real>& a, const std::vector<Real>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), Real{0});
}

template <class AnyPolynomial>
std::vector<Real> applied(const AnyPolynomial& M, const std::vector<Real>& r) {
  M.apply(r.data());
  std::vector<Real> z(r.size());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = M.preconditioner()(static_cast<Index>(i), r[i]);
  return z;
}

inline std::vector<PolynomialOptions> all_polynomials() {
  std::vector<PolynomialOptions> all;
  for (const auto& [name, kind] : polynomial_kinds)
    for (int degree = 1; degree <= PolynomialOptions::highest_degree; ++degree) all.push_back({kind, degree});
  return all;
}

inline std::string words(const PolynomialOptions& options, Index rows) {
  return in_words(PreconditionerChoice::polynomial, options) + ", " + std::to_string(rows) + " rows";
}

/// Iterations to 1e-10 for a random right-hand side.
inline int iterations_of(CpuBackend& backend, Matrix& A, const std::optional<PolynomialOptions>& options) {
  std::vector<Real> r = random_values(A.rows, seed + 6), x(A.rows);
  CgState state{};
  SolverPlan plan;
  if (options) plan.preconditioner = *options;
  test::solver_for(backend, plan, {}, A,
                   {A.rows, A.slots(), A.product.value(), A.inverse_diagonal.data(), r.data(), x.data(), &state})
      ->solve(backend, {1e-10, 500}, nullptr);
  EXPECT_EQ(state.report.status, CgStatus::converged);
  return state.report.iterations;
}

}  // namespace cardiowarp::polynomial_case
