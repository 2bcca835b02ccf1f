#pragma once
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

/// An ELL-WARP layout in the memory of a backend: which entries there are, without values. A product reads
/// `bytes_an_entry` of each stored entry.
class EllWarpPattern {
 public:
  template <Backend B>
  EllWarpPattern(B& backend, const EllWarpLayout& layout, std::int64_t bytes_an_entry = sizeof(Index))
      : rows_(layout.shape.rows()),
        one_lane_a_row_(layout.options.variant == EllWarpVariant::k1),
        loads_(loads_of(backend, bytes_an_entry * layout.shape.stored_entries())),
        slice_begin_(uploaded(backend, layout.shape.slice_begin)),
        slice_row_(uploaded(backend, layout.shape.slice_row)),
        slice_lanes_(uploaded(backend, layout.shape.slice_lanes)),
        column_(uploaded(backend, layout.column)) {
    if (layout.options.renumbering == EllWarpRenumbering::none) row_ = uploaded(backend, layout.shape.row);
  }

  /// With `value` [stored entries], or without values.
  EllWarpView view(const Real* value = nullptr) const {
    return {rows_,
            static_cast<Index>(slice_lanes_.size()),
            one_lane_a_row_,
            slice_begin_.data(),
            slice_row_.data(),
            slice_lanes_.data(),
            row_.data(),
            column_.size() == 0 ? nullptr : column_.data(),
            value,
            loads_};
  }

 private:
  Index rows_;
  bool one_lane_a_row_;
  Loads loads_;
  Buffer<std::int64_t> slice_begin_;
  Buffer<Index> slice_row_, slice_lanes_, row_, column_;
};

/// An ELL-WARP matrix in the memory of a backend. Its values begin as 0 and only the slots of entries may be written.
class EllWarpMatrix {
 public:
  template <Backend B>
  EllWarpMatrix(B& backend, const EllWarpLayout& layout)
      : pattern_(backend, layout, sizeof(Real) + (layout.column.empty() ? 0 : sizeof(Index))),
        value_(backend.template allocate<Real>(layout.shape.stored_entries())) {}

  EllWarpView view() const { return pattern_.view(value_.data()); }
  EllWarpView view(const Real* value) const { return pattern_.view(value); }  ///< of other values, [stored entries]
  Real* value() { return value_.data(); }                                     ///< [stored entries]

 private:
  EllWarpPattern pattern_;
  Buffer<Real> value_;
};

}  // namespace cardiowarp
