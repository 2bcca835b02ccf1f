#pragma once
#include <cstdint>

#include "kernels/backend.hpp"
#include "kernels/types.hpp"

namespace cardiowarp {

/// Lanes of a warp, and so of a slice.
inline constexpr Index warp_lanes = 32;

/// ELL-WARP (paper 000 sec. 5): rows sorted by length inside a window and grouped into slices of 32 lanes. A slice is
/// padded to its own longest lane and stored entry-major, so that the 32 lanes of a warp read 32 neighbouring entries.
/// K1 has one lane a row and 32 rows a slice. K2 has 1, 2, 4, .. 32 lanes a row, the same number throughout a slice:
/// entry k of a row is in lane k mod lanes. A position is a row's place in the sorted order. Owns nothing.
struct EllWarpView {
  Index rows = 0;
  Index slices = 0;
  bool one_lane_a_row = true;  ///< K1: slice_row and slice_lanes are 32 slice and 1, nobody need read them
  const std::int64_t* slice_begin = nullptr;  ///< [slices + 1] first entry of each slice
  const Index* slice_row = nullptr;           ///< [slices + 1] first position of each slice
  const Index* slice_lanes = nullptr;         ///< [slices] lanes a row
  const Index* row = nullptr;     ///< [rows] row at each position; null (r, rs): results stay in the sorted numbering
  const Index* column = nullptr;  ///< [entries] padding repeats a column of its own row; null: products with ones only
  const Real* value = nullptr;    ///< [entries] padding is 0
};

/// Where entry k of a row is stored, counted from its slice's begin; `row_in_slice` in [0, 32 / lanes).
CARDIOWARP_HD inline std::int64_t slot_in_slice(Index row_in_slice, Index lanes, Index k) {
  return row_in_slice * lanes + k % lanes + std::int64_t{warp_lanes} * (k / lanes);
}

/// A value that is read once: on a device it does not push out of the caches what is read again.
template <class T>
CARDIOWARP_HD T read_once(const T* memory) {
#if defined(__CUDA_ARCH__)
  return __ldcs(memory);
#else
  return *memory;
#endif
}

/// The terms of A x. Reads 12 bytes an entry beside x.
struct TimesVector {
  const Real* x;
  CARDIOWARP_HD Real operator()(const EllWarpView& A, std::int64_t entry) const {
    return read_once(A.value + entry) * x[read_once(A.column + entry)];
  }
};

/// The terms of A times ones, which is how an assembly sums its contributions. Reads 8 bytes an entry.
struct TimesOnes {
  CARDIOWARP_HD Real operator()(const EllWarpView& A, std::int64_t entry) const { return read_once(A.value + entry); }
};

/// The part of a sum that one lane has, in ascending order of its entries; padding adds 0. The terms of a batch are
/// loaded before the first is added, so that on a device their latencies overlap; what a batch has beyond the end of
/// the lane is loaded from the lane's last entry and left out, which needs no branch.
template <class Term>
CARDIOWARP_HD auto lane_sum(const EllWarpView& A, Index slice, Index lane, const Term& term) {
#if defined(__CUDA_ARCH__)
  constexpr Index batch = 4;
#else
  constexpr Index batch = 1;
#endif
  using Value = decltype(term(A, std::int64_t{}));
  const std::int64_t end = A.slice_begin[slice + 1], last = end - warp_lanes + lane;
  Value sum{};
  for (std::int64_t first = A.slice_begin[slice] + lane; first < end; first += std::int64_t{batch} * warp_lanes) {
    Value terms[batch];
    for (Index k = 0; k < batch; ++k) {
      const std::int64_t entry = first + std::int64_t{k} * warp_lanes;
      const Value value = term(A, entry < end ? entry : last);
      terms[k] = entry < end ? value : Value{};
    }
    for (Index k = 0; k < batch; ++k) sum += terms[k];
  }
  return sum;
}

/// The row of the result that belongs to a position.
CARDIOWARP_HD inline Index result_row(const EllWarpView& A, Index position) {
  return A.row ? A.row[position] : position;
}

/// The sum of the row at `position` of a K1 matrix.
template <class Term>
CARDIOWARP_HD auto k1_row_sum(const EllWarpView& A, Index position, const Term& term) {
  return lane_sum(A, position / warp_lanes, position % warp_lanes, term);
}

/// The row at `position` of a K1 matrix times x.
CARDIOWARP_HD inline Real row_times_vector(const EllWarpView& A, Index position, const Real* x) {
  return k1_row_sum(A, position, TimesVector{x});
}

/// Loop body over the slices, for every variant: y = A x or A times ones. A row's lanes are added by the tree that a
/// warp uses (kernels/ell_warp.cuh): lane i takes lane i + lanes / 2, then i + lanes / 4, ..
template <class Term>
struct EllWarpSlices {
  EllWarpView A;
  Term term;
  Real* y;  ///< [rows]
  CARDIOWARP_HD void operator()(Index slice) const {
    const Index lanes = A.slice_lanes[slice];
    const Index first = A.slice_row[slice];
    for (Index position = first; position < A.slice_row[slice + 1]; ++position) {
      Real sum[warp_lanes];
      for (Index lane = 0; lane < lanes; ++lane)
        sum[lane] = lane_sum(A, slice, (position - first) * lanes + lane, term);
      for (Index half = lanes / 2; half > 0; half /= 2)
        for (Index lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
      y[result_row(A, position)] = sum[0];
    }
  }
};

/// y = A x (TimesVector) or A times ones (TimesOnes), every row of y written once. A backend with kernels of its own
/// overloads this (kernels/ell_warp.cuh) and launches them in blocks of `block_size` threads; 0 is its own choice.
template <Backend B, class Term>
void ell_warp_multiply(B& backend, int /*block_size*/, const EllWarpView& A, const Term& term, Real* y) {
  backend.for_each(A.slices, EllWarpSlices<Term>{A, term, y});
}

/// Loop body over the entries of a CSR matrix: its values into slice order, which is what the paper's Table IV prices.
/// Padding is not written. An assembly that writes to the slots itself has no need of it.
struct ScatterEntries {
  const std::int64_t* slot_of_entry;  ///< [CSR entries]
  const Real* csr_value;              ///< [CSR entries]
  Real* value;                        ///< [stored entries]
  CARDIOWARP_HD void operator()(Index entry) const { value[slot_of_entry[entry]] = csr_value[entry]; }
};

}  // namespace cardiowarp
