#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The precision of a linear solve, from the finest to the coarsest. With `mixed`, conjugate gradients multiply by K
/// rounded to single precision, which they read in 4 bytes a value in place of 8; the products and all sums are made in
/// double precision, and so are the vectors, the preconditioner's numbers, K itself and the right-hand side. The
/// matrix of the system that is solved then has relative errors of 2⁻²⁴ in its entries. A Newton iteration that takes
/// its solution as an update corrects that, because the residual that it looks at is in double precision: this is
/// iterative refinement (Wilkinson 1963) with Newton's method as its outer loop.
///
/// With `single`, the values, the right-hand side, the solution, the other vectors and the diagonal of the
/// preconditioner are in single precision, and so are the terms and the sum of a row of a product. Sums over all
/// rows are in double precision, of products of two numbers that are exact in it. After such a solve |b − A x| is 1e-7
/// to 5e-7 of |b| or more, however small the report says that |r| is; Newton's method corrects that, too. It is the
/// defect correction of Göddeke, Strzodka and Turek (2007) with Newton's method in the place of their outer loop. The
/// right-hand side is scaled so that it can neither overflow nor vanish, however small it is.
enum class SolverPrecision {
  double_precision,
  mixed,     ///< values of K in single precision, all else in double
  single,    ///< all vectors in single precision, too; with the preconditioner Jacobi
  automatic  ///< what is fastest for the path and the number of rows (app/simulation/choose_solver.hpp)
};

/// The names of the precisions in YAML and in results.
inline constexpr std::array<std::pair<std::string_view, SolverPrecision>, 4> solver_precisions{
    {{"double", SolverPrecision::double_precision},
     {"mixed", SolverPrecision::mixed},
     {"single", SolverPrecision::single},
     {"auto", SolverPrecision::automatic}}};

constexpr std::string_view name_of(SolverPrecision precision) {
  for (const auto& [name, named] : solver_precisions)
    if (named == precision) return name;
  return {};
}

/// The bytes of a value of K that a solve reads.
constexpr std::size_t bytes_a_value(SolverPrecision precision) {
  return precision == SolverPrecision::double_precision ? sizeof(Real) : sizeof(float);
}

/// The bytes of a number of a vector.
constexpr std::size_t bytes_a_number(SolverPrecision precision) {
  return precision == SolverPrecision::single ? sizeof(float) : sizeof(Real);
}

/// The smallest relative residual that may be asked of a solve in single precision; a run that needs less of one takes
/// `mixed` in its place.
inline constexpr Real least_tolerance_in_single = 5e-7;
/// Where the forcing term of a Newton iteration asks for less, a solve in single precision ends at this |r| / |b|. It
/// is what rounding leaves of |b − A x| at best; what it adds to an update is far below what the iteration after it
/// sees (least_linear_tolerance(), app/simulation/problem.hpp).
inline constexpr Real smallest_target_in_single = 2e-7;

}  // namespace cardiowarp
