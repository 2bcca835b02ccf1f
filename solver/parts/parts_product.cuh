#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"
#include "solver/parts/parts_product.hpp"

// The first of the two launches of an iteration of conjugate gradients for a matrix too large for the chip, where the
// device has no room for a solve in one launch (solver/persistent/persistent_cg.cuh): a block makes the direction of
// its part and of its halo, p = M⁻¹ r + β p, in shared memory, multiplies its rows by it and sums p·q. The halo is
// computed once more than by its owner, from the direction before, which is why p has two places.
//
// Bytes a row: 10 for each stored entry; of the vectors r, 1 / D and p read, p and q written, 40; of a halo of 0.73
// rows for each row (windows of 1024 rows, hearts) 4 and 24 each, 20, most of it from L2. The other launch,
// CgUpdateSums, moves 48. What comes before the product waits for memory twice, not once for each row of a thread.
//
// The product alone, y = A x, brings x of the part and of its halo to shared memory instead. Bytes a row: 10 for each
// stored entry, x read and y written, 16, and of its halo 12 each; 8 a slice. ELL-WARP (kernels/sparse/ell_warp.cuh)
// moves 12 for each stored entry and gathers x from the caches; what parts save are the columns, as EHYB's compact ones
// do, so they are for a matrix that is larger than the L2 cache and whose windows have short halos (docs/benchmarks).
// `cardiowarp bench spmv` has it as k1rs_parts; a solve in parts has no product without a direction.

namespace cardiowarp {

namespace cuda {

/// The threads that share a part: those of a block.
struct WholeBlock {
  static constexpr Index size = threads;
  static constexpr Index rows_at_once = 4, halo_at_once = 4;  ///< that a thread loads before it uses the first
  __device__ static Index thread() { return static_cast<Index>(threadIdx.x); }
  __device__ static void wait() { __syncthreads(); }
};

/// use(i, load(i)) for i in [thread, end) in steps of the team, of which Batch are loaded at once; beyond the end
/// it is load(instead), which is not used. `instead` is in [0, end), not written by other threads, and costs least if
/// it is the same for all.
template <class Team, Index Batch, class Load, class Use>
__device__ void in_batches(Index end, Index instead, const Load& load, const Use& use) {
  for (Index first = Team::thread(); first < end; first += Batch * Team::size) {
    decltype(load(Index{})) values[Batch];
#pragma unroll
    for (Index k = 0; k < Batch; ++k) values[k] = load(first + k * Team::size < end ? first + k * Team::size : instead);
#pragma unroll
    for (Index k = 0; k < Batch; ++k)
      if (first + k * Team::size < end) use(first + k * Team::size, values[k]);
  }
}

/// The part of a team, with a vector of its rows and its halo in shared memory.
template <class Team>
class TeamPart {
 public:
  /// `shared` has room for product_shared_bytes().
  __device__ TeamPart(const PartsView& A, Index part, Real* shared)
      : A_(A),
        first_row_(part * A.rows_a_part),
        rows_(min(A.rows_a_part, A.rows - first_row_)),
        halo_row_(A.halo_row + A.halo_begin[part]),
        halo_(A.halo_begin[part + 1] - A.halo_begin[part]),
        vector_(shared),
        slice_begin_(reinterpret_cast<std::int64_t*>(shared + A.rows_a_part + A.longest_halo)) {}

  /// The vector has entry(row). All threads of the team.
  template <class Entry>
  __device__ void load(const Entry& entry) const {
    const Index slices = (rows_ + warp_lanes - 1) / warp_lanes;
    in_batches<Team, Team::rows_at_once>(
        slices + 1, slices, [&](Index k) { return A_.slice_begin[first_row_ / warp_lanes + k]; },
        [&](Index k, std::int64_t begin) { slice_begin_[k] = begin; });
    in_batches<Team, Team::rows_at_once>(
        rows_, rows_ - 1, [&](Index row) { return entry(first_row_ + row); },
        [&](Index row, Real x) { vector_[row] = x; });
    in_batches<Team, Team::halo_at_once>(
        halo_, halo_ - 1, [&](Index k) { return entry(halo_row_[k]); },
        [&](Index k, Real x) { vector_[A_.rows_a_part + k] = x; });
    Team::wait();
  }

  /// use(row, row of A times the vector, entry of the vector) for the rows of the thread.
  template <Loads L, Index Batch, class Use>
  __device__ void multiply(const Use& use) const {
    for (Index row = Team::thread(); row < rows_; row += Team::size)
      use(first_row_ + row,
          part_row_times_vector<L, Batch>(A_, row_entries(slice_begin_, row),
                                          [&](Index column) { return vector_[column]; }),
          vector_[row]);
  }

 private:
  const PartsView& A_;
  Index first_row_, rows_;
  const Index* halo_row_;
  Index halo_;
  Real* vector_;  ///< own rows, halo
  std::int64_t* slice_begin_;
};

/// The part of a block, in all of its shared memory.
__device__ inline TeamPart<WholeBlock> block_part(const PartsView& A) {
  extern __shared__ Real shared[];
  return {A, static_cast<Index>(blockIdx.x), shared};
}

template <Loads L>
__global__ void __launch_bounds__(threads, 6) parts_product_kernel(const PartsView A, const Real* x, Real* y) {
  const auto part = block_part(A);
  part.load([&](Index row) { return x[row]; });
  part.multiply<L, 4>([&](Index row, Real product, Real) { y[row] = product; });
}

template <Loads L, class Preconditioner>
__global__ void __launch_bounds__(threads, 4)
    direction_product_kernel(const PartsView A, const CgDirection<Preconditioner> direction, Real* q, CgState* state,
                             const BlockSums sums) {
  const auto part = block_part(A);
  const auto p = direction.ready();
  if (state->go_on == 0) return;
  part.load([&](Index row) { return p.entry(row); });
  Real pq[1] = {0};
  part.multiply<L, 4>([&](Index row, Real product, Real entry) {
    p.p[row] = entry;
    q[row] = product;
    pq[0] += product * entry;
  });
  combine_blocks<Add, 1>(pq, sums.of_block, sums.arrived, &state->pq, Nothing());
}

/// A block for each part.
template <class... Parameters, class... Arguments>
void launch_parts(CudaBackend& backend, const PartsView& A, void (*kernel)(PartsView, Parameters...),
                  const Arguments&... arguments) {
  if (A.rows == 0) return;
  const std::size_t shared = product_shared_bytes(A.rows_a_part, A.longest_halo);
  kernel<<<static_cast<unsigned>(A.parts), threads, shared, backend.stream()>>>(A, arguments...);
  cuda_check(cudaGetLastError());
}

}  // namespace cuda

/// One launch. Throws DeviceError.
inline void parts_multiply(CudaBackend& backend, const PartsView& A, Loads loads, const Real* x, Real* y) {
  const auto kernel =
      loads == Loads::passing ? cuda::parts_product_kernel<Loads::passing> : cuda::parts_product_kernel<Loads::kept>;
  cuda::launch_parts(backend, A, kernel, x, y);
}

/// One launch. Throws DeviceError.
template <class Preconditioner>
void parts_direction_product(CudaBackend& backend, const PartsView& A, Loads loads,
                             const CgDirection<Preconditioner>& direction, Real* q, CgState* state,
                             const BlockSums& sums) {
  const auto kernel = loads == Loads::passing ? cuda::direction_product_kernel<Loads::passing, Preconditioner>
                                              : cuda::direction_product_kernel<Loads::kept, Preconditioner>;
  cuda::launch_parts(backend, A, kernel, direction, q, state, sums);
}

}  // namespace cardiowarp
