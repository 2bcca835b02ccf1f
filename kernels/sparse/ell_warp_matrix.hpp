#pragma once
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/ell_warp.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

/// An ELL-WARP layout in the memory of a backend, without values: 4 bytes a stored entry (its column), 16 a slice, and
/// 4 a row where vectors are not in the sorted order. Several matrices may share it. `bytes_an_entry` is what a product
/// reads of each stored entry, from which follows whether it is fetched to stay in the L2 cache (caching.hpp).
class EllWarpPattern {
 public:
  template <Backend B>
  EllWarpPattern(B& backend, const EllWarpLayout& layout, std::int64_t bytes_an_entry = sizeof(Index))
      : rows_(layout.shape.rows()),
        one_lane_a_row_(layout.options.variant == EllWarpVariant::k1),
        caching_(caching_for(backend, bytes_an_entry * layout.shape.stored_entries())),
        slice_begin_(uploaded(backend, layout.shape.slice_begin)),
        slice_row_(uploaded(backend, layout.shape.slice_row)),
        slice_lanes_(uploaded(backend, layout.shape.slice_lanes)),
        column_(uploaded(backend, layout.column)) {
    if (layout.options.renumbering == EllWarpRenumbering::none) row_ = uploaded(backend, layout.shape.row);
  }

  /// The matrix with these values, [stored entries] in backend memory; without any, the columns alone.
  template <class Value = Real>
  EllWarpViewOf<Value> view(const Value* value = nullptr) const {
    return {rows_,
            static_cast<Index>(slice_lanes_.size()),
            one_lane_a_row_,
            slice_begin_.data(),
            slice_row_.data(),
            slice_lanes_.data(),
            row_.data(),
            column_.size() == 0 ? nullptr : column_.data(),
            value,
            caching_};
  }

 private:
  Index rows_;
  bool one_lane_a_row_;
  Caching caching_;
  Buffer<std::int64_t> slice_begin_;
  Buffer<Index> slice_row_, slice_lanes_, row_, column_;
};

/// An ELL-WARP matrix in the memory of a backend (ell_warp.hpp draws it): the layout and 8 bytes a stored entry. Its
/// values begin as 0; only the slots of entries may be written, so that padding stays 0.
class EllWarpMatrix {
 public:
  template <Backend B>
  EllWarpMatrix(B& backend, const EllWarpLayout& layout)
      : pattern_(backend, layout, sizeof(Real) + (layout.column.empty() ? 0 : sizeof(Index))),
        value_(backend.template allocate<Real>(layout.shape.stored_entries())) {}

  EllWarpView view() const { return pattern_.view<Real>(value_.data()); }
  template <class Value>
  EllWarpViewOf<Value> view(const Value* value) const {  ///< with other values, [stored entries]
    return pattern_.view(value);
  }
  Real* value() { return value_.data(); }  ///< [stored entries]

 private:
  EllWarpPattern pattern_;
  Buffer<Real> value_;
};

}  // namespace cardiowarp
