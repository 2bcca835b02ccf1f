#pragma once
#include <cmath>
#include <concepts>

#include "kernels/backend/backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/cg/power_of_two.hpp"
#include "solver/parts/parts_product.hpp"
#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/polynomial_preconditioner.hpp"

namespace cardiowarp {

// The preconditioners of the path `persistent`, as what each of them does with the numbers of one row. The kernel
// (persistent_cg.cuh) goes through the rows, multiplies, and has its blocks wait for each other in between.
//
// JacobiRows keeps z = D⁻¹ r in the place of r, so that a direction and its halo need neither r nor D; where r itself
// is needed it is D z. An iteration has two exchanges between all blocks: of p·q, and of r·z with |r|².
//
// PolynomialRows keeps r and computes z = P(D⁻¹ A) D⁻¹ r by the recurrence of solver/preconditioners/polynomial.hpp.
// The pass that updates r makes z_0, and each of the m products makes a z_k of the rows that it has multiplied. z_{k−1}
// is read by other blocks as part of their halos, so that an exchange stands before each product: m + 2 in an
// iteration, of p·q, of |r|², and behind each product, the last one of r·z. Where |r| is small enough the solve ends
// without them. Bytes that an iteration moves in memory (a table like that of solver/cg/conjugate_gradient.hpp):
//
//   pass                   reads of a row           writes     a row   a stored entry   a row of a halo
//   p, q = A p and p·q     z, p'                    p           24          10               20
//   r, |r|² and z_0        r, 1/D                   r, z        32
//   x, every second time   x, p, p'                 x           32 / 2
//   z_1                    z_0, r, 1/D              z           32          10               12
//   z_k, 1 < k <= m        z_{k−1}, z_{k−2}, r, 1/D z           40          10               12
//
// together 64 + 40 m a row, 10 (1 + m) a stored entry and 20 + 12 m a row of a halo, where the path `in_parts` takes
// 112 + 64 m, 10 (1 + m) and 28 + 12 m. With the polynomial in single precision they are 20 for the direction, 28 for
// r, |r|² and z_0, and then 20 a row (16 for z_1, and 8 more for z_m, whose r·z needs r itself), 6 a stored entry and 8
// a row of a halo.

/// A polynomial preconditioner of this path. Owns nothing; all is in backend memory.
template <class Value, class Number>
struct PolynomialInParts {
  PartsViewOf<Value> A;  ///< in the precision of the polynomial
  PolynomialVectors<Number> vectors;
};

/// Jacobi, for the rows of a system whose vectors are of `Number`.
template <class Number>
struct JacobiRows {
  static constexpr bool needs_products = false;

  const Number* inverse_diagonal;
  Number* r_or_z;  ///< [rows] r until start(), which puts z in its place

  CARDIOWARP_HD const JacobiRows& ready(Real /*scale*/) const { return *this; }
  CARDIOWARP_HD Number z(Index row) const { return r_or_z[row]; }
  /// z in the place of r; the terms of r·z and |r|².
  CARDIOWARP_HD Terms<2> start(Index row) const {
    const Number r = r_or_z[row], new_z = inverse_diagonal[row] * r;
    r_or_z[row] = new_z;
    return cg_terms(r, new_z);
  }
  /// Multiplies z by `factor`, which is CgState::rescale, and so r, too. Called at most once, after start(). Returns
  /// the terms of r·z and |r|².
  CARDIOWARP_HD Terms<2> rescale(Index row, Number factor) const {
    const Number new_z = factor * r_or_z[row];
    r_or_z[row] = new_z;
    return cg_terms(new_z / inverse_diagonal[row], new_z);
  }
  /// z −= α D⁻¹ q from what was `before` in r_or_z[row]; the terms of r·z and |r|².
  CARDIOWARP_HD Terms<2> update(Index row, Number before, Number of_inverse, Number alpha, Number q) const {
    const Number new_z = cg_residual(before, alpha * of_inverse, q);
    r_or_z[row] = new_z;
    return cg_terms(new_z / of_inverse, new_z);
  }
};

/// A polynomial with vectors of `Number`, for the rows of a system in double precision. In single precision r is
/// divided by a `scale`, a power of two near the norm that it had one iteration before. PolynomialPreconditioner
/// divides by a power of two near the largest entry instead. The numbers of z are the same, but for those that are
/// smaller than 1e-38 of the norm, which vanish here.
template <class Number>
struct PolynomialRows {
  static constexpr bool needs_products = true;
  static constexpr bool is_single = std::same_as<Number, float>;

