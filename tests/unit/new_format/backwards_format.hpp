#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/csr_format.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

/// Entry e of n in CSR is stored as entry n − 1 − e.
template <>
struct FormatOf<MatrixFormat::backwards> {
  static constexpr bool needs_gpu = false;
  static constexpr bool keeps_entry_order = false;
  static constexpr bool has_single_values = false;

  static std::vector<MatrixOptions> variants() { return {{.format = MatrixFormat::backwards}}; }
  static std::string name(const MatrixOptions&) { return "backwards"; }
  static FormatParameters parameters(const MatrixOptions&) { return {}; }
  static std::vector<Index> node_order(const MatrixOptions&, std::span<const Index>) { return {}; }

  struct Layout {};
  static Layout layout(const CsrPattern&, const MatrixOptions&) { return {}; }
  static StoredEntries take_entries(Layout&, const CsrPattern& pattern) {
    StoredEntries entries = stored_as_csr(pattern);
    std::reverse(entries.slot_of_entry.begin(), entries.slot_of_entry.end());
    return entries;
  }
  static std::vector<Index> own_order(const Layout&) { return {}; }
  static std::int64_t product_bytes(const Layout&, const CsrPattern& pattern) { return 12 * pattern.entries(); }

  struct Row {
    CsrView A;
    const Real* x;
    Real* y;
    CARDIOWARP_HD void operator()(Index row) const {
      const Index last = A.row_begin[A.rows] - 1;
      y[row] = 0;
      for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) y[row] += A.value[last - e] * x[A.column[e]];
    }
  };

  template <Backend B>
  class Product {
   public:
    Product(B& backend, const CsrPattern& pattern, const Layout&) : matrix_(backend, pattern) {}
    Real* value() { return matrix_.value(); }
    void multiply(B& backend, int, const Real* values, const Real* x, Real* y) const {
      backend.for_each(matrix_.view().rows, Row{matrix_.view(values), x, y});
    }
    void multiply_dot(B& backend, int, const Real* values, const Real* p, Real* q, Real* pq) const {
      multiply(backend, 0, values, p, q);
      backend.template sum<1>(matrix_.view().rows, pq, Dot{p, q});
    }
    void absolute_row_sums(B& backend, int, const Real* values, Real* y) const {
      const CsrView A = matrix_.view(values);
      backend.for_each(A.rows, [A, y](Index row) {
        const Index last = A.row_begin[A.rows] - 1;
        y[row] = 0;
        for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) y[row] += std::fabs(A.value[last - e]);
      });
    }

   private:
    CsrMatrix matrix_;
  };
};

}  // namespace cardiowarp
