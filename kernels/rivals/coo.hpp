#pragma once
#include <cstdint>
#include <vector>

#include "kernels/backend/types.hpp"
#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

/// Coordinates: a row and a column an entry, sorted by rows. Owns nothing. A product reads 16 bytes an entry.
struct CooView {
  Index entries = 0;
  const Index* row = nullptr;     ///< [entries]
  const Index* column = nullptr;  ///< [entries]
  const Real* value = nullptr;    ///< [entries]
};

/// In host memory.
struct CooMatrix {
  std::vector<Index> row, column;  ///< [entries]
  std::vector<Real> value;         ///< [entries]
};

/// The entries of each row after its first `skipped`.
CooMatrix coo_matrix(const CsrView& A, Index skipped = 0);

}  // namespace cardiowarp
