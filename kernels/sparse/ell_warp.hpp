#pragma once
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/batched_sum.hpp"
#include "kernels/backend/caching.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/warp_lanes.hpp"

namespace cardiowarp {

// The sparse matrix format ELL-WARP and its product y = A x (sec. 5 of "paper 000": Wong, Kuhl and Darve 2015, cited in
// README.md).
//
// A GPU runs its threads in warps, 32 threads that do the same at the same time; they are the lanes 0 to 31 of the
// warp. The rows of the matrix are sorted by length, the number of their entries, and cut into slices, one for each
// warp. A slice has 32 lanes, too, and is stored layer by layer: a layer is 32 neighboring stored entries, one of each
// lane, which the warp fetches together. A slice has as many layers as its fullest lane has entries; where a lane has
// fewer there is padding. A stored entry is an entry of the matrix or padding. There are two variants:
//   K1   a row has one lane, and a slice 32 rows
//   K2   a row has 1, 2, 4, 8, 16 or 32 neighboring lanes, so that a long row does not hold up its warp. The number is
//        the same throughout a slice, which has 32 / lanes rows, or fewer where the rows end. Entry k of a row is in
//        the row's lane k mod lanes, in layer k / lanes
//
// Six rows, 0 to 5, with 1, 5, 2, 9, 1 and 3 entries, in K2 with threshold 2, the most entries that a lane should have
// (a row of more than 64 entries has more in a lane: it cannot get more than 32 lanes). A digit is an entry of that
// row, a dot is padding:
//
//   slice   lanes a row   layer  lanes 0 to 31                slot of lane 0
//     0          8          0    33333333 11111... 555..... 22......       0
//                           1    3....... ........ ........ ........      32
//     1          1          0    04..............................         64
//
// Row 3 has lanes 0 to 7: its entries 0 to 7 are in layer 0, and its entry 8 is in lane 0 of layer 1. A position is a
// row's place in the sorted order, which is 3 1 5 2 0 4 here, so that row 3 has position 0. A slot is the index of a
// stored entry in the arrays of values and columns, which hold all slices one after the other; there are 96 slots for
// 21 entries. ell_warp_layout.hpp says how slices are cut, who decides between K1 and K2, and what K1r, K1rs, K2r and
// K2rs are.
//
// Memory: 12 bytes for each stored entry (a value and a column), 16 for each slice, and 4 for each row where the
// vectors are not in the sorted order. A product reads all of that once (K1 only 8 of the 16 of a slice), reads x at
// random, mostly from the caches, and writes 8 bytes for each row.

/// An ELL-WARP matrix in backend memory, of either variant. It owns nothing; EllWarpMatrix (ell_warp_matrix.hpp) does.
/// With values in single precision, `Value` = float, a stored entry takes 8 bytes: terms make them double again, unless
/// the vector is in single precision, too.
template <class Value>
struct EllWarpViewOf {
  Index rows = 0;
  Index slices = 0;
  bool one_lane_a_row =
      true;  ///< K1: slice s begins at position 32 s and has one lane a row, so kernels skip reading it
  const std::int64_t* slice_begin = nullptr;  ///< [slices + 1] first slot of each slice
  const Index* slice_row = nullptr;           ///< [slices + 1] first position of each slice
  const Index* slice_lanes = nullptr;         ///< [slices] lanes a row
  const Index* row = nullptr;  ///< [rows] row at each position; null: results stay in the sorted order (K1r, K2rs, ..)
  const Index* column = nullptr;      ///< [stored entries] may be null where only TimesOnes is used
  const Value* value = nullptr;       ///< [stored entries] padding is 0
  Caching caching = Caching::cached;  ///< how columns and values are fetched
};
using EllWarpView = EllWarpViewOf<Real>;

/// The slot of entry k of a row, less the first slot of its slice. The row is the `row_in_slice`-th of the slice, in
/// [0, 32 / lanes).
CARDIOWARP_HD inline std::int64_t slot_in_slice(Index row_in_slice, Index lanes, Index k) {
  return row_in_slice * lanes + k % lanes + std::int64_t{warp_lanes} * (k / lanes);
}

/// The terms of A x. A term is a functor: term(A, slot) is what the stored entry in that slot adds to the sum of its
/// row, here its value times x at its column. Reads 12 bytes for each stored entry, and x.
template <Caching C = Caching::cached, FetchWay W = FetchWay::usual, class Number = Real>
struct TimesVector {
  static constexpr Caching caching = C;
  const Number* x;
  template <class Value>
  CARDIOWARP_HD auto operator()(const EllWarpViewOf<Value>& A, std::int64_t slot) const {
    return fetch<caching>(A.value + slot) * fetch_by<W>(x + fetch<caching>(A.column + slot));
  }
  TimesVector<Caching::streamed, W, Number> streamed() const { return {x}; }
};
template <class Number>
TimesVector(const Number*) -> TimesVector<Caching::cached, FetchWay::usual, Number>;

/// The terms of A times a vector of ones: the value itself. This is how the assembly by SpMV sums the contributions of
/// elements (assembly/spmv_assembly.hpp). Reads 8 bytes for each stored entry.
template <Caching C = Caching::cached>
struct TimesOnes {
  static constexpr Caching caching = C;
  CARDIOWARP_HD Real operator()(const EllWarpView& A, std::int64_t slot) const {
    return fetch<caching>(A.value + slot);
  }
  TimesOnes<Caching::streamed> streamed() const { return {}; }
};

/// The terms of the sums of absolute values, row by row. Reads 8 bytes for each stored entry.
template <Caching C = Caching::cached>
struct AbsoluteValues {
  static constexpr Caching caching = C;
  template <class Value>
  CARDIOWARP_HD Real operator()(const EllWarpViewOf<Value>& A, std::int64_t slot) const {
    return std::fabs(Real{fetch<caching>(A.value + slot)});
  }
  AbsoluteValues<Caching::streamed> streamed() const { return {}; }
};

/// The term of a lane's stored entry in layer k.
template <class Term, class Value>
struct LaneTerm {
  const EllWarpViewOf<Value>& A;
  const Term& term;
  std::int64_t first;  ///< slot in layer 0
  CARDIOWARP_HD auto operator()(Index k) const { return term(A, first + std::int64_t{k} * warp_lanes); }
};

/// The sum of one lane's terms, layer by layer; padding adds 0. On a GPU the terms are fetched in batches of 4, all of
/// a batch before the first is added, so that their latencies overlap. Where the matrix is streamed, which caching.hpp
/// explains, the last batch is filled up: it fetches the lane's last stored entry again and discards it, because the
/// compiler does not move streamed fetches across the branch that would leave them out. Where the matrix is cached, a
/// loop of its own for what is left after the last whole batch is faster, as batched_sum() has it.
template <class Term, class Value>
CARDIOWARP_HD auto lane_sum(const EllWarpViewOf<Value>& A, Index slice, Index lane, const Term& term) {
  const std::int64_t begin = A.slice_begin[slice];
  const Index n = static_cast<Index>((A.slice_begin[slice + 1] - begin) / warp_lanes);
  const LaneTerm<Term, Value> entry{A, term, begin + lane};
#if defined(__CUDA_ARCH__)
  if constexpr (Term::caching == Caching::streamed) {
    constexpr Index batch = 4;
    using Number = decltype(entry(Index{}));
    Number sum{};
    for (Index first = 0; first < n; first += batch) {
      Number terms[batch];
      for (Index k = 0; k < batch; ++k) {
        const Number value = entry(first + k < n ? first + k : n - 1);
        terms[k] = first + k < n ? value : Number{};
      }
      for (Index k = 0; k < batch; ++k) sum += terms[k];
    }
    return sum;
  }
#endif
  return batched_sum<4>(n, entry);
}

/// The row of the result that the row at a position belongs to.
template <class Value>
CARDIOWARP_HD Index result_row(const EllWarpViewOf<Value>& A, Index position) {
  return A.row ? A.row[position] : position;
}

/// The sum of the terms of the row at `position` of a K1 matrix.
template <class Term, class Value>
CARDIOWARP_HD auto k1_row_sum(const EllWarpViewOf<Value>& A, Index position, const Term& term) {
  return lane_sum(A, position / warp_lanes, position % warp_lanes, term);
}

/// The row at `position` of a K1 matrix times x.
template <class Value, class Number>
CARDIOWARP_HD auto row_times_vector(const EllWarpViewOf<Value>& A, Index position, const Number* x) {
  return k1_row_sum(A, position, TimesVector<Caching::cached, FetchWay::usual, Number>{x});
}

/// Two vectors as one, the second after the first, which has `border` entries: the result of a matrix whose rows are
/// those of two matrices.
struct JointVectors {
  Real *first, *second;
  Index border;
  CARDIOWARP_HD Real& operator[](Index row) const { return row < border ? first[row] : second[row - border]; }
};

/// The type of an entry of a result, which is a pointer to numbers or JointVectors.
template <class Result>
using EntryOf = std::remove_reference_t<decltype(std::declval<const Result&>()[Index{}])>;

/// Whether a result takes the sum of a row, result(row, sum), and makes of it what it likes.
template <class Result>
concept TakesRows = requires(const Result& result) {
  result(Index{}, Real{});
};

/// Gives a result the sum of a row: to be kept, rounded to what its entries are, or as TakesRows says.
template <class Result, class Sum>
CARDIOWARP_HD void give_row(const Result& y, Index row, Sum sum) {
  if constexpr (TakesRows<Result>)
    y(row, sum);
  else
    y[row] = static_cast<EntryOf<Result>>(sum);
}

/// Loop body over the slices, for every variant: y = A x or A times ones. The sums of a row's lanes are added in pairs,
/// in the order of the GPU's kernel (ell_warp.cuh), so that the result has the same bits: first lane i adds the sum of
/// lane i + lanes / 2, then that of lane i + lanes / 4, and so on down to the next lane.
template <class Term, class Value = Real, class Result = Real*>
struct EllWarpSlices {
  EllWarpViewOf<Value> A;
  Term term;
  Result y;  ///< [rows]
  CARDIOWARP_HD void operator()(Index slice) const {
    const Index lanes = A.slice_lanes[slice];
    const Index first = A.slice_row[slice];
    for (Index position = first; position < A.slice_row[slice + 1]; ++position) {
      decltype(lane_sum(A, slice, Index{}, term)) sum[warp_lanes];
      for (Index lane = 0; lane < lanes; ++lane)
        sum[lane] = lane_sum(A, slice, (position - first) * lanes + lane, term);
      for (Index half = lanes / 2; half > 0; half /= 2)
        for (Index lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
      give_row(y, result_row(A, position), sum[0]);
    }
  }
};

/// y = A x (TimesVector), A times ones (TimesOnes) or what another term sums; every row of y is written once. This is
/// the general implementation, for any backend; a GPU has kernels of its own (ell_warp.cuh), launched in blocks of
/// `block_size` threads, 0 for the backend's own choice. `Result` is Real*, float*, JointVectors or
/// what TakesRows; of the last a GPU has blocks of 256 threads at most.
template <Backend B, class Term, class Value, class Result>
void ell_warp_multiply(B& backend, int /*block_size*/, const EllWarpViewOf<Value>& A, const Term& term, Result y) {
  static_assert(RunsGeneralCode<B>, "include kernels/sparse/ell_warp.cuh");
  backend.for_each(A.slices, EllWarpSlices<Term, Value, Result>{A, term, y});
}

/// Loop body over the entries of a CSR matrix: copies its values to their slots. Reads 16 bytes and writes 8 for each
/// entry; paper 000 lists what that costs a solver in its Table IV. Padding is not written. An assembly that writes to
/// the slots itself has no need of this.
struct ScatterEntries {
  const std::int64_t* slot_of_entry;  ///< [CSR entries]
  const Real* csr_value;              ///< [CSR entries]
  Real* value;                        ///< [stored entries]
  CARDIOWARP_HD void operator()(Index entry) const { value[slot_of_entry[entry]] = csr_value[entry]; }
};

}  // namespace cardiowarp
