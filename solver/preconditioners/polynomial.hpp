#pragma once
#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The polynomials of the preconditioners that linear_solver.preconditioner: {polynomial: .., degree: ..} asks for, as
// plain numbers. M⁻¹ = P(D⁻¹ A) D⁻¹ with a polynomial P of degree m close to 1 / λ on an interval [a, b] that holds the
// eigenvalues λ of D⁻¹ A; D is the diagonal of A. It equals D^-½ P(D^-½ A D^-½) D^-½ and so is symmetric. What
// conjugate gradients see of a polynomial is its residual polynomial R(λ) = 1 − λ P(λ), of degree m + 1 with R(0) = 1.
// All of them come from one recurrence, z_m = P_m(D⁻¹ A) D⁻¹ r from z_{−1} = 0,
//   z_k = z_{k−1} + momentum_k (z_{k−1} − z_{k−2}) + gain_k D⁻¹ (r − A z_{k−1}),   k = 0 .. m,
// of m products, since A z_{−1} = 0. polynomial_steps() has the coefficients, PolynomialPreconditioner
// (polynomial_preconditioner.hpp) the vectors, which the path `persistent` goes through in its own launch
// (solver/persistent/persistent_rows.hpp).
//
// R is larger than −1 and smaller than 1, and so P positive, for 0 < λ < a + b. Where eigenvalues are larger than that,
// P of an odd degree is negative there, and M not positive definite.

/// A family of polynomials (Saad 2003, Iterative Methods for Sparse Linear Systems, sec. 12.3).
enum class PolynomialKind {
  neumann,  ///< ω Σ_{k<=m} (1 − ωλ)^k with ω = 2 / (a + b), the first terms of Neumann's series of 1 / λ
  least_squares,  ///< the least ∫ R² w on [a, b] with the weight w of Chebyshev's polynomials, 1 / √((λ − a)(b − λ))
  chebyshev  ///< the least max |R| on [a, b]: R(λ) = T_{m+1}(μ(λ)) / T_{m+1}(μ(0)), μ(λ) = (a + b − 2λ) / (b − a)
};

/// Their names in YAML and in results.
inline constexpr std::array<std::pair<std::string_view, PolynomialKind>, 3> polynomial_kinds{
    {{"neumann", PolynomialKind::neumann},
     {"least_squares", PolynomialKind::least_squares},
     {"chebyshev", PolynomialKind::chebyshev}}};

/// The precision in which z = M⁻¹ r is computed. Conjugate gradients around it stay as they are.
enum class PolynomialPrecision {
  double_precision,
  single  ///< r, divided by a power of two near its largest entry, the matrix and all vectors in single precision
};

/// Their names in YAML.
inline constexpr std::array<std::pair<std::string_view, PolynomialPrecision>, 2> polynomial_precisions{
    {{"double", PolynomialPrecision::double_precision}, {"single", PolynomialPrecision::single}}};

struct PolynomialOptions {
  static constexpr int highest_degree = 8;

  PolynomialKind kind = PolynomialKind::chebyshev;
  int degree = 4;  ///< in [1, highest_degree]: the products of an application
  PolynomialPrecision precision = PolynomialPrecision::double_precision;

  bool is_valid() const { return degree >= 1 && degree <= highest_degree; }
};

/// An interval for the eigenvalues of D⁻¹ A, 0 < lower <= upper.
struct SpectrumBounds {
  Real lower = 0, upper = 0;
};

/// The coefficients of the recurrence above.
struct PolynomialSteps {
  struct Step {
    Real momentum, gain;
  };
  Step step[PolynomialOptions::highest_degree + 1];
};

