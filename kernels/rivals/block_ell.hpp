#pragma once
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/batched_sum.hpp"
#include "kernels/backend/caching.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

// The formats BELL and SBELL of a matrix in blocks, which `cardiowarp bench spmv` measures (J. Zhang and L. Zhang,
// Efficient CUDA Polynomial Preconditioned Conjugate Gradient Solver for Finite Element Computation of Elasticity
// Problems, Math. Probl. Eng. 2013, 398438, sec. 3, figs. 3 to 5, alg. 4, whose printed indices are mended here). Where
// a mesh has b unknowns a node, numbered node by node, the matrix consists of b × b blocks, one for each pair of nodes
// that have an element in common. A block row is the b rows of a node. A block is stored dense, an entry that it lacks
// as 0, and has one column index, that of its node: 8 b² + 4 bytes a block, or 8 + 4/b² an entry of full blocks where
// compressed rows take 12.
//
// Block rows are sorted by the number of their blocks, the longest first, and cut into slices of S. A slice is as wide
// as its longest block row and padded to it. It is stored block by block: first the first block of all of its S block
// rows, and of these first value 0 of all, then value 1, and so on, so that the S threads of a slice, one a block row,
// read neighboring values. With i the place of a block row in its slice, B the first block slot of the slice, and
// value k = b r + c in row r and column c of a block,
//
//   value k of block j of block row i   at (B + S j) b² + k S + i
//   its block column                    at B + S j + i
//
// A slice of S = 2 block rows with 2 and 1 blocks, b = 2; letters are blocks, a dot is padding:
//
//   | a . b |   block column   0 0   2 0                    padding repeats the last block column of its block row
//   | c . . |   value          a0 c0 a1 c1 a2 c2 a3 c3   b0 . b1 . b2 . b3 .
//
// SBELL has S = 32, 64 or 96. BELL is the slice of all block rows in their order, and BCSR (BSR in cuSPARSE) are slices
// of one block row each, in their order: b² values a block, row by row, and no padding. The general layout has all
// three. With b = 1 and S = 32, SBELL is ELL-WARP's K1 of the same window, entry for entry (ell_warp.hpp); with larger
// S it is SELL with sorted rows. Slices of 64 and 96 are also multiplied by 32 threads each (SeveralBlockRows).
//
// x and y stay in the order of the matrix, as in K1. A product reads the matrix once, 12 bytes a slice and 4 a sorted
// block row, gathers b neighboring values of x a block, and writes y. They are no formats of a run, whose matrix has
// one unknown a node.

/// Most unknowns a node for which there is a product.
inline constexpr Index most_unknowns = 3;

struct BlockEllOptions {
  Index unknowns = 1;     ///< b, rows and columns of a block: 1 to most_unknowns
  Index slice_rows = 32;  ///< S, block rows of a slice: at least 1
  bool sorted = true;     ///< false: block rows stay in their order
  Index window =
      0;  ///< block rows that are sorted among themselves, rounded up to whole slices; 0: all, as in the article
};

/// A matrix in BELL, SBELL or BCSR in backend memory. Owns nothing.
struct BlockEllView {
  Index unknowns = 1, slice_rows = 1, block_rows = 0;
  const std::int64_t* slice_begin = nullptr;  ///< [slices] first block slot of each slice
  const Index* slice_width = nullptr;         ///< [slices] blocks that each of its block rows has, with padding
  const Index* row = nullptr;                 ///< [block rows] block row at each position; null: in their order
  const Index* column = nullptr;              ///< [block slots] block column
  const Real* value = nullptr;                ///< [unknowns² × block slots] padding is 0
  Caching caching = Caching::cached;          ///< how columns and values are fetched
};

/// The sums of the rows of one block row.
template <Index Unknowns>
struct BlockSum {
  Real row[Unknowns] = {};
  CARDIOWARP_HD BlockSum& operator+=(const BlockSum& other) {
    for (Index r = 0; r < Unknowns; ++r) row[r] += other.row[r];
    return *this;
  }
};

/// The term of block j of a block row: the block times its unknowns of x.
template <Index Unknowns, Caching C>
struct BlockTerm {
  const BlockEllView& A;
  std::int64_t begin;  ///< first block slot of the slice
  Index place;         ///< of the block row in its slice
  const Real* x;
  CARDIOWARP_HD BlockSum<Unknowns> operator()(Index j) const {
    constexpr Index values = Unknowns * Unknowns;
    const std::int64_t first = begin + std::int64_t{A.slice_rows} * j;
    const Real* const value = A.value + first * values + place;
    const Real* const block_x = x + std::int64_t{Unknowns} * fetch<C>(A.column + first + place);
    Real entry[values];  // all fetched before the first is multiplied, so that their latencies overlap
    for (Index k = 0; k < values; ++k) entry[k] = fetch<C>(value + std::int64_t{k} * A.slice_rows);
    BlockSum<Unknowns> sum;
    for (Index r = 0; r < Unknowns; ++r) {
      sum.row[r] = entry[r * Unknowns] * block_x[0];
      for (Index c = 1; c < Unknowns; ++c) sum.row[r] += entry[r * Unknowns + c] * block_x[c];
    }
    return sum;
  }
};

