#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/sparse/csr.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {

/// Random values on a random symmetric pattern; the diagonal is 1.25 times the sum of the others' sizes in its row.
/// The eigenvalues of the matrix scaled by its diagonal are in [0.2, 1.8].
struct RandomSymmetric {
  RandomSymmetric(Index rows, Index entries_a_row, unsigned seed) {
    const RandomCsr random(std::vector<Index>(rows, std::min(entries_a_row, rows)), seed);
    std::vector<std::vector<std::pair<Index, Real>>> row(rows);
    for (Index i = 0; i < rows; ++i)
      for (Index e = random.row_begin[i]; e < random.row_begin[i + 1]; ++e)
        if (const Index j = random.column[e]; j < i) {
          row[i].emplace_back(j, random.value[e]);
          row[j].emplace_back(i, random.value[e]);
        }
    for (Index i = 0; i < rows; ++i) {
      Real sum = 0.1;
      for (const auto& [j, of_j] : row[i]) sum += std::fabs(of_j);
      row[i].emplace_back(i, 1.25 * sum);
      for (const auto& [j, of_j] : row[i]) {
        column.push_back(j);
        value.push_back(of_j);
      }
      longest = std::max(longest, static_cast<Index>(row[i].size()));
      row_begin.push_back(static_cast<Index>(column.size()));
    }
    slot.resize(column.size());
    std::iota(slot.begin(), slot.end(), std::int64_t{0});
  }
  CsrView view() const {
    return {static_cast<Index>(row_begin.size()) - 1, row_begin.data(), column.data(), value.data()};
  }
  std::vector<Index> row_begin{0}, column;
  std::vector<Real> value;
  std::vector<std::int64_t> slot;
  Index longest = 0;
};

}  // namespace cardiowarp
