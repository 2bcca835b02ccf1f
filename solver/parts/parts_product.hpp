#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/batched_sum.hpp"
#include "kernels/backend/caching.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/warp_lanes.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/parts/matrix_parts.hpp"

namespace cardiowarp {

// The product of a matrix in parts (matrix_parts.hpp) with a vector. Loop bodies and kernels read the matrix through a
// PartsView. A PartsMatrix owns all arrays of the matrix but the values, for the paths `in_parts` and `persistent`. The
// products in this header are the general implementation; a GPU has kernels in their place (parts_product.cuh).

/// A matrix in parts (matrix_parts.hpp) in backend memory; owns nothing. The values, of double or of single precision,
/// are in the order of its K1 layout; products are made and added in double precision unless the vector is in single,
/// too.
template <class Value>
struct PartsViewOf {
  Index rows = 0, parts = 0, rows_a_part = 0, longest_halo = 0;
  const std::int64_t* slice_begin = nullptr;    ///< [slices + 1]
  const Value* value = nullptr;                 ///< [stored entries]
  const std::uint16_t* local_column = nullptr;  ///< [stored entries]
  const Index* halo_begin = nullptr;            ///< [parts + 1]
  const Index* halo_row = nullptr;              ///< [halo_begin[parts]]
};
using PartsView = PartsViewOf<Real>;

/// The stored entries of a row: `number` of them, every 32nd slot from `first` on.
struct RowEntries {
  std::int64_t first = 0;
  Index number = 0;
};

/// The stored entries of a row, which is counted from the first row of the first slice in `slice_begin`.
CARDIOWARP_HD inline RowEntries row_entries(const std::int64_t* slice_begin, Index row) {
  const std::int64_t begin = slice_begin[row / warp_lanes], end = slice_begin[row / warp_lanes + 1];
  return {begin + row % warp_lanes, static_cast<Index>((end - begin) / warp_lanes)};
}

/// A row times a vector that is given by local columns: vector(local column).
template <Caching C, Index Batch, class Value, class Vector>
CARDIOWARP_HD auto part_row_times_vector(const PartsViewOf<Value>& A, const RowEntries& row, const Vector& vector) {
  return batched_sum<Batch>(row.number, [&](Index e) {
    const std::int64_t entry = row.first + std::int64_t{e} * warp_lanes;
    return fetch<C>(A.value + entry) * vector(fetch<C>(A.local_column + entry));
  });
}

/// How many stored entries of a row a thread of a GPU fetches on the path `in_parts` before it multiplies the first of
/// them, so that their latencies overlap. More would keep the memory busier and take more registers. The number is the
/// same for values in double and in single precision: twice as many in single gain an H200 no more than 2 %.
template <class Value>
inline constexpr Index entries_at_once_in_parts = 4;

/// Row `row` of A x, for x in the numbering of the layout.
template <class Value, class Number>
CARDIOWARP_HD auto row_times_vector(const PartsViewOf<Value>& A, Index row, const Number* x) {
  const Index part = row / A.rows_a_part;
  return part_row_times_vector<Caching::cached, 4>(A, row_entries(A.slice_begin, row), [&](Index column) {
    return x[column < A.rows_a_part ? part * A.rows_a_part + column
                                    : A.halo_row[A.halo_begin[part] + column - A.rows_a_part]];
  });
}

/// The sum of the absolute values of a row. Padding adds 0.
template <class Value>
CARDIOWARP_HD Real absolute_row_sum(const PartsViewOf<Value>& A, Index row) {
  const RowEntries entries = row_entries(A.slice_begin, row);
  return batched_sum<4>(
      entries.number, [&](Index e) { return std::fabs(Real{A.value[entries.first + std::int64_t{e} * warp_lanes]}); });
}

/// y = A x, both in the numbering of the layout. This is the general implementation; a GPU has a kernel for it
/// (parts_product.cuh).
template <Backend B, class Value, class Number>
void parts_multiply(B& backend, const PartsViewOf<Value>& A, Caching, const Number* x, Number* y) {
  static_assert(RunsGeneralCode<B>, "include solver/parts/parts_product.cuh");
  backend.for_each(A.rows, RowsTimesVector<PartsViewOf<Value>, Number>{A, x, y});
}

/// Loop body over the rows: q = A p, and the terms of p·q.
template <class Value, class Number>
struct PartRows {
  PartsViewOf<Value> A;
  CgDirectionsOf<Number> p;
  const CgState* state;
  Number* q;
  CARDIOWARP_HD Terms<1> operator()(Index row) const {
    return RowsTimesVectorDot<PartsViewOf<Value>, Number>{A, p.now(*state), q}(row);
  }
};

/// The memory in which each block of a kernel leaves its partial sum, and in which the blocks that have done so are
/// counted.
struct BlockSums {
  Real* of_block;  ///< [parts]
  unsigned* arrived;
};

/// p = M⁻¹ r + β p, and where q = A p and p·q go. Owns nothing.
template <class Preconditioner, class Number>
struct DirectionProduct {
  CgDirection<Preconditioner, Number> direction;
  Number* q;
  CgState* state;  ///< whose `pq` is p·q
  BlockSums sums;
};

/// p = M⁻¹ r + β p, q = A p, state->pq = p·q. This is the general implementation, two loops; a GPU has one kernel for
/// all of it (parts_product.cuh), in which a thread fetches Batch stored entries of a row together.
template <Index Batch, Backend B, class Value, class Preconditioner, class Number>
void parts_direction_product(B& backend, const PartsViewOf<Value>& A, Caching,
                             const DirectionProduct<Preconditioner, Number>& of) {
  static_assert(RunsGeneralCode<B>, "include solver/parts/parts_product.cuh");
  backend.for_each(A.rows, of.direction);
  backend.template sum<1>(A.rows, &of.state->pq, PartRows<Value, Number>{A, of.direction.p, of.state, of.q});
}

/// The products of a matrix in parts that a polynomial needs, with vectors of double or of single precision. Owns
/// nothing.
template <class Value>
struct PartsProducts {
  PartsViewOf<Value> A;
  Caching caching;
  /// y = A x, both in the numbering of the layout.
  template <Backend B, class Number>
  void multiply(B& backend, const Number* x, Number* y) const {
    parts_multiply(backend, A, caching, x, y);
  }
  /// y_i = Σ_j |A_ij|
  template <Backend B, class Number>
  void absolute_row_sums(B& backend, Number* y) const {
    backend.for_each(A.rows, AbsoluteRowSums<PartsViewOf<Value>, Number>{A, y});
  }
};

/// A matrix in parts that ConjugateGradient multiplies on the path `in_parts`: it makes the direction in the same pass
/// as the product. It takes 2 bytes a stored entry, 8 a slice and 4 for each row of a halo; the values are somebody
/// else's and may change from product to product. Batch is how many stored entries of a row a thread of a GPU fetches
/// together where it makes the direction, too.
template <Backend B, class Value = Real, Index Batch = entries_at_once_in_parts<Value>>
class PartsMatrix {
 public:
  /// `value` [stored entries] in backend memory.
  PartsMatrix(B& backend, const EllWarpLayout& layout, const MatrixParts& parts, const Value* value)
      : slice_begin_(uploaded(backend, layout.shape.slice_begin)),
        local_column_(uploaded(backend, parts.local_column)),
        halo_begin_(uploaded(backend, parts.halo_begin)),
        halo_row_(uploaded(backend, parts.halo_row)),
        of_block_(backend.template allocate<Real>(parts.parts)),
        arrived_(backend.template allocate<unsigned>(1)),
        view_{layout.shape.rows(),  parts.parts,         parts.rows_a_part,
              parts.longest_halo,   slice_begin_.data(), value,
              local_column_.data(), halo_begin_.data(),  halo_row_.data()},
        caching_(caching_for(backend, bytes_an_entry * layout.shape.stored_entries())) {}

