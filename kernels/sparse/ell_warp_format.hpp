#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/ell_warp.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

// ELL-WARP as a format of a run: the piece by which the list of formats (matrix_format.hpp) reaches it. ell_warp.hpp
// explains the format and what it costs in bytes, ell_warp_layout.hpp where each entry is stored. Here its six variants
// get their names (K1, K1r, K1rs, K2, K2r, K2rs), the options that each of them looks at, its layout, and its product
// on any backend. A run on a GPU takes one of them unless the user asks for another format; a run on a CPU takes one
// only where the user names it.

/// The format ELL-WARP, each of its six variants under a name of its own.
template <>
struct FormatOf<MatrixFormat::ell_warp> {
  static constexpr bool needs_gpu = false;
  static constexpr bool keeps_entry_order = false;
  static constexpr bool has_single_values = true;

  static std::vector<MatrixOptions> variants();
  static std::string name(const MatrixOptions& options) { return ell_warp_name(options.ell_warp); }
  static FormatParameters parameters(const MatrixOptions& options) {
    return {.block_size = true,
            .threshold = options.ell_warp.variant == EllWarpVariant::k2,
            .window = options.ell_warp.sorted};
  }

  /// The sorted order of the rows, where x and A x stay in it; else empty: any order will do.
  static std::vector<Index> node_order(const MatrixOptions& options, std::span<const Index> row_length);

  using Layout = EllWarpLayout;
  static Layout layout(const CsrPattern& pattern, const MatrixOptions& options) {
    return ell_warp_layout(row_lengths(pattern.row_begin), pattern.column, options.ell_warp);
  }
  static StoredEntries take_entries(Layout& layout, const CsrPattern& /*pattern*/) {
    return {std::move(layout.slot_of_entry), layout.shape.stored_entries()};
  }
  static std::vector<Index> own_order(const Layout& layout) {
    return layout.options.renumbering == EllWarpRenumbering::none ? std::vector<Index>() : layout.shape.row;
  }

  /// The matrix with its padding, x, y, what a kernel reads of each slice, and the row at each position where results
  /// go back to the given order.
  static std::int64_t product_bytes(const Layout& layout, const CsrPattern& pattern);

  /// The dot p·q is a pass of its own: in one pass with the product each thread would have several rows, one after the
  /// other, which costs a GPU more than to read p and q again.
  template <Backend B>
  class Product {
   public:
    Product(B& backend, const CsrPattern& /*pattern*/, const Layout& layout) : matrix_(backend, layout) {}
    Real* value() { return matrix_.value(); }
    EllWarpView slices(const Real* values) const { return matrix_.view(values); }
    template <class Value, class Number>
    void multiply(B& backend, int block_size, const Value* values, const Number* x, Number* y) const {
      ell_warp_multiply(backend, block_size, matrix_.view(values), TimesVector{x}, y);
    }
    template <class Value, class Number>
    void multiply_dot(B& backend, int block_size, const Value* values, const Number* p, Number* q, Real* pq) const {
      const EllWarpViewOf<Value> A = matrix_.view(values);
      ell_warp_multiply(backend, block_size, A, TimesVector{p}, q);
      backend.template sum<1>(A.rows, pq, Dot{p, q});
    }
    template <class Value, class Number>
    void absolute_row_sums(B& backend, int block_size, const Value* values, Number* y) const {
      ell_warp_multiply(backend, block_size, matrix_.view(values), AbsoluteValues<>{}, y);
    }

   private:
    EllWarpMatrix matrix_;
  };
};

}  // namespace cardiowarp
