#pragma once
#include <cstdint>
#include <vector>

#include "kernels/backend/types.hpp"
#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

/// The format of coordinates (COO), which `cardiowarp bench spmv` measures: a row, a column and a value for each entry,
/// sorted by rows. Owns nothing. It takes 16 bytes an entry, which a product reads once.
///
///   | 7 1 . . |   row      0 0 1 1 1 2 2 2 3 3
///   | 1 7 2 . |   column   0 1 0 1 2 1 2 3 2 3
///   | . 2 7 3 |   value    7 1 1 7 2 2 7 3 3 7
///   | . . 3 7 |
struct CooView {
  Index entries = 0;
  const Index* row = nullptr;     ///< [entries]
  const Index* column = nullptr;  ///< [entries]
  const Real* value = nullptr;    ///< [entries]
};

/// A coordinate matrix in host memory.
struct CooMatrix {
  std::vector<Index> row, column;  ///< [entries]
  std::vector<Real> value;         ///< [entries]
};

/// The entries of each row of A but its first `skipped`, as the rest of HYB needs them.
CooMatrix coo_matrix(const CsrView& A, Index skipped = 0);

}  // namespace cardiowarp
