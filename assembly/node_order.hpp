#pragma once
#include <vector>

#include "assembly/sparsity.hpp"

namespace cardiowarp {

/// An order of the nodes in which neighbours are near each other (reverse Cuthill-McKee, from a node far out in each
/// connected part), so that a row of the matrix reads few cache lines of a vector. Result: [nodes] old numbers.
std::vector<Index> locality_order(const Sparsity& sparsity);

}  // namespace cardiowarp
