#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/batched_sum.hpp"
#include "kernels/backend/loads.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/parts/matrix_parts.hpp"

namespace cardiowarp {

/// A matrix in parts, in backend memory. Owns nothing.
struct PartsView {
  Index rows = 0, parts = 0, rows_a_part = 0, longest_halo = 0;
  const std::int64_t* slice_begin = nullptr;    ///< [slices + 1]
  const Real* value = nullptr;                  ///< [stored entries]
  const std::uint16_t* local_column = nullptr;  ///< [stored entries]
  const Index* halo_begin = nullptr;            ///< [parts + 1]
  const Index* halo_row = nullptr;
};

/// The stored entries of a row: every 32nd from `first` on.
struct RowEntries {
  std::int64_t first = 0;
  Index number = 0;
};

/// `row` counts from the first of the slices.
CARDIOWARP_HD inline RowEntries row_entries(const std::int64_t* slice_begin, Index row) {
  const std::int64_t begin = slice_begin[row / warp_lanes], end = slice_begin[row / warp_lanes + 1];
  return {begin + row % warp_lanes, static_cast<Index>((end - begin) / warp_lanes)};
}

/// Times a vector whose entry of a local column is vector(column).
template <Loads L, Index Batch, class Vector>
CARDIOWARP_HD Real part_row_times_vector(const PartsView& A, const RowEntries& row, const Vector& vector) {
  return batched_sum<Batch>(row.number, [&](Index e) {
    const std::int64_t entry = row.first + std::int64_t{e} * warp_lanes;
    return load<L>(A.value + entry) * vector(load<L>(A.local_column + entry));
  });
}

/// Row `row` of A x.
CARDIOWARP_HD inline Real row_times_vector(const PartsView& A, Index row, const Real* x) {
  const Index part = row / A.rows_a_part;
  return part_row_times_vector<Loads::kept, 4>(A, row_entries(A.slice_begin, row), [&](Index column) {
    return x[column < A.rows_a_part ? part * A.rows_a_part + column
                                    : A.halo_row[A.halo_begin[part] + column - A.rows_a_part]];
  });
}

/// y = A x. A backend with a kernel for it overloads this (solver/parts/parts_product.cuh).
template <Backend B>
void parts_multiply(B& backend, const PartsView& A, Loads, const Real* x, Real* y) {
  static_assert(RunsPlainText<B>, "include solver/parts/parts_product.cuh");
  backend.for_each(A.rows, RowsTimesVector<PartsView>{A, x, y});
}

/// Loop body over the rows: q = A p and the terms of p·q.
struct PartRows {
  PartsView A;
  CgDirections p;
  const CgState* state;
  Real* q;
  CARDIOWARP_HD Terms<1> operator()(Index row) const { return RowsTimesVectorDot<PartsView>{A, p.now(*state), q}(row); }
};

/// Sums of blocks, on their way to the sum of all.
struct BlockSums {
  Real* of_block;  ///< [parts]
  unsigned* arrived;
};

/// p = M⁻¹ r + β p, q = A p, state->pq = p·q. A backend with a kernel for all at once overloads this
/// (solver/parts/parts_product.cuh).
template <Backend B, class Preconditioner>
void parts_direction_product(B& backend, const PartsView& A, Loads, const CgDirection<Preconditioner>& direction,
                             Real* q, CgState* state, const BlockSums&) {
  static_assert(RunsPlainText<B>, "include solver/parts/parts_product.cuh");
  backend.for_each(A.rows, direction);
  backend.template sum<1>(A.rows, &state->pq, PartRows{A, direction.p, state, q});
}

/// A matrix in parts, for ConjugateGradient one that makes the direction, too. The values may change from product to
/// product.
template <Backend B>
class PartsMatrix {
 public:
  /// `value` [stored entries] in backend memory.
  PartsMatrix(B& backend, const EllWarpLayout& layout, const MatrixParts& parts, const Real* value)
      : slice_begin_(uploaded(backend, layout.shape.slice_begin)),
        local_column_(uploaded(backend, parts.local_column)),
        halo_begin_(uploaded(backend, parts.halo_begin)),
        halo_row_(uploaded(backend, parts.halo_row)),
        of_block_(backend.template allocate<Real>(parts.parts)),
        arrived_(backend.template allocate<unsigned>(1)),
        view_{layout.shape.rows(),  parts.parts,         parts.rows_a_part,
              parts.longest_halo,   slice_begin_.data(), value,
              local_column_.data(), halo_begin_.data(),  halo_row_.data()},
        loads_(loads_of(backend, bytes_an_entry * layout.shape.stored_entries())) {}

  /// y = A x, both in the numbering of the layout.
  void multiply(B& backend, const Real* x, Real* y) const { parts_multiply(backend, view_, loads_, x, y); }

  const PartsView& view() const { return view_; }
  Loads loads() const { return loads_; }  ///< how a kernel reads the matrix

  void direction_product(B& backend, const CgDirection<JacobiPreconditioner>& direction, Real* q,
                         CgState* state) const {
    parts_direction_product(backend, view_, loads_, direction, q, state, BlockSums{of_block_.data(), arrived_.data()});
  }

 private:
  static constexpr std::int64_t bytes_an_entry = sizeof(Real) + sizeof(std::uint16_t);

  Buffer<std::int64_t> slice_begin_;
  Buffer<std::uint16_t> local_column_;
  Buffer<Index> halo_begin_, halo_row_;
  Buffer<Real> of_block_;
  Buffer<unsigned> arrived_;
  PartsView view_;
  Loads loads_;
};

}  // namespace cardiowarp
