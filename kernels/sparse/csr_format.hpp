#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

// Compressed rows as a format of a run (csr.hpp explains the format). It takes 12 bytes an entry and 4 a row in backend
// memory. The CPU has it unless the user asks for another format; a GPU has it where the user names it.

/// Compressed rows in the memory of a backend. The values begin as 0.
class CsrMatrix {
 public:
  template <Backend B>
  CsrMatrix(B& backend, const CsrPattern& pattern)
      : rows_(pattern.rows()),
        row_begin_(backend.template allocate<Index>(pattern.row_begin.size())),
        column_(backend.template allocate<Index>(pattern.column.size())),
        value_(backend.template allocate<Real>(pattern.column.size())) {
    backend.upload(pattern.row_begin, row_begin_.data());
    backend.upload(pattern.column, column_.data());
  }

  CsrView view() const { return view<Real>(value_.data()); }
  template <class Value>
  CsrViewOf<Value> view(const Value* value) const {  ///< of other values, [entries]
    return {rows_, row_begin_.data(), column_.data(), value};
  }
  Real* value() { return value_.data(); }  ///< [entries]

 private:
  Index rows_;
  Buffer<Index> row_begin_, column_;
  Buffer<Real> value_;
};

/// y = A x, row by row. A backend that has blocks of threads overloads this (kernels/sparse/csr.cuh) and launches them
/// in blocks of `block_size` threads; 0 is its own choice.
template <Backend B, class Value, class Number>
void csr_multiply(B& backend, int /*block_size*/, const CsrViewOf<Value>& A, const Number* x, Number* y) {
  static_assert(RunsGeneralCode<B>, "include kernels/sparse/csr.cuh");
  backend.for_each(A.rows, RowsTimesVector<CsrViewOf<Value>, Number>{A, x, y});
}

/// Compressed rows, one thread a row. A product reads 12 bytes an entry; on a GPU neighboring threads read distant
/// entries.
template <>
struct FormatOf<MatrixFormat::csr> {
  static constexpr bool needs_gpu = false;
  static constexpr bool keeps_entry_order = true;
  static constexpr bool has_single_values = true;

  static std::vector<MatrixOptions> variants() { return {{.format = MatrixFormat::csr}}; }
  static std::string name(const MatrixOptions& /*options*/) { return "csr"; }
  static FormatParameters parameters(const MatrixOptions& /*options*/) { return {.block_size = true, .window = true}; }

  /// Rows of one length side by side: a CPU then foresees where each ends, and multiplies 1.7 times as fast as in the
  /// order of locality alone.
  static std::vector<Index> node_order(const MatrixOptions& options, std::span<const Index> row_length) {
    return ell_warp_shape(row_length, options.ell_warp).row;
  }

  struct Layout {};
  static Layout layout(const CsrPattern& /*pattern*/, const MatrixOptions& /*options*/) { return {}; }
  static StoredEntries take_entries(Layout& /*layout*/, const CsrPattern& pattern) { return stored_as_csr(pattern); }
  static std::vector<Index> own_order(const Layout& /*layout*/) { return {}; }

  /// Matrix, x, y and the first entry of each row.
  static std::int64_t product_bytes(const Layout& /*layout*/, const CsrPattern& pattern) {
    return 12 * pattern.entries() + 20 * std::int64_t{pattern.rows()};
  }

  template <Backend B>
  class Product {
   public:
    Product(B& backend, const CsrPattern& pattern, const Layout& /*layout*/) : matrix_(backend, pattern) {}
    Real* value() { return matrix_.value(); }
    template <class Value, class Number>
    void multiply(B& backend, int block_size, const Value* values, const Number* x, Number* y) const {
      csr_multiply(backend, block_size, matrix_.view(values), x, y);
    }
    template <class Value, class Number>
    void multiply_dot(B& backend, int /*block_size*/, const Value* values, const Number* p, Number* q, Real* pq) const {
      CsrProduct<Value>{matrix_.view(values)}.multiply_dot(backend, p, q, pq);
    }
    template <class Value, class Number>
    void absolute_row_sums(B& backend, int /*block_size*/, const Value* values, Number* y) const {
      const CsrViewOf<Value> A = matrix_.view(values);
      backend.for_each(A.rows, AbsoluteRowSums<CsrViewOf<Value>, Number>{A, y});
    }

   private:
    CsrMatrix matrix_;
  };
};

}  // namespace cardiowarp
