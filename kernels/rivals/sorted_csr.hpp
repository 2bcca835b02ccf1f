#pragma once
#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

/// Loop body of y = A x over the rows in the sorted order of K1, whose entries stay where CSR has them. There is a
/// thread a row, and neighboring threads read entries that are far apart (the "row-major" K1 of paper 000 sec. 7, fig.
/// 11). It is measured by `cardiowarp bench spmv` to show what ELL-WARP's order of storage gains.
struct SortedCsrRows {
  CsrView A;
  const Index* row;  ///< [rows] row at each position
  const Real* x;
  Real* y;
  CARDIOWARP_HD void operator()(Index position) const { y[row[position]] = row_times_vector(A, row[position], x); }
};

}  // namespace cardiowarp
