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
// equal. So rows on the surface of parts that are too long are given to their neighbours, and the parts are numbered
// one after the other, each with its rows in the order before. What multiplies in parts is none the wiser: no kernel
// knows of a part that is shorter than others, but for the last, as before.

/// The rows of each window of `window` rows: all of them have so many, the last as many as are left.
std::vector<Index> window_lengths(Index rows, Index window);

/// Moves rows from part to part until part k has length[k] rows. `part` [rows] has the part of each row, in
/// [0, length.size()), and the lengths add up to the rows, else std::invalid_argument is thrown. Where part a is too
/// long and b too short, a row moves along each border on the shortest way from a to b through parts that are
/// neighbours: that with the most neighbours across the border and the fewest inside. Between parts that no way
/// connects rows move that have no neighbours there. Needs a matrix with a symmetric pattern for borders to be seen
/// from both sides. The result depends on nothing but the arguments.
void equalize_parts(const CsrPattern& matrix, std::vector<Index>& part, std::span<const Index> length);

/// [rows] the old number of each new one: parts one after the other, the rows of each in their order. The parts follow
/// each other by the mean of the old numbers of their rows, so that neighbours stay near each other, but the last stays
/// the last: it may have fewer rows.
std::vector<Index> order_by_parts(std::span<const Index> part, Index parts);

}  // namespace cardiowarp
