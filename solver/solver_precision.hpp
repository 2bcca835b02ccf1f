#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The precision of a linear solve. With `mixed`, conjugate gradients multiply by K rounded to single precision, which
/// they read in 4 bytes a value in place of 8; the products and all sums are made in double precision, and so are the
/// vectors, the preconditioner's numbers, K itself and the right-hand side. What is solved is then a system whose
/// matrix has relative errors of 2⁻²⁴ in its entries. A Newton iteration that takes its solution as an update corrects
/// that, because the residual that it looks at is in double precision: this is iterative refinement (Wilkinson 1963)
/// with Newton's method as its outer loop.
enum class SolverPrecision {
  double_precision,
  mixed  ///< values of K in single precision, all else in double
};

/// The names of the precisions in YAML and in results.
inline constexpr std::array<std::pair<std::string_view, SolverPrecision>, 2> solver_precisions{
    {{"double", SolverPrecision::double_precision}, {"mixed", SolverPrecision::mixed}}};

constexpr std::string_view name_of(SolverPrecision precision) {
  for (const auto& [name, named] : solver_precisions)
    if (named == precision) return name;
  return {};
}

/// The bytes of a value of K that a solve reads.
constexpr std::size_t bytes_a_value(SolverPrecision precision) {
  return precision == SolverPrecision::mixed ? sizeof(float) : sizeof(Real);
}

}  // namespace cardiowarp
