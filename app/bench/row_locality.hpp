#pragma once
#include "app/bench/matrix.hpp"
#include "app/measure/table.hpp"

namespace cardiowarp {

// `cardiowarp bench spmv --locality FILE` says how near to each other the numbers of x lie that a product by ELL-WARP
// K1 reads; no time is measured. This decides how well an order of the rows uses a cache (Reguly and Giles 2013, "paper
// 003", sec. 10.4, Figs. 22 and 23). A warp of 32 rows fetches x in sectors of 32 bytes, four numbers; the fewer
// sectors a warp needs, the fewer fetches. Numbers depend on the matrix alone, not on the machine.

/// How the rows of a matrix are sorted by length before they are cut into warps.
struct RowSorting {
  bool sorted = true;
  Index window = 0;  ///< rows of a window, 0: all rows
};

struct RowLocality {
  double padding = 1;          ///< stored entries over entries
  double sectors_k1 = 0;       ///< mean over the warps, x in the given order
  double sectors_k1rs = 0;     ///< x in the sorted order of the rows, as K1r and K1rs have it
  double mean_distance = 0;    ///< mean over the entries of |row − column|, in the given order
  Index largest_distance = 0;  ///< bandwidth
};

/// The locality of a matrix with its rows sorted so. Throws what ell_warp_shape() throws.
RowLocality row_locality(const BenchMatrix& matrix, const RowSorting& sorting);

/// Columns without rows, and a row each for unsorted rows, for windows of 1024 and for one window with all rows.
Table locality_table();
void add_locality(Table& table, const BenchMatrix& matrix);

}  // namespace cardiowarp
