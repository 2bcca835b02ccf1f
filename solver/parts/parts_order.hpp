#pragma once
#include <span>
#include <vector>

#include "kernels/backend/types.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

// An order of the rows of a matrix in which the windows of its layout are the parts of a partition. matrix_parts()
// (matrix_parts.hpp) makes a part of each window of so many consecutive rows. Along a Hilbert curve a window is a
// compact piece of the mesh by itself; where a library has cut the graph of the matrix instead, as EHYB has it (Chen
// 2022 sec. 3.1), fewer rows of others are read. A partition has parts of about equal length, windows are exactly
// equal. So rows on the surface of parts that are too long are given to their neighbors, and the parts are numbered
// one after the other, each with its rows in the order before. All parts then have as many rows as a window, but for
// the last, which may have fewer in any order: a kernel that multiplies in parts need not know of the partition.

/// The rows of each window of `window` rows: all of them have so many, the last as many as are left.
std::vector<Index> window_lengths(Index rows, Index window);

/// Moves rows from part to part until part k has length[k] rows. `part` [rows] has the part of each row, in
/// [0, length.size()), and the lengths add up to the rows, else std::invalid_argument is thrown. Where part a is too
/// long and b too short, the shortest way from a to b through parts that are neighbors is found, and one row moves
/// across each border on that way: the row with the most neighbors across the border and the fewest inside. Where no
/// way connects a and b, a row of a moves to b although it has no neighbors there. The pattern has to be symmetric, so
/// that a border is seen from both sides. The result depends on nothing but the arguments.
void equalize_parts(const CsrPattern& matrix, std::vector<Index>& part, std::span<const Index> length);

/// [rows] the old number of each new row: parts one after the other, the rows of each in their order. Parts are sorted
/// by the mean of the old numbers of their rows, so that neighbors stay near each other. The last part, which may have
/// fewer rows, stays the last.
std::vector<Index> order_by_parts(std::span<const Index> part, Index parts);

}  // namespace cardiowarp