/// The coefficients for an interval.
///
/// With the midpoint θ of the interval, half its length δ and τ_k = T_k(μ(0)) / T_{k+1}(μ(0)),
///   chebyshev       gain_0 = 1 / θ,  gain_k = 2 τ_k / δ,  momentum_k = τ_k τ_{k−1}.
/// The residual polynomials of least_squares are the kernel polynomials K_k(λ) / K_k(0) of Chebyshev's,
/// K_k(λ) = ½ + Σ_{0<j<=k} T_j(μ(0)) T_j(μ(λ)) (Stiefel 1958). They have a recurrence since they are orthogonal with
/// the weight λ w; its coefficients follow from the leading coefficients and from the derivatives at λ = 0. With w_k =
/// K_k(0) / T_k(μ(0))², y_k = T_k'(μ(0)) / (δ T_k(μ(0))) and D_k = −R'(0) of the k-th,
///   least_squares   gain_k = 2 τ_k w_k / (δ w_{k+1}),  momentum_k = (D_{k+1} − D_k − gain_k) / (D_k − D_{k−1}).
/// All are written with τ_k / δ, which stays finite where the interval is a point.
CARDIOWARP_HD inline PolynomialSteps polynomial_steps(const PolynomialOptions& options, const SpectrumBounds& bounds) {
  const Real middle = (bounds.lower + bounds.upper) / 2, half = (bounds.upper - bounds.lower) / 2;
  PolynomialSteps steps{};
  Real ratio = 0;                                         // τ_k / δ
  Real weight = 0.5;                                      // w_k
  Real log_slope = 0, log_slope_before = 0;               // y_k, y_{k−1}
  Real slope = 0, slope_before = 0, tau = 0, before = 0;  // D_k, D_{k−1}, τ_k, τ_{k−1}
  for (int k = 0; k <= options.degree; ++k) {
    ratio = 1 / (k == 0 ? middle : 2 * middle - half * half * ratio);
    before = tau;
    tau = half * ratio;
    PolynomialSteps::Step& step = steps.step[k];
    switch (options.kind) {
      case PolynomialKind::neumann:
        step = {0, 1 / middle};
        break;
      case PolynomialKind::chebyshev:
        step = {k == 0 ? 0 : tau * before, (k == 0 ? 1 : 2) * ratio};
        break;
      case PolynomialKind::least_squares: {
        const Real next_weight = 1 + weight * tau * tau;
        const Real next_log_slope =
            k == 0 ? ratio : 2 * ratio * (1 + middle * log_slope) - tau * before * log_slope_before;
        const Real next_slope = (slope * weight * tau * tau + next_log_slope) / next_weight;
        step.gain = 2 * ratio * weight / next_weight;
        step.momentum = k == 0 ? 0 : (next_slope - slope - step.gain) / (slope - slope_before);
        weight = next_weight;
        log_slope_before = log_slope;
        log_slope = next_log_slope;
        slope_before = slope;
        slope = next_slope;
        break;
      }
    }
  }
  return steps;
}

/// z_0 of the recurrence above for a row: gain D⁻¹ r
template <class Number>
CARDIOWARP_HD Number polynomial_first(std::type_identity_t<Number> gain, Number inverse_diagonal, Number r) {
  return gain * inverse_diagonal * r;
}
/// The last two z of a row: z_{k−1}, and z_{k−2}, 0 for k = 1.
template <class Number>
struct LastTwo {
  Number now, last;
};
/// z_k for a row; `product` is the row of A z_{k−1}.
template <class Number>
CARDIOWARP_HD Number polynomial_next(std::type_identity_t<Number> momentum, std::type_identity_t<Number> gain,
                                     LastTwo<Number> z, Number inverse_diagonal, Number r, Number product) {
  return z.now + momentum * (z.now - z.last) + gain * inverse_diagonal * (r - product);
}

/// R(λ) of the polynomial of this degree, by the recurrence.
CARDIOWARP_HD inline Real residual_polynomial(const PolynomialSteps& steps, int degree, Real lambda) {
  Real before = 1, now = 1;
  for (int k = 0; k <= degree; ++k) {
    const Real next = now + steps.step[k].momentum * (now - before) - steps.step[k].gain * lambda * now;
    before = now;
    now = next;
  }
  return now;
}

}  // namespace cardiowarp