  /// The factors of a pass over the rows.
  struct Ready {
    PolynomialVectors<Number> vectors;
    Real* residual;
    Real scale;
    Number gain;

    CARDIOWARP_HD Real z(Index row) const {
      if constexpr (is_single)
        return vectors.z[row] * scale;
      else
        return vectors.z[row];
    }
    /// The term of |r|².
    CARDIOWARP_HD Terms<2> start(Index row) const { return {{0, residual[row] * residual[row]}}; }
    /// Multiplies r by `factor`, which is CgState::rescale. Called at most once, after start(). Returns the term of
    /// |r|².
    CARDIOWARP_HD Terms<2> rescale(Index row, Real factor) const {
      residual[row] *= factor;
      return start(row);
    }
    /// z_0 of an r that is written already.
    CARDIOWARP_HD void first(Index row) const { first(row, residual[row], vectors.inverse_diagonal[row]); }
    /// r −= α q from what was `before` in residual[row], and z_0; the term of |r|².
    CARDIOWARP_HD Terms<2> update(Index row, Real before, Number of_inverse, Real alpha, Real q) const {
      const Real r = cg_residual(before, alpha, q);
      residual[row] = r;
      first(row, r, of_inverse);
      return {{0, r * r}};
    }

   private:
    CARDIOWARP_HD void first(Index row, Real r, Number of_inverse) const {
      Number inside;
      if constexpr (is_single)
        vectors.rounded_r[row] = inside = static_cast<Number>(r * (1 / scale));
      else
        inside = r;
      vectors.place(0)[row] = polynomial_first(gain, of_inverse, inside);
    }
  };

  /// The step to z_k, 0 < k <= m.
  struct Step {
    struct Entries {
      Number last, inverse_diagonal, r;
      Real true_r;
    };

    Number momentum, gain;
    bool is_first, is_last;
    const Number *inverse_diagonal, *r;
    const Number* before;  ///< z_{k−1}
    Number* z;             ///< z_{k−2} until it is written
    const Real* true_r;
    Real scale;

    CARDIOWARP_HD Entries read(Index row) const {
      Entries of{is_first ? Number{0} : z[row], inverse_diagonal[row], Number{}, 0};
      if constexpr (is_single) {
        of.r = r[row];
        if (is_last) of.true_r = true_r[row];
      } else {
        of.r = of.true_r = true_r[row];
      }
      return of;
    }
    /// Writes z_k, from A z_{k−1} and z_{k−1} of the row. The term of r·z where it is the last.
    CARDIOWARP_HD Real write(Index row, const Entries& of, Number product, Number now) const {
      const Number next =
          polynomial_next(momentum, gain, LastTwo<Number>{now, of.last}, of.inverse_diagonal, of.r, product);
      z[row] = next;
      return is_last ? of.true_r * (Real{next} * scale) : 0;
    }
  };

  PolynomialVectors<Number> vectors;
  const Number* inverse_diagonal;
  Real* residual;  ///< [rows] r

  // The scale is given as a number: with a pointer to it, which is one into shared memory, nvcc 13.0 took z for shared
  // memory, too.
  CARDIOWARP_HD Ready ready(Real scale) const {
    return {vectors, residual, is_single ? scale : 1, static_cast<Number>(vectors.steps->step[0].gain)};
  }
  CARDIOWARP_HD Step step(int k, Real scale) const {
    const PolynomialSteps::Step factors = vectors.steps->step[k];
    return {static_cast<Number>(factors.momentum),
            static_cast<Number>(factors.gain),
            k == 1,
            k == vectors.degree,
            inverse_diagonal,
            vectors.rounded_r,
            vectors.place(k - 1),
            vectors.place(k),
            residual,
            is_single ? scale : 1};
  }
  /// The scale after an r of this norm.
  CARDIOWARP_HD static Real scale_near(Real norm) { return std::ldexp(Real{1}, exponent_near(norm)); }
};

/// The work of a preconditioner on the rows of a system whose residual is at `r`.
template <class Number>
CARDIOWARP_HD JacobiRows<Number> rows_of(const JacobiPreconditionerOf<Number>& M, Number* r) {
  return {M.inverse_diagonal, r};
}
template <class Value, class Number>
CARDIOWARP_HD PolynomialRows<Number> rows_of(const PolynomialInParts<Value, Number>& M, Real* r) {
  return {M.vectors, M.vectors.inverse_diagonal, r};
}

}  // namespace cardiowarp
