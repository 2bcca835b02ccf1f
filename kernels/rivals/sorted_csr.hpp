#pragma once
#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

/// Loop body over the positions of K1's sorted rows, whose entries stay where CSR has them: a thread a row, no two of
/// which read neighbouring entries (the "row-major" K1 of paper 000 sec. 7, fig. 11).
struct SortedCsrRows {
  CsrView A;
  const Index* row;  ///< [rows] row at each position
  const Real* x;
  Real* y;
  CARDIOWARP_HD void operator()(Index position) const { y[row[position]] = row_times_vector(A, row[position], x); }
};

}  // namespace cardiowarp