/// Loop body of y = A x over the positions of block rows, for a CPU and, one thread a position, for a GPU. Blocks are
/// added in ascending order of their columns: the same bits for any slices.
template <Index Unknowns, Caching C>
struct BlockRowsTimesVector {
  BlockEllView A;
  const Real* x;
  Real* y;
  CARDIOWARP_HD void operator()(Index position) const {
    constexpr Index batch = Unknowns < 3 ? 4 : 2;  // more blocks at a time have no room in registers
    const Index slice = position / A.slice_rows;
    const BlockTerm<Unknowns, C> term{A, A.slice_begin[slice], position - slice * A.slice_rows, x};
    const BlockSum<Unknowns> sum = batched_sum<batch>(A.slice_width[slice], term);
    Real* const block_y = y + std::int64_t{Unknowns} * (A.row ? A.row[position] : position);
    for (Index r = 0; r < Unknowns; ++r) block_y[r] = sum.row[r];
  }
};

/// Loop body that takes several block rows of a slice (alg. 3 of the article). T threads share a slice, and the k-th of
/// them takes the block rows at places k, k + T, k + 2 T, .. of it.
template <class OneRow>
struct SeveralBlockRows {
  OneRow one_row;  ///< BlockRowsTimesVector
  Index threads_a_slice;
  CARDIOWARP_HD void operator()(Index thread) const {
    const BlockEllView& A = one_row.A;
    const Index slice = thread / threads_a_slice, begin = slice * A.slice_rows;
    const Index rest = A.block_rows - begin, end = rest < A.slice_rows ? rest : A.slice_rows;
    for (Index place = thread - slice * threads_a_slice; place < end; place += threads_a_slice) one_row(begin + place);
  }
};

/// for_each(n, body) with the loop body of y = A x for the blocks and the caching of the matrix. `rows_a_thread`
/// divides the rows of a slice.
template <class ForEach>
void block_ell_multiply(const BlockEllView& A, const Real* x, Real* y, const ForEach& for_each,
                        Index rows_a_thread = 1) {
  const auto with_rows = [&](const auto& body) {
    const Index slices = (A.block_rows + A.slice_rows - 1) / A.slice_rows, threads = A.slice_rows / rows_a_thread;
    if (rows_a_thread == 1)
      for_each(A.block_rows, body);
    else
      for_each(slices * threads, SeveralBlockRows<std::remove_cvref_t<decltype(body)>>{body, threads});
  };
  const auto with_caching = [&]<Index Unknowns>() {
    if (A.caching == Caching::streamed)
      with_rows(BlockRowsTimesVector<Unknowns, Caching::streamed>{A, x, y});
    else
      with_rows(BlockRowsTimesVector<Unknowns, Caching::cached>{A, x, y});
  };
  static_assert(most_unknowns == 3);
  if (A.unknowns == 1)
    with_caching.template operator()<1>();
  else if (A.unknowns == 2)
    with_caching.template operator()<2>();
  else
    with_caching.template operator()<3>();
}

/// Where the entries of a matrix are stored, in host memory.
struct BlockEllLayout {
  BlockEllOptions options;
  Index block_rows = 0;
  std::int64_t blocks = 0;                 ///< without padding
  std::vector<std::int64_t> slice_begin;   ///< [slices + 1] first block slot of each slice
  std::vector<Index> slice_width;          ///< [slices]
  std::vector<Index> row;                  ///< [block rows] block row at each position; empty where not sorted
  std::vector<Index> column;               ///< [block slots]
  TeamVector<std::int64_t> slot_of_entry;  ///< [entries] slot of each value, in the order of the CSR matrix

  std::int64_t block_slots() const { return slice_begin.back(); }
  std::int64_t value_slots() const { return block_slots() * options.unknowns * options.unknowns; }
  std::int64_t slices() const { return static_cast<std::int64_t>(slice_width.size()); }

  /// The bytes that a product must move where x is read once: matrix, x, y, slices and rows.
  std::int64_t product_bytes() const;
};

/// The layout of a matrix; the columns of a row may be in any order. Throws std::invalid_argument, which says what is
/// expected, for options out of range or rows that are no whole blocks.
BlockEllLayout block_ell_layout(const CsrPattern& pattern, const BlockEllOptions& options);

/// The blocks of the longest block row; 0 where there are no rows. Throws as block_ell_layout().
Index longest_block_row(const CsrPattern& pattern, Index unknowns);

/// The options of BELL: one slice with all block rows.
BlockEllOptions bell_options(const CsrPattern& pattern, Index unknowns);

/// The options of BCSR: slices of one block row.
BlockEllOptions bcsr_options(Index unknowns);

/// A matrix in blocks in the memory of a backend. Its values begin as 0; only the slots of entries may be written, so
/// that padding stays 0.
class BlockEllMatrix {
 public:
  template <Backend B>
  BlockEllMatrix(B& backend, const BlockEllLayout& layout)
      : unknowns_(layout.options.unknowns),
        slice_rows_(layout.options.slice_rows),
        block_rows_(layout.block_rows),
        caching_(caching_for(backend, std::int64_t{sizeof(Real)} * layout.value_slots() +
                                          std::int64_t{sizeof(Index)} * layout.block_slots())),
        slice_begin_(uploaded(backend, layout.slice_begin)),
        slice_width_(uploaded(backend, layout.slice_width)),
        row_(uploaded(backend, layout.row)),
        column_(uploaded(backend, layout.column)),
        value_(backend.template allocate<Real>(layout.value_slots())) {}

  BlockEllView view() const {
    return {unknowns_,           slice_rows_,         block_rows_,
            slice_begin_.data(), slice_width_.data(), row_.size() == 0 ? nullptr : row_.data(),
            column_.data(),      value_.data(),       caching_};
  }
  Real* value() { return value_.data(); }  ///< [unknowns² × block slots]

 private:
  Index unknowns_, slice_rows_, block_rows_;
  Caching caching_;
  Buffer<std::int64_t> slice_begin_;
  Buffer<Index> slice_width_, row_, column_;
  Buffer<Real> value_;
};

}  // namespace cardiowarp
