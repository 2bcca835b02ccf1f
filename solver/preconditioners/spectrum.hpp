#pragma once
#include <cmath>

#include "kernels/backend/types.hpp"
#include "solver/preconditioners/polynomial.hpp"

namespace cardiowarp {

// Where the eigenvalues of D⁻¹ A are, for an A that is symmetric and positive definite with the diagonal D. Lanczos's
// method makes a small tridiagonal matrix whose eigenvalues, the Ritz values, lie between the smallest and the largest
// one; Gershgorin's theorem bounds the largest one by the sums of rows. Here are the small matrix and what follows from
// it, as plain numbers; PolynomialPreconditioner (polynomial_preconditioner.hpp) runs the steps.

/// An eigenvalue of T, and how far the vector that belongs to it is from being an eigenvector of D⁻¹ A.
struct RitzPair {
  Real value;
  Real residual;  ///< |β| |s_m|, where s is the eigenvector of T of length 1 and s_m its last component
};

/// The matrix T of Lanczos's method after some steps, symmetric and tridiagonal.
struct LanczosMatrix {
  static constexpr int most_steps = 10;

  int size = 0;               ///< the steps done
  Real diagonal[most_steps];  ///< [size] T_kk
  Real beside[most_steps];    ///< [size] T_{k,k+1}, at least 0; the last one, |β|, leads out of T

  /// Adds a step of conjugate gradients with Jacobi, whose numbers are those of Lanczos's method (Saad 2003, sec. 6.7):
  ///   T_kk = 1 / α_k + β_k / α_{k−1},  T_{k,k+1} = √β_{k+1} / α_k
  /// with the steps α, and the β by which directions follow each other: β_0 = 0.
  CARDIOWARP_HD void add(Real alpha, Real beta, Real alpha_before, Real next_beta) {
    diagonal[size] = 1 / alpha + (beta == 0 ? 0 : beta / alpha_before);
    beside[size] = std::sqrt(next_beta) / alpha;
    ++size;
  }

  /// How many eigenvalues are smaller than x: the negative pivots of T − x (Sturm; Golub & Van Loan, sec. 8.4).
  CARDIOWARP_HD int eigenvalues_below(Real x) const {
    int number = 0;
    Real pivot = 1;
    for (int k = 0; k < size; ++k) {
      const Real of_row_before = k == 0 ? 0 : beside[k - 1] * beside[k - 1] / pivot;
      pivot = diagonal[k] - x - of_row_before;
      if (pivot == 0) pivot = 1e-300;
      if (pivot < 0) ++number;
    }
    return number;
  }

  /// The eigenvalue with `smaller` others below it, by bisection to the last bits. NaN where T has NaN or no rows.
  CARDIOWARP_HD Real eigenvalue(int smaller) const {
    Real low = INFINITY, high = -INFINITY, sum = 0;
    for (int k = 0; k < size; ++k) {
      const Real radius = (k == 0 ? 0 : beside[k - 1]) + (k + 1 == size ? 0 : beside[k]);
      low = std::fmin(low, diagonal[k] - radius);
      high = std::fmax(high, diagonal[k] + radius);
      sum += diagonal[k] + radius;
    }
    if (size == 0 || !std::isfinite(sum)) return NAN;
    for (int halved = 0; halved < 60; ++halved) {
      const Real middle = low + (high - low) / 2;
      (eigenvalues_below(middle) > smaller ? high : low) = middle;
    }
    return low + (high - low) / 2;
  }

  /// |s_m|, the last component of the eigenvector s of length 1 of the eigenvalue λ, computed by the rows of
  /// T s = λ s from the first to the last but one. It is 1, which no component exceeds, where numbers overflow or
  /// T has a zero beside its diagonal.
  CARDIOWARP_HD Real last_of_eigenvector(Real lambda) const {
    Real before = 0, component = 1, squares = 1;
    for (int k = 0; k + 1 < size; ++k) {
      const Real next = ((lambda - diagonal[k]) * component - (k == 0 ? 0 : beside[k - 1] * before)) / beside[k];
      before = component;
      component = next;
      squares += next * next;
    }
    const Real last = std::fabs(component) / std::sqrt(squares);
    return last <= 1 ? last : 1;
  }

  /// The Ritz pair whose value has `smaller` other eigenvalues of T below it; `smaller` is less than `size`.
  CARDIOWARP_HD RitzPair ritz_pair(int smaller) const {
    const Real value = eigenvalue(smaller);
    return {value, beside[size - 1] * last_of_eigenvector(value)};
  }
};

/// The interval for the polynomials, from all `size` Ritz pairs in ascending order. Its lower end is the smallest Ritz
/// value, which is a little above the smallest eigenvalue: there 0 < R < 1, so that an eigenvalue below costs
/// iterations and no more. Its upper end has to be above the largest eigenvalue, which the largest Ritz value is not.
/// In practice it is enough to add |β| to that value (Zhou, Saad, Tiago, Chelikowsky 2006, J. Comput. Phys. 219), or
/// the largest residual of a Ritz pair (Zhou, Li 2011, Linear Algebra Appl. 435), which is 0.4 of |β| on hearts. The
/// latter is added here. Where `gershgorin`, max_i Σ_j |A_ij| / A_ii, is smaller than the sum, it is the end: no
/// eigenvalue is above it. Should one be above the end, P stays positive up to the sum of both ends. Where the matrix
/// is not positive definite, or there is no pair, the lower end is a hundredth of the upper one.
CARDIOWARP_HD inline SpectrumBounds spectrum_bounds(int size, const RitzPair* ritz, Real gershgorin) {
  if (size == 0) return {gershgorin / 100, gershgorin};
  Real residual = 0;
  for (int k = 0; k < size; ++k) residual = std::fmax(residual, ritz[k].residual);
  const Real lower = ritz[0].value, upper = std::fmin(ritz[size - 1].value + residual, gershgorin);
  if (lower > 0 && lower <= upper) return {lower, upper};
  // Rounding alone puts the end of an interval that is a point on its other side.
  return {lower > upper && lower < 1.001 * upper ? upper : upper / 100, upper};
}

}  // namespace cardiowarp
