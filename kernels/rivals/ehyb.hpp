#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/batched_sum.hpp"
#include "kernels/backend/caching.hpp"
#include "kernels/backend/device.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/ell_warp.hpp"

namespace cardiowarp {

// The format EHYB (Chen 2022, Explicit caching HYB, arXiv 2204.06666), a rival that `cardiowarp bench spmv` measures. A
// partition of the matrix's graph cuts the rows into parts, and they are renumbered so that those of a part follow each
// other. An entry whose column is in the part of its row is an own entry; for these a product reads x from the shared
// memory of a multiprocessor, which has loaded the part's x. All other entries are extra entries, for which x is read
// from device memory. Both kinds are stored in slices of 32 rows, as ELL-WARP's K1 has them (ell_warp.hpp), each kind
// sorted for itself:
//
//   own entries     the rows of a part by falling number of own entries; a slice has rows of one part only. A column
//                   is the number of its row inside the part and takes 16 bits
//   extra entries   the rows that have any, of all parts together, by falling number of extra entries. A column is the
//                   new number of its row, 32 bits; extra_row says whose entries they are (yIdxER in the paper)
//
// For 6 rows in the parts 0 2 4 and 1 3 5, with slices of 2 rows in place of 32:
//
//   row   columns   is now   own entries, local columns   extra entries, new columns
//    0     0 2 4      0            0 1 2
//    2     0 2        1            0 1
//    4     1 4        2            2                            3
//    1     1 3        3            0 1
//    3     0 2 3      4            1                            0 1
//    5     5          5            2
//
//   slices of own entries     rows 0 1 | 2 | 3 4 | 5     columns by layers   0 0  1 1  2 .  |  2  |  0 1  1 .  |  2
//   slice of extra entries    extra_row 4 2                                  0 3  1 .
//
// A partition does not make parts of equal length, so part_begin has the first row of each, and shared memory is asked
// for the longest of them. A part may have no rows. A part whose x does not fit gives rows away before anything is
// stored (limit_parts()): the rows stay right wherever they are, they only have more extra entries there.
//
// It takes 10 bytes for each stored own entry and 12 for each stored extra entry, 8 for each slice, 8 for each part and
// 4 for each row with extra entries. A product moves these, reads x, writes y, and reads and writes y of each row with
// extra entries again. As printed, Algorithm 3 has both kinds of entries in one launch, in which a block may add the
// extra entries of a row to a y that another block has not written yet; here they are a launch of their own.

/// Rows in slices of 32, layer by layer, in backend memory; owns nothing. Slot begin[s] + 32 k + i has entry k of the
/// slice's row i.
template <class Column>
struct SlicesView {
  const std::int64_t* begin = nullptr;  ///< [slices + 1] first slot of each slice
  const Column* column = nullptr;       ///< [slots]
  const Real* value = nullptr;          ///< [slots] padding is 0
};

/// A matrix in EHYB in backend memory, in its own numbering of rows and columns; owns nothing.
struct EhybView {
  Index rows = 0, parts = 0, longest_part = 0;
  const Index* part_begin = nullptr;  ///< [parts + 1] first row of each part
  const Index* part_slice = nullptr;  ///< [parts + 1] first slice of own entries of each part
  SlicesView<std::uint16_t> own;
  Index extra_rows = 0;              ///< rows that have extra entries
  const Index* extra_row = nullptr;  ///< [extra_rows] row of y
  SlicesView<Index> extra;
  Index* extra_taken = nullptr;       ///< [1] slices of extra entries that warps of a GPU have taken beyond their first
  Caching caching = Caching::cached;  ///< how a kernel reads the matrix

  CARDIOWARP_HD Index extra_slices() const { return (extra_rows + warp_lanes - 1) / warp_lanes; }
};

/// The slices of a matrix in host memory.
template <class Column>
struct Slices {
  std::vector<std::int64_t> begin;  ///< [slices + 1]
  std::vector<Column> column;       ///< [slots]
  std::vector<Real> value;          ///< [slots]
};

/// A matrix in EHYB in host memory.
struct EhybMatrix {
  std::vector<Index> row;         ///< [rows] old number of each new one, of rows and columns
  std::vector<Index> part_begin;  ///< [parts + 1]
  std::vector<Index> part_slice;  ///< [parts + 1]
  Slices<std::uint16_t> own;
  std::vector<Index> extra_row;  ///< [rows with extra entries]
  Slices<Index> extra;
  std::int64_t extra_entries = 0;     ///< without padding
  std::int64_t columns_of_extra = 0;  ///< that extra entries have, each counted once

