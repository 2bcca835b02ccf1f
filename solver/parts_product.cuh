#pragma once
#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/cuda_backend.cuh"
#include "kernels/cuda_check.hpp"
#include "solver/parts_product.hpp"

// The first of the two launches of an iteration of conjugate gradients for a matrix too large for the chip: a block
// makes the direction of its part and of its halo, p = M⁻¹ r + β p, in shared memory, multiplies its rows by it and
// sums p·q. The halo is computed once more than by its owner, from the direction before, which is why p has two places.
//
// Bytes a row: 10 for each stored entry; of the vectors r, 1 / D and p read, p and q written, 40; of a halo of 0.6 rows
// for each row (windows of 1024 rows, hearts) 4 and 24 each, 17. The other launch, CgUpdateSums, moves 56.

namespace cardiowarp {

namespace cuda {

template <Loads L, class Preconditioner>
__global__ void __launch_bounds__(threads, 4)
    direction_product_kernel(const PartsView A, const CgDirection<Preconditioner> direction, Real* q, CgState* state,
                             const BlockSums sums) {
  extern __shared__ Real vector[];  // own rows, halo
  const Index part = static_cast<Index>(blockIdx.x), first_row = part * A.rows_a_part;
  const Index rows = min(A.rows_a_part, A.rows - first_row);
  const Index* const halo_row = A.halo_row + A.halo_begin[part];
  const Index halo = A.halo_begin[part + 1] - A.halo_begin[part];
  const Index thread = static_cast<Index>(threadIdx.x);

  const Real beta = state->beta;
  const Real* const before = direction.p.before(*state);
  for (Index row = thread; row < rows; row += threads) vector[row] = direction.entry(first_row + row, beta, before);
  for (Index k = thread; k < halo; k += threads) vector[A.rows_a_part + k] = direction.entry(halo_row[k], beta, before);
  __syncthreads();

  Real* const p = direction.p.now(*state) + first_row;
  Real pq[1] = {0};
  for (Index row = thread; row < rows; row += threads) {
    const Real product = part_row_times_vector<L>(A, first_row + row, [&](Index column) { return vector[column]; });
    p[row] = vector[row];
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
  const std::size_t shared = sizeof(Real) * static_cast<std::size_t>(A.rows_a_part + A.longest_halo);
  kernel<<<static_cast<unsigned>(A.parts), cuda::threads, shared, backend.stream()>>>(A, direction, q, state, sums);
  cuda_check(cudaGetLastError());
}

}  // namespace cardiowarp
