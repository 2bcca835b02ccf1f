#pragma once
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/caching.hpp"
#include "kernels/backend/team_vector.hpp"
#include "kernels/backend/types.hpp"
#include "kernels/rivals/carries.hpp"
#include "kernels/sparse/ell_warp.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

// The format of ModernGPU's product (paper 000 sec. 4.5), a rival that `cardiowarp bench spmv` measures. The entries of
// all rows, one row after the other, are cut into stretches of 32 v, one for each warp, without regard to where rows
// end; v is the number of values a thread: 4, 6, 8, 10, 12 or 16. Thread l of the warp adds up the entries l v to l v +
// v - 1 of its stretch, one after the other. They are stored in v layers of 32, of which a layer has one entry of each
// thread, so that a warp fetches neighbors. A row without entries is stored as one entry of value 0. Rows of 1, 0, 4
// and 2 entries (the last of a row has a bar) in shares of v = 4 for a warp of two threads instead of 32:
//
//   thread 0   a| 0| b  c          stored   a| d   0| e|   b  f   c  g|
//   thread 1   d  e| f  g|
//
// The bar is the highest bit of the column, so a product reads no begins of rows. For each thread
// the number of rows that end in earlier threads of its warp is stored, which tells where its first sum belongs. A row
// may go on beyond a thread: what the thread has added up of it is brought to the threads after it by a scan over the
// block, and to the blocks after it by carries (carries.hpp) in a second launch.
//
// Memory: 12 bytes for each stored entry, 2 for each thread and 4 for each stretch. This header has what one thread
// does, on the host and on a GPU; the kernel is in segmented_scan.cuh.

/// A matrix in stretches in backend memory; owns nothing.
struct SegmentedScanView {
  Index rows = 0, stretches = 0, values_per_thread = 0;
  Index most_ends = 0;               ///< rows that end in a stretch, at most
  const Index* first_row = nullptr;  ///< [stretches + 1] the row of the first entry of each stretch; last: rows
  const std::uint16_t* ends_before = nullptr;     ///< [32 × stretches] rows that end in earlier threads of the stretch
  const std::uint32_t* column_and_end = nullptr;  ///< [stored entries]
  const Real* value = nullptr;                    ///< [stored entries] padding is 0
  Caching caching = Caching::cached;              ///< how columns and values are fetched
};

/// The bit of a column that says that the entry is the last of its row.
inline constexpr std::uint32_t end_of_row = std::uint32_t{1} << 31U;

/// Goes through the `Values` entries of a thread and puts its sum of each row that ends there into `sums`, one after
/// the other.
template <Index Values, Caching C>
CARDIOWARP_HD RowRest scan_share(const SegmentedScanView& A, std::int64_t stretch, Index lane, const Real* x,
                                 Real* sums) {
  const std::int64_t first = stretch * warp_lanes * Values + lane;
  std::uint32_t column[Values];
  Real term[Values];  // all fetched before the first is added, so that their latencies overlap
  for (Index k = 0; k < Values; ++k) column[k] = fetch<C>(A.column_and_end + first + std::int64_t{k} * warp_lanes);
  for (Index k = 0; k < Values; ++k)
    term[k] = fetch<C>(A.value + first + std::int64_t{k} * warp_lanes) * x[column[k] & ~end_of_row];
  RowRest rest{0, 0};
  for (Index k = 0; k < Values; ++k) {
    rest.sum += term[k];
    if ((column[k] & end_of_row) == 0) continue;
    sums[rest.ended] = rest.sum;
    rest = {0, rest.ended + 1};
  }
  return rest;
}

/// The numbers of values a thread, as in the paper's benchmark (sec. 6).
inline constexpr std::array<Index, 6> segmented_scan_values{4, 6, 8, 10, 12, 16};

/// call.operator()<Values>() for a number of values a thread. Throws std::invalid_argument for another one.
template <class Call>
void with_values_per_thread(Index values, const Call& call) {
  const auto try_one = [&]<Index Tried>() {
    if (values == Tried) call.template operator()<Tried>();
    return values == Tried;
  };
  if (!(try_one.template operator()<4>() || try_one.template operator()<6>() || try_one.template operator()<8>() ||
        try_one.template operator()<10>() || try_one.template operator()<12>() || try_one.template operator()<16>()))
    throw std::invalid_argument("segmented scan: expected 4, 6, 8, 10, 12 or 16 values a thread, got " +
                                std::to_string(values));
}

/// Where the entries of a matrix are stored, in host memory.
struct SegmentedScanLayout {
  Index rows = 0, values_per_thread = 0, most_ends = 0;
  std::vector<Index> first_row;               ///< [stretches + 1]
  std::vector<std::uint16_t> ends_before;     ///< [32 × stretches]
  std::vector<std::uint32_t> column_and_end;  ///< [stored entries] of padding and of rows without entries column 0
  TeamVector<std::int64_t> slot_of_entry;     ///< [entries] in the order of the CSR matrix

  Index stretches() const { return static_cast<Index>(first_row.size()) - 1; }
  std::int64_t stored_entries() const { return static_cast<std::int64_t>(column_and_end.size()); }
  /// The bytes that a product must move where x is read once: matrix, x and y.
  std::int64_t product_bytes() const;
};

/// Throws std::invalid_argument for another number of values than segmented_scan_values.
SegmentedScanLayout segmented_scan_layout(const CsrPattern& pattern, Index values_per_thread);

/// A matrix in stretches in the memory of a backend. Its values begin as 0; only the slots of entries may be written,
/// so that padding stays 0.
class SegmentedScanMatrix {
 public:
  template <Backend B>
  SegmentedScanMatrix(B& backend, const SegmentedScanLayout& layout)
      : first_row_(uploaded(backend, layout.first_row)),
        ends_before_(uploaded(backend, layout.ends_before)),
        column_and_end_(uploaded(backend, layout.column_and_end)),
        value_(backend.template allocate<Real>(layout.column_and_end.size())) {
    shape_.rows = layout.rows;
    shape_.stretches = layout.stretches();
    shape_.values_per_thread = layout.values_per_thread;
    shape_.most_ends = layout.most_ends;
    shape_.caching = caching_for(backend, std::int64_t{sizeof(Real) + sizeof(Index)} * layout.stored_entries());
  }

  SegmentedScanView view() const {
    SegmentedScanView A = shape_;
    A.first_row = first_row_.data();
    A.ends_before = ends_before_.data();
    A.column_and_end = column_and_end_.data();
    A.value = value_.data();
    return A;
  }
  Real* value() { return value_.data(); }  ///< [stored entries]

 private:
  SegmentedScanView shape_;
  Buffer<Index> first_row_;
  Buffer<std::uint16_t> ends_before_;
  Buffer<std::uint32_t> column_and_end_;
  Buffer<Real> value_;
};

}  // namespace cardiowarp