  Index rows() const { return static_cast<Index>(row.size()); }
  Index parts() const { return static_cast<Index>(part_begin.size()) - 1; }
  Index longest_part() const;
  std::int64_t stored_entries() const { return static_cast<std::int64_t>(own.value.size() + extra.value.size()); }
  /// The bytes that a product moves where each of its two launches reads x once.
  std::int64_t product_bytes() const;
};

/// The most rows of a part whose x fits into the shared memory of a block of the GPU, and whose local columns into
/// 16 bits.
Index ehyb_longest_part(const Device& device);

/// The number of parts on a GPU with P multiprocessors: K P, for the smallest K >= 1 with which parts of equal
/// length have at most ehyb_longest_part() rows (Chen 2022 eq. 1).
Index ehyb_parts(Index rows, const Device& device);

/// Lets no part have more than `longest` rows: the last rows of one that has more go to the first parts with room.
/// `part` [rows] has the part of each row, in [0, parts). Throws std::invalid_argument where longest × parts rows are
/// too few.
void limit_parts(std::vector<Index>& part, Index parts, Index longest);

/// Stores a square matrix whose rows are in these parts, `part` [rows] in [0, parts) (Chen 2022 Algorithms 1 and 2,
/// less the partition). Throws std::invalid_argument for a part that is out of range or has more than 65,536 rows.
EhybMatrix ehyb_matrix(const CsrView& A, const std::vector<Index>& part, Index parts);

/// How the warps of a GPU come to their slices.
enum class SliceSchedule : std::uint8_t {
  dynamic,  ///< a warp that has multiplied a slice takes the next that is left (Chen 2022 sec. 4.2)
  fixed     ///< slice s belongs to warp s modulo their number
};

/// The row of a slice that lane `lane` has, times x, its terms added layer by layer.
template <Caching C, class Column>
CARDIOWARP_HD Real slice_row_times_vector(const SlicesView<Column>& A, Index slice, Index lane, const Real* x) {
  const std::int64_t begin = A.begin[slice];
  const Index layers = static_cast<Index>((A.begin[slice + 1] - begin) / warp_lanes);
  return batched_sum<4>(layers, [&](Index k) {
    const std::int64_t slot = begin + lane + std::int64_t{k} * warp_lanes;
    return fetch<C>(A.value + slot) * x[fetch<C>(A.column + slot)];
  });
}

/// Loop body over the parts: y of each row is what its own entries give.
struct EhybOwnEntries {
  EhybView A;
  const Real* x;
  Real* y;
  CARDIOWARP_HD void operator()(Index part) const {
    const Index first = A.part_begin[part], end = A.part_begin[part + 1];
    for (Index row = first; row < end; ++row)
      y[row] = slice_row_times_vector<Caching::cached>(A.own, A.part_slice[part] + (row - first) / warp_lanes,
                                                       (row - first) % warp_lanes, x + first);
  }
};

/// Loop body over the rows with extra entries: adds these to y.
struct EhybExtraEntries {
  EhybView A;
  const Real* x;
  Real* y;
  CARDIOWARP_HD void operator()(Index k) const {
    y[A.extra_row[k]] += slice_row_times_vector<Caching::cached>(A.extra, k / warp_lanes, k % warp_lanes, x);
  }
};

/// y = A x, both in the numbering of the matrix. This is the general implementation, for any backend; a GPU has kernels
/// in its place, for which schedule and block size are (ehyb.cuh).
template <Backend B>
void ehyb_multiply(B& backend, SliceSchedule, int /*block_size*/, const EhybView& A, const Real* x, Real* y) {
  static_assert(RunsGeneralCode<B>, "include kernels/rivals/ehyb.cuh");
  backend.for_each(A.parts, EhybOwnEntries{A, x, y});
  backend.for_each(A.extra_rows, EhybExtraEntries{A, x, y});
}

/// A matrix in EHYB in the memory of a backend.
template <Backend B>
class EhybBuffers {
 public:
  EhybBuffers(B& backend, const EhybMatrix& A)
      : part_begin_(uploaded(backend, A.part_begin)),
        part_slice_(uploaded(backend, A.part_slice)),
        extra_row_(uploaded(backend, A.extra_row)),
        extra_taken_(backend.template allocate<Index>(1)),
        own_(backend, A.own),
        extra_(backend, A.extra),
        view_{A.rows(),
              A.parts(),
              A.longest_part(),
              part_begin_.data(),
              part_slice_.data(),
              own_.view(),
              static_cast<Index>(A.extra_row.size()),
              extra_row_.data(),
              extra_.view(),
              extra_taken_.data(),
              caching_for(backend, A.product_bytes())} {}

  const EhybView& view() const { return view_; }

 private:
  template <class Column>
  class SlicesBuffers {
   public:
    SlicesBuffers(B& backend, const Slices<Column>& slices)
        : begin_(uploaded(backend, slices.begin)),
          column_(uploaded(backend, slices.column)),
          value_(uploaded(backend, slices.value)) {}
    SlicesView<Column> view() const { return {begin_.data(), column_.data(), value_.data()}; }

   private:
    Buffer<std::int64_t> begin_;
    Buffer<Column> column_;
    Buffer<Real> value_;
  };

  Buffer<Index> part_begin_, part_slice_, extra_row_, extra_taken_;
  SlicesBuffers<std::uint16_t> own_;
  SlicesBuffers<Index> extra_;
  EhybView view_;
};

}  // namespace cardiowarp
