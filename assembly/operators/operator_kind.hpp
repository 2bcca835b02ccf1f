#pragma once
#include <array>
#include <string_view>
#include <utility>

namespace cardiowarp {

/// How conjugate gradients multiply by K, the key `linear_solver.operator`. All but `assembled` leave out the global
/// matrix: K is the sum of what the elements have, and a product goes through the elements
/// (assembly/operators/element_operator.hpp). K is the same up to rounding.
enum class OperatorKind {
  automatic,
  assembled,    ///< the entries of K are summed in each Newton iteration (assembly/assembly.hpp)
  local,        ///< the matrix of each element is stored: the 10 numbers of one half, as it is symmetric
  local_full,   ///< all 16 of them
  matrix_free,  ///< the matrix of an element is computed from its corners in each product
  split         ///< a product with the constant diffusion matrix, and one number of each element for the rest
};

inline constexpr std::array<std::pair<std::string_view, OperatorKind>, 6> operator_kinds{
    {{"auto", OperatorKind::automatic},
     {"assembled", OperatorKind::assembled},
     {"local", OperatorKind::local},
     {"local_full", OperatorKind::local_full},
     {"matrix_free", OperatorKind::matrix_free},
     {"split", OperatorKind::split}}};

constexpr std::string_view name_of(OperatorKind kind) {
  for (const auto& [name, named] : operator_kinds)
    if (named == kind) return name;
  return {};
}

}  // namespace cardiowarp
