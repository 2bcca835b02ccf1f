#pragma once
#include <cstdint>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// Loop bodies that assemblies and the solver of Laplace's equation run over the numbers of a vector or the values of a
// matrix, one number an index: what is left to do before and after sums.

/// to_i = from_i
struct CopyValues {
  Real* to;
  const Real* from;
  CARDIOWARP_HD void operator()(Index i) const { to[i] = from[i]; }
};

/// x_i = −x_i
struct Negate {
  Real* x;
  CARDIOWARP_HD void operator()(Index i) const { x[i] = -x[i]; }
};

/// x_i = 0
struct SetToZero {
  Real* x;
  CARDIOWARP_HD void operator()(Index i) const { x[i] = 0; }
};

/// Over the nodes: 1 / K_ii, which is Jacobi's preconditioner.
struct InvertDiagonal {
  const Index* diagonal_slot;  ///< [nodes] where K_ii is stored
  const Real* value;           ///< [slots] of K
  Real* inverse_diagonal;      ///< [nodes] out
  CARDIOWARP_HD void operator()(Index node) const { inverse_diagonal[node] = 1 / value[diagonal_slot[node]]; }
};

/// The bytes that InvertDiagonal must move for so many nodes.
constexpr std::int64_t inverted_diagonal_bytes(std::int64_t nodes) {
  return nodes * static_cast<std::int64_t>(sizeof(Index) + 2 * sizeof(Real));
}

}  // namespace cardiowarp
