#pragma once
#include <vector>

#include "kernels/backend/types.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

/// [rows] the old number of each new one by reverse Cuthill-McKee (Cuthill and McKee 1969; George 1971), which brings
/// the entries of a symmetric pattern near the diagonal: each connected piece is gone through breadth first from a row
/// that is far from the others of its piece (George and Liu 1979), the neighbors of a row by ascending length, and the
/// order is reversed. Rows of equal length are taken by their number. Host memory, 12 bytes a row; about linear in the
/// entries. `bench` measures it beside the Hilbert curve, which runs have.
std::vector<Index> reverse_cuthill_mckee(const CsrPattern& matrix);

}  // namespace cardiowarp
