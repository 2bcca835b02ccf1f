#pragma once
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/batched_sum.hpp"
#include "kernels/backend/loads.hpp"
#include "kernels/backend/types.hpp"

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
  Loads loads = Loads::kept;      ///< of columns and values
};

/// Where entry k of a row is stored, counted from its slice's begin; `row_in_slice` in [0, 32 / lanes).
CARDIOWARP_HD inline std::int64_t slot_in_slice(Index row_in_slice, Index lanes, Index k) {
  return row_in_slice * lanes + k % lanes + std::int64_t{warp_lanes} * (k / lanes);
}

/// The terms of A x. Reads 12 bytes an entry beside x.
template <Loads L = Loads::kept>
struct TimesVector {
  static constexpr Loads loads = L;
  const Real* x;
  CARDIOWARP_HD Real operator()(const EllWarpView& A, std::int64_t entry) const {
    return load<loads>(A.value + entry) * x[load<loads>(A.column + entry)];
  }
  TimesVector<Loads::passing> passing() const { return {x}; }
};
TimesVector(const Real*)->TimesVector<Loads::kept>;

/// The terms of A times ones, which is how an assembly sums its contributions. Reads 8 bytes an entry.
template <Loads L = Loads::kept>
struct TimesOnes {
  static constexpr Loads loads = L;
  CARDIOWARP_HD Real operator()(const EllWarpView& A, std::int64_t entry) const { return load<loads>(A.value + entry); }
  TimesOnes<Loads::passing> passing() const { return {}; }
};

/// Entry k of a lane.
template <class Term>
struct LaneTerm {
  const EllWarpView& A;
  const Term& term;
  std::int64_t first;  ///< entry 0
  CARDIOWARP_HD auto operator()(Index k) const { return term(A, first + std::int64_t{k} * warp_lanes); }
};

/// The part of a sum that one lane has, in ascending order of its entries; padding adds 0. On a device the terms of a
/// batch of 4 are loaded before the first is added, so that their latencies overlap. Passing loads stay where the
/// program has them: a batch that goes beyond the end loads the lane's last entry again, without a branch. Kept ones
/// are faster with the last batch apart.
template <class Term>
CARDIOWARP_HD auto lane_sum(const EllWarpView& A, Index slice, Index lane, const Term& term) {
  const std::int64_t begin = A.slice_begin[slice];
  const Index n = static_cast<Index>((A.slice_begin[slice + 1] - begin) / warp_lanes);
  const LaneTerm<Term> entry{A, term, begin + lane};
#if defined(__CUDA_ARCH__)
  if constexpr (Term::loads == Loads::passing) {
    constexpr Index batch = 4;
    using Value = decltype(entry(Index{}));
    Value sum{};
    for (Index first = 0; first < n; first += batch) {
      Value terms[batch];
      for (Index k = 0; k < batch; ++k) {
        const Value value = entry(first + k < n ? first + k : n - 1);
        terms[k] = first + k < n ? value : Value{};
      }
      for (Index k = 0; k < batch; ++k) sum += terms[k];
    }
    return sum;
  }
#endif
  return batched_sum<4>(n, entry);
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
  return k1_row_sum(A, position, TimesVector<>{x});
}

/// Loop body over the slices, for every variant: y = A x or A times ones. A row's lanes are added by the tree that a
/// warp uses (kernels/sparse/ell_warp.cuh): lane i takes lane i + lanes / 2, then i + lanes / 4, ..
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
/// overloads this (kernels/sparse/ell_warp.cuh) and launches them in blocks of `block_size` threads; 0 is its own
/// choice.
template <Backend B, class Term>
void ell_warp_multiply(B& backend, int /*block_size*/, const EllWarpView& A, const Term& term, Real* y) {
  static_assert(RunsPlainText<B>, "include kernels/sparse/ell_warp.cuh");
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
