#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Where the entry (i, j) of the matrix of an element with so many nodes is among its numbers: with `Full` row by row,
/// else in the upper half, whose rows follow each other. The numbers of an element are entries_of<Nodes, Full>.
template <int Nodes, bool Full>
CARDIOWARP_HD constexpr int entry_place(int i, int j) {
  if constexpr (Full) return Nodes * i + j;
  const int low = i < j ? i : j, high = i < j ? j : i;
  return low * (2 * Nodes - 1 - low) / 2 + high;
}
template <int Nodes, bool Full>
inline constexpr int entries_of = Full ? Nodes* Nodes : Nodes*(Nodes + 1) / 2;

}  // namespace cardiowarp
