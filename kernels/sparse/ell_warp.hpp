#pragma once
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/batched_sum.hpp"
#include "kernels/backend/caching.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// ELL-WARP, the format in which a GPU multiplies a sparse matrix A by a vector x, and the products y = A x of it (paper
// 000, which README.md names, sec. 5).
//
// A GPU runs its threads in warps, 32 threads that do the same at the same time; they are the lanes 0 to 31 of the
// warp. The rows of the matrix are sorted by length and cut into slices, one for each warp. A slice has 32 lanes, too,
// and is stored layer by layer: a layer is 32 neighbouring stored entries, one of each lane, which the warp fetches at
// once. All lanes of a slice have as many layers as the longest of them needs; where a lane has no entry there is
// padding. A stored entry is an entry of the matrix or padding. There are two variants:
//   K1   a row has one lane, and a slice 32 rows
//   K2   a row has 1, 2, 4, 8, 16 or 32 neighbouring lanes, so that a long row does not hold up its warp. The number is
//        the same throughout a slice, which has 32 / lanes rows. Entry k of a row is in the row's lane k mod lanes, in
//        layer k / lanes
//
// Six rows, 0 to 5, with 1, 5, 2, 9, 1 and 3 entries, in K2 with threshold 2, the most entries that a lane is to have.
// A digit is an entry of that row, a dot is padding:
//
//   slice   lanes a row   layer  lanes 0 to 31                        first slot
//     0          8          0    33333333 11111... 555..... 22......       0
//                           1    3....... ........ ........ ........      32
//     1          1          0    04..............................         64
//
// Row 3 has lanes 0 to 7: its entries 0 to 7 are in layer 0, and its entry 8 is in lane 0 of layer 1. A position is a
// row's place in the sorted order, which is 3 1 5 2 0 4 here, so that row 3 has position 0. A slot is the number of a
// stored entry, counted through all slices; there are 96 slots for 21 entries. ell_warp_layout.hpp says how slices are
// cut, who decides between K1 and K2, and what K1r, K1rs, K2r and K2rs are.
//
// A matrix takes 12 bytes a stored entry (a value and a column), 16 a slice, and 4 a row where its vectors are not in
// the sorted order. A product reads all that once (K1 only 8 a slice), gathers x from the caches and writes 8 a row.

/// Lanes of a warp, and so of a slice.
inline constexpr Index warp_lanes = 32;

/// An ELL-WARP matrix in backend memory, of either variant. It owns nothing; EllWarpMatrix (ell_warp_matrix.hpp) does.
struct EllWarpView {
  Index rows = 0;
  Index slices = 0;
  bool one_lane_a_row = true;  ///< K1: slice_row[s] is 32 s and slice_lanes[s] 1, and neither need be read
  const std::int64_t* slice_begin = nullptr;  ///< [slices + 1] first slot of each slice
  const Index* slice_row = nullptr;           ///< [slices + 1] first position of each slice
  const Index* slice_lanes = nullptr;         ///< [slices] lanes a row
  const Index* row = nullptr;  ///< [rows] row at each position; null: results stay in the sorted order (K1r, K2rs, ..)
  const Index* column = nullptr;  ///< [stored entries] padding repeats a column of its row; null: multiplies ones only
  const Real* value = nullptr;    ///< [stored entries] padding is 0
  Caching caching = Caching::cached;  ///< how columns and values are fetched
};

/// The slot of entry k of a row, counted from the first of its slice. The row is the `row_in_slice`-th of the slice, in
/// [0, 32 / lanes).
CARDIOWARP_HD inline std::int64_t slot_in_slice(Index row_in_slice, Index lanes, Index k) {
  return row_in_slice * lanes + k % lanes + std::int64_t{warp_lanes} * (k / lanes);
}