  /// y = A x, both in the numbering of the layout.
  void multiply(B& backend, const Real* x, Real* y) const { parts_multiply(backend, view_, caching_, x, y); }

  const PartsViewOf<Value>& view() const { return view_; }
  Caching caching() const { return caching_; }  ///< how a kernel reads the matrix

  /// The matrix with other values, [stored entries] in backend memory.
  template <class Other>
  PartsProducts<Other> with(const Other* value) const {
    return {{view_.rows, view_.parts, view_.rows_a_part, view_.longest_halo, view_.slice_begin, value,
             view_.local_column, view_.halo_begin, view_.halo_row},
            caching_};
  }

  template <class Preconditioner, class Number>
  void direction_product(B& backend, const CgDirection<Preconditioner, Number>& direction, Number* q,
                         CgState* state) const {
    parts_direction_product<Batch>(
        backend, view_, caching_,
        DirectionProduct<Preconditioner, Number>{direction, q, state, {of_block_.data(), arrived_.data()}});
  }

 private:
  static constexpr std::int64_t bytes_an_entry = sizeof(Value) + sizeof(std::uint16_t);

  Buffer<std::int64_t> slice_begin_;
  Buffer<std::uint16_t> local_column_;
  Buffer<Index> halo_begin_, halo_row_;
  Buffer<Real> of_block_;
  Buffer<unsigned> arrived_;
  PartsViewOf<Value> view_;
  Caching caching_;
};

}  // namespace cardiowarp
