// The coefficients of the polynomial preconditioners against the definitions of the polynomials, and the bounds of a
// spectrum against a dense eigensolver.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/spectrum.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 67;
constexpr Real pi = 3.14159265358979323846;

/// T_n(x) by its definition, |x| <= 1 or x > 1.
Real chebyshev_polynomial(int n, Real x) {
  return x > 1 ? std::cosh(n * std::acosh(x)) : std::cos(n * std::acos(std::clamp(x, -1.0, 1.0)));
}

Real mapped(const SpectrumBounds& bounds, Real lambda) {
  return (bounds.lower + bounds.upper - 2 * lambda) / (bounds.upper - bounds.lower);
}

const std::vector<SpectrumBounds>& intervals() {
  static const std::vector<SpectrumBounds> all{{0.657, 1.445}, {0.0245, 2.213}, {1e-3, 4}, {0.9999, 1.0001}, {30, 70}};
  return all;
}

/// check(λ) at 0, and across the interval.
template <class Check>
void at_points(const SpectrumBounds& bounds, const Check& check) {
  check(0);
  for (int k = 0; k <= 20; ++k) check(bounds.lower + (bounds.upper - bounds.lower) * k / 20);
}

template <class Definition>
void expect_residuals(PolynomialKind kind, const Definition& definition) {
  for (const SpectrumBounds& bounds : intervals())
    for (int degree = 1; degree <= PolynomialOptions::highest_degree; ++degree) {
      const PolynomialSteps steps = polynomial_steps({kind, degree}, bounds);
      at_points(bounds, [&](Real lambda) {
        // 20 roundings of numbers below 1 in each of m + 1 steps, which momentum does not add up.
        constexpr Real bound = 200 * std::numeric_limits<Real>::epsilon();
        EXPECT_NEAR(residual_polynomial(steps, degree, lambda), definition(bounds, degree, lambda), bound)
            << "degree " << degree << " on [" << bounds.lower << ", " << bounds.upper << "] at " << lambda;
      });
    }
}

TEST(Polynomial, OfNeumannIsAPowerOfTheFirstResidual) {
  expect_residuals(PolynomialKind::neumann, [](const SpectrumBounds& bounds, int degree, Real lambda) {
    return std::pow(1 - 2 * lambda / (bounds.lower + bounds.upper), degree + 1);
  });
}

TEST(Polynomial, OfChebyshevIsTheOneOfTheDefinition) {
  expect_residuals(PolynomialKind::chebyshev, [](const SpectrumBounds& bounds, int degree, Real lambda) {
    return chebyshev_polynomial(degree + 1, mapped(bounds, lambda)) /
           chebyshev_polynomial(degree + 1, mapped(bounds, 0));
  });
}

TEST(Polynomial, OfLeastSquaresIsAKernelOfChebyshevsPolynomials) {
  expect_residuals(PolynomialKind::least_squares, [](const SpectrumBounds& bounds, int degree, Real lambda) {
    Real at_lambda = 0.5, at_zero = 0.5;
    for (int j = 1; j <= degree + 1; ++j) {
      const Real of_zero = chebyshev_polynomial(j, mapped(bounds, 0));
      at_lambda += of_zero * chebyshev_polynomial(j, mapped(bounds, lambda));
      at_zero += of_zero * of_zero;
    }
    return at_lambda / at_zero;
  });
}

/// ∫ f w over the interval with Chebyshev's weight, exact for polynomials of a degree below 2 * 32.
template <class Function>
Real weighted_integral(const SpectrumBounds& bounds, const Function& f) {
  constexpr int points = 32;
  Real sum = 0;
  for (int k = 0; k < points; ++k)
    sum += f((bounds.lower + bounds.upper) / 2 + (bounds.upper - bounds.lower) / 2 * std::cos(pi * (k + 0.5) / points));
  return sum * pi / points;
}

TEST(Polynomial, OfLeastSquaresHasTheLeastIntegral) {
  // No polynomial Q of the degree makes ∫ (1 − λ (P + ε Q))² w smaller: ∫ R λ Q w = 0 for all powers Q.
  for (const SpectrumBounds& bounds : intervals())
    for (int degree = 1; degree <= PolynomialOptions::highest_degree; ++degree) {
      const PolynomialSteps steps = polynomial_steps({PolynomialKind::least_squares, degree}, bounds);
      const PolynomialSteps of_chebyshev = polynomial_steps({PolynomialKind::chebyshev, degree}, bounds);
      const auto R = [&](Real lambda) { return residual_polynomial(steps, degree, lambda); };
      const auto other = [&](Real lambda) { return residual_polynomial(of_chebyshev, degree, lambda); };
      const auto size = [&](const auto& f) {
        return std::sqrt(weighted_integral(bounds, [&](Real lambda) { return f(lambda) * f(lambda); }));
      };
      EXPECT_LE(size(R), size(other));
      EXPECT_GT(size(other), 0);
      for (int power = 0; power <= degree; ++power) {
        const auto Q = [&](Real lambda) { return std::pow(lambda / bounds.upper, power + 1); };
        EXPECT_NEAR(weighted_integral(bounds, [&](Real lambda) { return R(lambda) * Q(lambda); }), 0, 1e-13)
            << "degree " << degree << ", power " << power;
      }
    }
}