/// The terms of A x: value times x. A term is what a stored entry adds to the sum of its row, by operator()(A, slot).
/// Reads 12 bytes a stored entry beside x.
template <Caching C = Caching::cached>
struct TimesVector {
  static constexpr Caching caching = C;
  const Real* x;
  CARDIOWARP_HD Real operator()(const EllWarpView& A, std::int64_t entry) const {
    return fetch<caching>(A.value + entry) * x[fetch<caching>(A.column + entry)];
  }
  TimesVector<Caching::streamed> streamed() const { return {x}; }
};
TimesVector(const Real*)->TimesVector<Caching::cached>;

/// The terms of A times a vector of ones: the value itself. An assembly sums its contributions so
/// (assembly/spmv_assembly.hpp). Reads 8 bytes a stored entry.
template <Caching C = Caching::cached>
struct TimesOnes {
  static constexpr Caching caching = C;
  CARDIOWARP_HD Real operator()(const EllWarpView& A, std::int64_t entry) const {
    return fetch<caching>(A.value + entry);
  }
  TimesOnes<Caching::streamed> streamed() const { return {}; }
};

/// The term of a lane's stored entry in layer k.
template <class Term>
struct LaneTerm {
  const EllWarpView& A;
  const Term& term;
  std::int64_t first;  ///< slot in layer 0
  CARDIOWARP_HD auto operator()(Index k) const { return term(A, first + std::int64_t{k} * warp_lanes); }
};

/// What one lane adds up, layer by layer; padding adds 0. On a GPU the terms of a batch of 4 are fetched before the
/// first is added, so that their latencies overlap. Where the matrix is streamed (caching.hpp), a batch that goes
/// beyond the end fetches the lane's last stored entry again instead of branching: the compiler does not move streamed
/// fetches. A cached matrix is faster with the last batch apart, as batched_sum() has it.
template <class Term>
CARDIOWARP_HD auto lane_sum(const EllWarpView& A, Index slice, Index lane, const Term& term) {
  const std::int64_t begin = A.slice_begin[slice];
  const Index n = static_cast<Index>((A.slice_begin[slice + 1] - begin) / warp_lanes);
  const LaneTerm<Term> entry{A, term, begin + lane};
#if defined(__CUDA_ARCH__)
  if constexpr (Term::caching == Caching::streamed) {
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

/// The row of the result that the row at a position belongs to.
CARDIOWARP_HD inline Index result_row(const EllWarpView& A, Index position) {
  return A.row ? A.row[position] : position;
}

/// The sum of the terms of the row at `position` of a K1 matrix.
template <class Term>
CARDIOWARP_HD auto k1_row_sum(const EllWarpView& A, Index position, const Term& term) {
  return lane_sum(A, position / warp_lanes, position % warp_lanes, term);
}

/// The row at `position` of a K1 matrix times x.
CARDIOWARP_HD inline Real row_times_vector(const EllWarpView& A, Index position, const Real* x) {
  return k1_row_sum(A, position, TimesVector<>{x});
}

/// Loop body over the slices, for every variant: y = A x or A times ones. The lanes of a row are added by the tree that
/// a warp uses (ell_warp.cuh): lane i takes lane i + lanes / 2, then i + lanes / 4 and so on, the same bits as there.
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

/// y = A x (TimesVector) or A times ones (TimesOnes); every row of y is written once. This is the plain text; a GPU has
/// kernels for it (ell_warp.cuh), launched in blocks of `block_size` threads, 0 for the backend's own choice.
template <Backend B, class Term>
void ell_warp_multiply(B& backend, int /*block_size*/, const EllWarpView& A, const Term& term, Real* y) {
  static_assert(RunsPlainText<B>, "include kernels/sparse/ell_warp.cuh");
  backend.for_each(A.slices, EllWarpSlices<Term>{A, term, y});
}

/// Loop body over the entries of a CSR matrix: brings its values to their slots, at the price of the paper's Table IV.
/// Padding is not written. An assembly that writes to the slots itself has no need of this.
struct ScatterEntries {
  const std::int64_t* slot_of_entry;  ///< [CSR entries]
  const Real* csr_value;              ///< [CSR entries]
  Real* value;                        ///< [stored entries]
  CARDIOWARP_HD void operator()(Index entry) const { value[slot_of_entry[entry]] = csr_value[entry]; }
};

}  // namespace cardiowarp
