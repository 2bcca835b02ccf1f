#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "app/bench/matrix.hpp"
#include "kernels/sparse/csr.hpp"

namespace cardiowarp {

// `bench spmv` compares each product with y = A x of the host before it is timed. The host multiplies what the format
// multiplies: values and x rounded to its precision. A row may differ by what rounding can do to a sum of n terms added
// in any order, (n + 1) ε Σ|a x|, where ε is that of the precision.

/// y = A x and its bound for each row.
struct ExpectedProduct {
  std::vector<Real> y, bound;
  bool holds(Index row, Real product) const { return std::abs(product - y[row]) <= bound[row]; }
};

/// The product with x, with the values rounded to the type of the numbers of x and sums in double precision.
template <class Number>
ExpectedProduct expected_product(const BenchMatrix& matrix, const std::vector<Number>& x) {
  ExpectedProduct expected;
  for (Index row = 0; row < matrix.rows(); ++row) {
    const Index begin = matrix.row_begin[row], end = matrix.row_begin[row + 1];
    Real sum = 0, magnitude = 0;
    for (Index e = begin; e < end; ++e) {
      const Real term = Real{static_cast<Number>(matrix.value[e])} * Real{x[matrix.column[e]]};
      sum += term;
      magnitude += std::abs(term);
    }
    expected.y.push_back(sum);
    // Each of two sums of n terms is within n ε/2 Σ|a x| of the exact one.
    expected.bound.push_back((end - begin + 1) * Real{std::numeric_limits<Number>::epsilon()} * magnitude);
  }
  return expected;
}

}  // namespace cardiowarp
