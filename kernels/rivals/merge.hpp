#pragma once
#include <cstdint>

#include "kernels/backend/types.hpp"
#include "kernels/rivals/carries.hpp"

namespace cardiowarp {

// The merge path of a CSR matrix (Merrill & Garland 2016), a rival that `cardiowarp bench spmv` measures. The ends of
// the rows and the entries of the matrix are merged into one sequence of items, in which the end of a row comes after
// its entries. The sequence is cut into shares of equal length, one for each thread, so that all threads have the same
// work however long the rows are. For rows of 1, 0 and 4 entries (e), whose ends are |, in shares of 3 items:
//
//   e | | / e e e / e |       the second share leaves its sum of row 2, which goes on after it, to the third
//
// The matrix stays in CSR; all that is added are the carries of the blocks (carries.hpp), 12 bytes each. This header
// has what one thread does, on the host and on a GPU; the kernel is in merge.cuh.

/// A place in the sequence: so many rows have ended and so many entries have passed.
struct MergePlace {
  Index row, entry;
};

/// The place after `item` of the rows + entries items, found by bisection; `row_end` [rows].
CARDIOWARP_HD inline MergePlace merge_place(const Index* row_end, Index rows, Index entries, std::int64_t item) {
  std::int64_t low = item > entries ? item - entries : 0, high = item < rows ? item : rows;
  while (low < high) {
    const std::int64_t row = (low + high) / 2;
    if (row_end[row] < item - row)
      low = row + 1;  // the row has ended
    else
      high = row;
  }
  return {static_cast<Index>(low), static_cast<Index>(item - low)};
}

/// Goes through the `items` items after `place`. y of each row that ends there gets what the share has of it. `product`
/// has the terms of A x, one for each entry.
CARDIOWARP_HD inline RowRest merge_share(MergePlace place, Index items, const Index* row_end, const Real* product,
                                         Real* y) {
  RowRest rest{0, 0};
  for (; items > 0; --items) {
    if (place.entry < row_end[place.row]) {
      rest.sum += product[place.entry++];
    } else {
      y[place.row++] = rest.sum;
      rest = {0, rest.ended + 1};
    }
  }
  return rest;
}

}  // namespace cardiowarp
