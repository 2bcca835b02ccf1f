#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cuda_backend.cuh"
#include "kernels/cuda_check.hpp"
#include "solver/parts_product.hpp"

// The first of the two launches of an iteration of conjugate gradients for a matrix too large for the chip: a block
// makes the direction of its part and of its halo, p = M⁻¹ r + β p, in shared memory, multiplies its rows by it and
// sums p·q. The halo is computed once more than by its owner, from the direction before, which is why p has two places.
//
// Bytes a row: 10 for each stored entry; of the vectors r, 1 / D and p read, p and q written, 40; of a halo of 0.73
// rows for each row (windows of 1024 rows, hearts) 4 and 24 each, 20, most of it from L2. The other launch,
// CgUpdateSums, moves 48. What comes before the product waits for memory twice, not once for each row of a thread.

namespace cardiowarp {

namespace cuda {

/// use(i, load(i)) for i in [thread, end) in steps of `threads`, of which four are loaded at once.
template <class Load, class Use>
__device__ void in_batches(Index end, const Load& load, const Use& use) {
  constexpr Index batch = 4;
  for (Index first = static_cast<Index>(threadIdx.x); first < end; first += batch * threads) {
    decltype(load(Index{})) values[batch];
#pragma unroll
    for (Index k = 0; k < batch; ++k) values[k] = load(min(first + k * threads, end - 1));
#pragma unroll
    for (Index k = 0; k < batch; ++k)
      if (first + k * threads < end) use(first + k * threads, values[k]);
  }
}

template <Loads L, class Preconditioner>
__global__ void __launch_bounds__(threads, 4)
    direction_product_kernel(const PartsView A, const CgDirection<Preconditioner> direction, Real* q, CgState* state,
                             const BlockSums sums) {
  extern __shared__ Real vector[];  // own rows, halo
  std::int64_t* const slice_begin = reinterpret_cast<std::int64_t*>(vector + A.rows_a_part + A.longest_halo);
  const Index part = static_cast<Index>(blockIdx.x), first_row = part * A.rows_a_part;
  const Index rows = min(A.rows_a_part, A.rows - first_row), slices = (rows + warp_lanes - 1) / warp_lanes;
  const Index* const halo_row = A.halo_row + A.halo_begin[part];
  const Index halo = A.halo_begin[part + 1] - A.halo_begin[part];
  const auto p = direction.ready();
  if (state->go_on == 0) return;

  in_batches(
      slices + 1, [&](Index k) { return A.slice_begin[first_row / warp_lanes + k]; },
      [&](Index k, std::int64_t begin) { slice_begin[k] = begin; });
  in_batches(
      rows, [&](Index row) { return p.entry(first_row + row); }, [&](Index row, Real entry) { vector[row] = entry; });
  in_batches(
      halo, [&](Index k) { return p.entry(halo_row[k]); },
      [&](Index k, Real entry) { vector[A.rows_a_part + k] = entry; });
  __syncthreads();

  Real pq[1] = {0};
  for (Index row = static_cast<Index>(threadIdx.x); row < rows; row += threads) {
    const Real product =
        part_row_times_vector<L>(A, row_entries(slice_begin, row), [&](Index column) { return vector[column]; });
    p.p[first_row + row] = vector[row];
    q[first_row + row] = product;
    pq[0] += product * vector[row];
  }
  combine_blocks<Add, 1>(pq, sums.of_block, sums.arrived, &state->pq, Nothing());
}

}  // namespace cuda

/// One launch. Throws DeviceError.
template <class Preconditioner>
void parts_direction_product(CudaBackend& backend, const PartsView& A, Loads loads,
                             const CgDirection<Preconditioner>& direction, Real* q, CgState* state,
                             const BlockSums& sums) {
  if (A.rows == 0) return;
  const auto kernel = loads == Loads::passing ? cuda::direction_product_kernel<Loads::passing, Preconditioner>
                                              : cuda::direction_product_kernel<Loads::kept, Preconditioner>;
  const std::size_t shared = product_shared_bytes(A.rows_a_part, A.longest_halo);
  kernel<<<static_cast<unsigned>(A.parts), cuda::threads, shared, backend.stream()>>>(A, direction, q, state, sums);
  cuda_check(cudaGetLastError());
}

}  // namespace cardiowarp
