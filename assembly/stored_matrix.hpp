#pragma once
#include <span>
#include <vector>

#include "assembly/sparsity.hpp"
#include "kernels/backend.hpp"
#include "kernels/csr.hpp"
#include "kernels/ell_warp_layout.hpp"
#include "kernels/ell_warp_matrix.hpp"

namespace cardiowarp {

// The two ways the global matrix is stored, with one face: `view()` and `value()` of the matrix itself, `view(values)`
// of another with the same entries, and `stored(csr values)`, which puts values into the order of storage.

/// Compressed sparse rows: what a CPU likes.
class StoredAsCsr {
 public:
  using View = CsrView;
  using Product = CsrProduct;
  static constexpr Index window = 1;  ///< rows sorted by length among themselves

  template <Backend B>
  StoredAsCsr(B& backend, const Sparsity& sparsity)
      : rows_(sparsity.rows()),
        row_begin_(backend.template allocate<Index>(sparsity.row_begin.size())),
        column_(backend.template allocate<Index>(sparsity.column.size())),
        value_(backend.template allocate<Real>(sparsity.column.size())) {
    backend.upload(std::span<const Index>(sparsity.row_begin), row_begin_.data());
    backend.upload(std::span<const Index>(sparsity.column), column_.data());
  }

  View view() const { return view(value_.data()); }
  View view(const Real* values) const { return {rows_, row_begin_.data(), column_.data(), values}; }
  Real* value() { return value_.data(); }
  std::vector<Real> stored(std::vector<Real> csr_values) const { return csr_values; }

 private:
  Index rows_;
  Buffer<Index> row_begin_, column_;
  Buffer<Real> value_;
};

/// ELL-WARP K1r (paper 000 sec. 5.2): what a GPU likes. The nodes are numbered so that rows of about one length are
/// together (app/renumbering.hpp), so sorting them again leaves every row where it is.
class StoredAsEllWarp {
 public:
  using View = EllWarpView;
  using Product = EllWarpProduct;
  static constexpr Index window = 1024;

  template <Backend B>
  StoredAsEllWarp(B& backend, const Sparsity& sparsity)
      : StoredAsEllWarp(backend, ell_warp_layout(row_lengths(sparsity.row_begin), sparsity.column, options())) {}

  static EllWarpOptions options() {
    return {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows, .window = window};
  }

  View view() const { return matrix_.view(); }
  View view(const Real* values) const {
    View other = matrix_.view();
    other.value = values;
    return other;
  }
  Real* value() { return matrix_.value(); }
  std::vector<Real> stored(const std::vector<Real>& csr_values) const {
    std::vector<Real> values(stored_entries_, 0.0);
    for (std::size_t entry = 0; entry < csr_values.size(); ++entry) values[slot_of_entry_[entry]] = csr_values[entry];
    return values;
  }

 private:
  template <Backend B>
  StoredAsEllWarp(B& backend, EllWarpLayout layout)
      : matrix_(backend, layout),
        slot_of_entry_(std::move(layout.slot_of_entry)),
        stored_entries_(layout.shape.stored_entries()) {}

  EllWarpMatrix matrix_;
  std::vector<std::int64_t> slot_of_entry_;
  std::int64_t stored_entries_;
};

}  // namespace cardiowarp
