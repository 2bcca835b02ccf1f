#include "kernels/rivals/ell.hpp"

#include <algorithm>
#include <functional>

#include "kernels/backend/thread_team.hpp"

namespace cardiowarp {
namespace {

Index length_of(const CsrView& A, Index row) { return A.row_begin[row + 1] - A.row_begin[row]; }

}  // namespace

EllMatrix ell_matrix(const CsrView& A, Index width) {
  EllMatrix ell{A.rows, width, {}, std::vector<Index>(A.rows), {}};
  ell.column.resize(ell.stored_entries());
  ell.value.resize(ell.stored_entries());
  parallel_for(A.rows, [&](Index row) {
    const Index begin = A.row_begin[row], length = std::min(length_of(A, row), width);
    ell.row_length[row] = length;
    for (Index k = 0; k < width; ++k) {
      const std::int64_t slot = std::int64_t{k} * A.rows + row;
      ell.column[slot] = length == 0 ? 0 : A.column[begin + std::min(k, length - 1)];
      ell.value[slot] = k < length ? A.value[begin + k] : 0;
    }
  });
  return ell;
}

Index longest_row(const CsrView& A) {
  Index longest = 0;
  for (Index row = 0; row < A.rows; ++row) longest = std::max(longest, length_of(A, row));
  return longest;
}

Index hyb_width(const CsrView& A) {
  constexpr Index fewest_rows = 4096;
  const Index needed = std::max(fewest_rows, A.rows / 3);
  if (A.rows < needed) return 0;
  std::vector<Index> length(A.rows);
  for (Index row = 0; row < A.rows; ++row) length[row] = length_of(A, row);
  std::nth_element(length.begin(), length.begin() + needed - 1, length.end(), std::greater<>());
  return length[needed - 1];
}

}  // namespace cardiowarp