TEST(Polynomial, OfLeastSquaresOnZeroToFourIsSaadsTable) {
  // 5 − λ, 14 − 7λ + λ², 30 − 27λ + 9λ² − λ³, 55 − 77λ + 44λ² − 11λ³ + λ⁴ (1985, SIAM J. Sci. Stat. Comput. 6), up to a
  // factor, which P(0) = −R'(0) fixes here.
  const std::vector<std::vector<Real>> table{{5, -1}, {14, -7, 1}, {30, -27, 9, -1}, {55, -77, 44, -11, 1}};
  for (std::size_t row = 0; row < table.size(); ++row) {
    const int degree = static_cast<int>(row) + 1;
    const PolynomialSteps steps = polynomial_steps({PolynomialKind::least_squares, degree}, {0, 4});
    const auto P = [&](Real lambda) { return (1 - residual_polynomial(steps, degree, lambda)) / lambda; };
    const auto of_table = [&](Real lambda) {
      Real sum = 0;
      for (std::size_t k = table[row].size(); k-- > 0;) sum = table[row][k] + lambda * sum;
      return sum;
    };
    const Real factor = P(1) / of_table(1);
    for (const Real lambda : {0.25, 0.5, 2.0, 3.0, 4.0})
      EXPECT_NEAR(P(lambda), factor * of_table(lambda), 1e-13) << "degree " << degree << " at " << lambda;
    EXPECT_GT(factor, 0);
  }
}

TEST(Polynomial, OfChebyshevHasTheLeastMaximum) {
  const SpectrumBounds bounds{0.1, 2};
  for (int degree = 1; degree <= PolynomialOptions::highest_degree; ++degree) {
    const auto largest = [&](PolynomialKind kind) {
      const PolynomialSteps steps = polynomial_steps({kind, degree}, bounds);
      Real maximum = 0;
      for (int k = 0; k <= 1000; ++k)
        maximum = std::max(maximum, std::fabs(residual_polynomial(steps, degree, 0.1 + 1.9 * k / 1000)));
      return maximum;
    };
    EXPECT_LT(largest(PolynomialKind::chebyshev), largest(PolynomialKind::least_squares));
    EXPECT_LT(largest(PolynomialKind::least_squares), largest(PolynomialKind::neumann));
  }
}

TEST(Polynomial, OfAnIntervalThatIsAPointIsTheInverse) {
  for (const auto& [name, kind] : polynomial_kinds)
    for (const int degree : {1, 4, 8}) {
      const PolynomialSteps steps = polynomial_steps({kind, degree}, {0.7, 0.7});
      EXPECT_NEAR(residual_polynomial(steps, degree, 0.7), 0, 1e-15) << name;
      EXPECT_EQ(residual_polynomial(steps, degree, 0), 1) << name;
    }
}

TEST(Polynomial, IsPositiveUpToTheSumOfTheBoundsAndNegativeBeyondWhereItsDegreeIsOdd) {
  const SpectrumBounds bounds{0.2, 1};
  for (const auto& [name, kind] : polynomial_kinds)
    for (int degree = 1; degree <= PolynomialOptions::highest_degree; ++degree) {
      const PolynomialSteps steps = polynomial_steps({kind, degree}, bounds);
      const auto P = [&](Real lambda) { return (1 - residual_polynomial(steps, degree, lambda)) / lambda; };
      for (int k = 1; k < 120; ++k) EXPECT_GT(P(0.01 * k), 0) << name << " of degree " << degree << " at " << 0.01 * k;
      EXPECT_EQ(P(1.3) > 0, degree % 2 == 0) << name << " of degree " << degree;
    }
}

LanczosMatrix random_lanczos_matrix(int size) {
  const std::vector<Real> random = random_values(std::size_t{2} * size, seed + size);
  LanczosMatrix T;
  T.size = size;
  for (int k = 0; k < size; ++k) {
    T.diagonal[k] = random[k];
    T.beside[k] = std::fabs(random[size + k]);
  }
  return T;
}

/// [size][size] the first rows and columns of T.
std::vector<std::vector<Real>> dense(const LanczosMatrix& T, int size) {
  std::vector<std::vector<Real>> rows(size, std::vector<Real>(size));
  for (int k = 0; k < size; ++k) {
    rows[k][k] = T.diagonal[k];
    if (k + 1 < size) rows[k][k + 1] = rows[k + 1][k] = T.beside[k];
  }
  return rows;
}

