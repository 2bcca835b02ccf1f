#pragma once
#include <utility>

#include "kernels/backend/backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/linear_system.hpp"
#include "solver/parts/parts_product.hpp"
#include "solver/persistent/persistent_cg.hpp"
#include "solver/persistent/persistent_rows.hpp"
#include "solver/preconditioners/polynomial_preconditioner.hpp"
#include "solver/rounded_values.hpp"
#include "solver/solver_path.hpp"

namespace cardiowarp {

// The pieces of a solve with a polynomial preconditioner (solver/preconditioners/polynomial.hpp): the values that the
// polynomial multiplies by, the polynomial with them, and what iterates around it, on each path that has polynomials.
// A polynomial is applied with vectors of `Number`, and the matrix of the solve has values of `Value`; each is Real or
// float.

/// The values that a polynomial multiplies by: those of the system or, where these are in double precision and the
/// polynomial is not, rounded ones.
template <Backend B, class Value, class Number>
class ValuesInside {
 public:
  ValuesInside(B&, const SystemOf<Value>& system, const Index* /*diagonal_slot*/) : value_(system.value) {}
  void renew(B&) const {}
  const Value* data() const { return value_; }

 private:
  const Value* value_;
};
template <Backend B>
class ValuesInside<B, Real, float> : public RoundedValues<B> {
 public:
  /// `diagonal_slot` is as in RoundedValues.
  ValuesInside(B& backend, const SystemInMemory& system, const Index* diagonal_slot)
      : RoundedValues<B>(backend, system.rows, system.slots, system.value, diagonal_slot) {}
};

/// A polynomial with its values. The bounds of the spectrum are computed for the first K and again where K has changed
/// by more than a stated measure. `Matrix` multiplies with other values, matrix.with(values), as
/// PolynomialPreconditioner asks.
template <Backend B, class Matrix, class Value, class Number>
class PolynomialOfSystem {
  using Inside = ValuesInside<B, Value, Number>;
  using Products = decltype(std::declval<const Matrix&>().with(std::declval<const Inside&>().data()));

 public:
  using Preconditioner = PolynomialPreconditioner<B, Products, Number>;

  /// The backend outlives this.
  PolynomialOfSystem(B& backend, const Matrix& A, const PolynomialOptions& options, const SystemOf<Value>& system,
                     const Index* diagonal_slot)
      : backend_(backend),
        inside_(backend, system, diagonal_slot),
        polynomial_(backend, system.rows, A.with(inside_.data()), options, system.inverse_diagonal) {}
  void follow_matrix(const CgState* last_solve) {
    inside_.renew(backend_);
    polynomial_.follow_matrix(last_solve);
  }
  const Preconditioner& polynomial() const { return polynomial_; }
  PreparedZ<Number> preconditioner() const { return polynomial_.preconditioner(); }
  SpectrumMemory* spectrum() { return &polynomial_; }

 private:
  B& backend_;
  Inside inside_;
  Preconditioner polynomial_;
};

/// Makes the conjugate gradients around a polynomial on the paths `plain` and `in_parts`, as loops. The matrix and the
/// preconditioner live as long as these. On the path `in_parts` an iteration has two launches, and two for each product
/// of the polynomial.
struct PolynomialCgByLoops {
  SolverPath path;
  template <Backend B, class Matrix, class Preconditioner>
  auto operator()(B& backend, const Matrix& A, const Preconditioner& M, const CgVectors<Real>& vectors) const {
    using Prepared = decltype(M.preconditioner());
    return ConjugateGradient<B, Matrix, Prepared>(backend, A, M.preconditioner(), vectors);
  }
};

/// Makes the conjugate gradients around a polynomial on the path `persistent`, for a matrix in parts: a solve is one
/// launch.
struct PolynomialCgInOneLaunch {
  static constexpr SolverPath path = SolverPath::persistent;
  PersistentShape shape;
  template <Backend B, class Value, class Inside, class Number>
  auto operator()(B& backend, const PartsMatrix<B, Value>& A,
                  const PolynomialPreconditioner<B, PartsProducts<Inside>, Number>& M,
                  const CgVectors<Real>& vectors) const {
    using InParts = PolynomialInParts<Inside, Number>;
    return PersistentCg<B, Value, Real, InParts>(backend, A, shape, InParts{M.matrix().A, M.vectors()}, vectors);
  }
};

/// Whether the device has room for a solve with a polynomial in one launch.
template <class Value, Backend B>
bool has_room_for_polynomial(B& backend, const PersistentShape& shape, PolynomialPrecision precision) {
  return precision == PolynomialPrecision::single
             ? has_room_for<Value, Real, PolynomialInParts<float, float>>(backend, shape)
             : has_room_for<Value, Real, PolynomialInParts<Value, Real>>(backend, shape);
}

}  // namespace cardiowarp
