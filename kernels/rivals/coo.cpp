#include "kernels/rivals/coo.hpp"

#include <algorithm>
#include <cstddef>

namespace cardiowarp {

CooMatrix coo_matrix(const CsrView& A, Index skipped) {
  std::size_t entries = 0;
  for (Index row = 0; row < A.rows; ++row) entries += std::max(0, A.row_begin[row + 1] - A.row_begin[row] - skipped);
  CooMatrix coo;
  coo.row.reserve(entries);
  coo.column.reserve(entries);
  coo.value.reserve(entries);
  for (Index row = 0; row < A.rows; ++row)
    for (std::int64_t e = std::int64_t{A.row_begin[row]} + skipped; e < A.row_begin[row + 1]; ++e) {
      coo.row.push_back(row);
      coo.column.push_back(A.column[e]);
      coo.value.push_back(A.value[e]);
    }
  return coo;
}

}  // namespace cardiowarp