TEST(LanczosMatrix, HasTheEigenvaluesOfADenseSolver) {
  for (int size = 1; size <= LanczosMatrix::most_steps; ++size) {
    const LanczosMatrix T = random_lanczos_matrix(size);
    const std::vector<Real> expected = eigenvalues(dense(T, size));
    for (int k = 0; k < size; ++k) EXPECT_NEAR(T.eigenvalue(k), expected[k], 1e-14) << k << " of " << size;
    EXPECT_EQ(T.eigenvalues_below(expected[0] - 1e-3), 0);
    EXPECT_EQ(T.eigenvalues_below(expected.back() + 1e-3), size);
  }
}

// The square of the last component is Π_j (λ − μ_j) / Π_j (λ − λ_j), with the eigenvalues μ of T without its last row
// and column and the other eigenvalues λ_j of T (Parlett 1998, sec. 7.9).
TEST(LanczosMatrix, HasTheLastComponentsOfEigenvectorsByTheEigenvaluesOfAMinor) {
  for (int size = 1; size <= LanczosMatrix::most_steps; ++size) {
    const LanczosMatrix T = random_lanczos_matrix(size);
    const std::vector<Real> of_matrix = eigenvalues(dense(T, size)), of_minor = eigenvalues(dense(T, size - 1));
    Real squares = 0;
    for (int k = 0; k < size; ++k) {
      Real expected = 1;
      for (const Real mu : of_minor) expected *= of_matrix[k] - mu;
      for (int j = 0; j < size; ++j)
        if (j != k) expected /= of_matrix[k] - of_matrix[j];
      const Real last = T.last_of_eigenvector(T.eigenvalue(k));
      EXPECT_NEAR(last * last, expected, 1e-10) << k << " of " << size;
      squares += last * last;
    }
    EXPECT_NEAR(squares, 1, 1e-10);
  }
}

TEST(LanczosMatrix, HasLastComponentsOfAtMostOneWhereNumbersOverflow) {
  const LanczosMatrix T{3, {5, 2, 3}, {1e-300, 1e-300, 1}};
  for (int k = 0; k < 3; ++k) {
    EXPECT_GE(T.last_of_eigenvector(T.eigenvalue(k)), 0);
    EXPECT_LE(T.last_of_eigenvector(T.eigenvalue(k)), 1);
  }
  EXPECT_EQ(T.last_of_eigenvector(INFINITY), 1);
}

TEST(LanczosMatrix, OfADiagonalMatrixHasItsEntries) {
  LanczosMatrix T{3, {5, 2, 3}, {0, 0, 0}};
  EXPECT_NEAR(T.eigenvalue(0), 2, 1e-15);
  EXPECT_NEAR(T.eigenvalue(1), 3, 1e-15);
  EXPECT_NEAR(T.eigenvalue(2), 5, 1e-15);
}

SpectrumBounds bounds_by(const LanczosMatrix& T, Real gershgorin) {
  std::vector<RitzPair> ritz;
  for (int k = 0; k < T.size; ++k) ritz.push_back(T.ritz_pair(k));
  return spectrum_bounds(T.size, ritz.data(), gershgorin);
}

TEST(SpectrumBounds, EndAtTheSmallerOfTwoUpperOnes) {
  const LanczosMatrix T{2, {1, 1}, {0.5, 0.25}};  // Ritz values 0.5 and 1.5, of (1, ∓1) / √2
  EXPECT_NEAR(bounds_by(T, 10).lower, 0.5, 1e-15);
  EXPECT_NEAR(bounds_by(T, 10).upper, 1.5 + 0.25 / std::sqrt(2), 1e-15);
  EXPECT_EQ(bounds_by(T, 1.6).upper, 1.6);
}

TEST(SpectrumBounds, StayPositiveWhereTheMatrixIsNot) {
  for (const LanczosMatrix& T : {LanczosMatrix{2, {0.5, 0.5}, {1, 0}}, LanczosMatrix{}}) {
    const SpectrumBounds bounds = bounds_by(T, 2);
    EXPECT_GT(bounds.lower, 0);
    EXPECT_LE(bounds.lower, bounds.upper);
    EXPECT_LE(bounds.upper, 2);
  }
}

TEST(SpectrumBounds, OfOneEigenvalueAreOneNumber) {
  const SpectrumBounds bounds = bounds_by({1, {1 + 1e-15}, {0}}, 1);
  EXPECT_EQ(bounds.lower, 1);
  EXPECT_EQ(bounds.upper, 1);
}

}  // namespace
}  // namespace cardiowarp
