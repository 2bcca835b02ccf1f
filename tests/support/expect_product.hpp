#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/sparse/csr.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp {

/// Expects y = A x: each row within (n + 1) ε Σ|a x| of that of compressed rows, for rows of n entries. Both are sums
/// of n terms in some order, each within n ε/2 of the exact one.
inline void expect_product(const RandomCsr& A, const std::vector<Real>& x, const std::vector<Real>& y) {
  const CsrView csr = A.view();
  for (Index row = 0; row < csr.rows; ++row) {
    Real magnitude = 0;
    for (Index e = csr.row_begin[row]; e < csr.row_begin[row + 1]; ++e)
      magnitude += std::abs(csr.value[e] * x[csr.column[e]]);
    const Real bound = (A.length[row] + 1) * std::numeric_limits<Real>::epsilon() * magnitude;
    ASSERT_NEAR(y[row], row_times_vector(csr, row, x.data()), bound) << "row " << row;
  }
}

}  // namespace cardiowarp
