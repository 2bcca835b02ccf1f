#pragma once
#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/backend/cuda_check.hpp"
#include "kernels/backend/cuda_reduction.cuh"
#include "kernels/sparse/warp_lanes.hpp"
#include "solver/parts/parts_product.hpp"

// The products of a matrix in parts (matrix_parts.hpp) on a GPU: one thread block for each part.
//
// parts_direction_product() is the first of the two launches of an iteration on the path `in_parts`. A block makes the
// direction of its part and of its halo, p = M⁻¹ r + β p', in shared memory, multiplies the rows of the part by it and
// sums p·q. A direction in a halo is computed by each block that needs it, from the direction before, p', which is why
// p has two places. The rows of a thread are fetched together, so that a block waits for memory twice before it
// multiplies, not once a row. The ledger in solver/cg/conjugate_gradient.hpp counts the bytes: 40 a row, 10 a stored
// entry and 28 for each row of a halo, most of these from the L2 cache; CgUpdateSums is the other launch.
//
// parts_multiply() is the product alone, y = A x: 16 bytes a row, 10 a stored entry, 12 for each row of a halo and 8 a
// slice. The product of ELL-WARP (kernels/sparse/ell_warp.cuh) moves 12 a stored entry and gathers x from the caches.
// Parts save bytes of columns, so they suit a matrix that is larger than the L2 cache and whose windows have short
// halos (docs/benchmarks). The polynomial preconditioners multiply by it (PartsProducts, parts_product.hpp), and
// `cardiowarp bench spmv` measures it as k1rs_parts.

namespace cardiowarp {

namespace cuda {

/// The thread group that shares a part where each part has a block: all threads of the block.
template <Index Threads>
struct BlockOf {
  static constexpr Index size = Threads;
  static constexpr Index rows_at_once = 4, halo_at_once = 4;  ///< that a thread fetches before it uses the first
  __device__ static Index thread() { return static_cast<Index>(threadIdx.x); }
  __device__ static void wait() { __syncthreads(); }
};
using WholeBlock = BlockOf<threads>;

/// use(i, fetch(i)) for the indices i < end that the calling thread of the group has: every Group::size-th from its own
/// number on. Batch of them are fetched before the first is used. Beyond the end fetch(instead) is called and its
/// result not used; `instead` is in [0, end), is not written by other threads, and costs least where it is the same for
/// all.
template <class Group, Index Batch, class Fetch, class Use>
__device__ void in_batches(Index end, Index instead, const Fetch& fetch, const Use& use) {
  for (Index first = Group::thread(); first < end; first += Batch * Group::size) {
    decltype(fetch(Index{})) values[Batch];
#pragma unroll
    for (Index k = 0; k < Batch; ++k)
      values[k] = fetch(first + k * Group::size < end ? first + k * Group::size : instead);
#pragma unroll
    for (Index k = 0; k < Batch; ++k)
      if (first + k * Group::size < end) use(first + k * Group::size, values[k]);
  }
}

/// The part that a thread group has, with the vector of its rows and its halo in shared memory.
template <class Group, class Value, class Number = Real>
class GroupPart {
 public:
  /// `shared` has room for product_shared_bytes() and begins at a multiple of 8 bytes.
  __device__ GroupPart(const PartsViewOf<Value>& A, Index part, Real* shared)
      : A_(A),
        first_row_(part * A.rows_a_part),
        rows_(min(A.rows_a_part, A.rows - first_row_)),
        halo_row_(A.halo_row + A.halo_begin[part]),
        halo_(A.halo_begin[part + 1] - A.halo_begin[part]),
        vector_(reinterpret_cast<Number*>(shared)),
        slice_begin_(reinterpret_cast<std::int64_t*>(
            shared + ((A.rows_a_part + A.longest_halo) * static_cast<Index>(sizeof(Number)) + 7) / 8)) {}

  /// Fills the vector with entry(row) for each row of the part and of the halo. To be called by all threads of the
  /// group.
  template <class Entry>
  __device__ void fill(const Entry& entry) const {
    fill(entry, entry);
  }
  /// Fills the vector with own(row) for each row of the part and of_halo(row) for each row of the halo, for numbers
  /// that are in different places. To be called by all threads of the group.
  template <class Own, class OfHalo>
  __device__ void fill(const Own& own, const OfHalo& of_halo) const {
    const Index slices = (rows_ + warp_lanes - 1) / warp_lanes;
    in_batches<Group, Group::rows_at_once>(
        slices + 1, slices, [&](Index k) { return A_.slice_begin[first_row_ / warp_lanes + k]; },
        [&](Index k, std::int64_t begin) { slice_begin_[k] = begin; });
    in_batches<Group, Group::rows_at_once>(
        rows_, rows_ - 1, [&](Index row) { return own(first_row_ + row); },
        [&](Index row, Number x) { vector_[row] = x; });
    in_batches<Group, Group::halo_at_once>(
        halo_, halo_ - 1, [&](Index k) { return of_halo(halo_row_[k]); },
        [&](Index k, Number x) { vector_[A_.rows_a_part + k] = x; });
    Group::wait();
  }

  /// Multiplies: use(row, row of A times the vector, the vector's number of the row) for the rows of the calling
  /// thread.
  template <Caching C, Index Batch, class Use>
  __device__ void multiply(const Use& use) const {
    multiply<C, Batch>([](Index) { return Nothing(); },
                       [&](Index row, auto product, Number x, Nothing) { use(row, product, x); });
  }
  /// Multiplies as above and calls use(.., read(row)), where read(row) is fetched together with the first entries of
  /// the row.
  template <Caching C, Index Batch, class Read, class Use>
  __device__ void multiply(const Read& read, const Use& use) const {
    for (Index row = Group::thread(); row < rows_; row += Group::size) {
      const auto of_row = read(first_row_ + row);
      use(first_row_ + row,
          part_row_times_vector<C, Batch>(A_, row_entries(slice_begin_, row),
                                          [&](Index column) { return vector_[column]; }),
          vector_[row], of_row);
    }
  }

 private:
  const PartsViewOf<Value>& A_;
  Index first_row_, rows_;
  const Index* halo_row_;
  Index halo_;
  Number* vector_;  ///< of the part's rows, then of its halo
  std::int64_t* slice_begin_;
};

/// The part of the calling block, in all of its shared memory.
template <class Group, class Number = Real, class Value>
__device__ GroupPart<Group, Value, Number> block_part(const PartsViewOf<Value>& A) {
  extern __shared__ Real shared[];
  return {A, static_cast<Index>(blockIdx.x), shared};
}

/// The blocks of so many threads that a multiprocessor is to have room for: 1536 threads, so that each may have 40
/// registers, or one block.
constexpr int product_blocks(Index block_size) { return block_size < 1536 / 2 ? 1536 / block_size : 1; }

template <Caching C, Index Threads, class Value, class Number>
__global__ void __launch_bounds__(Threads, product_blocks(Threads))
    parts_product_kernel(const PartsViewOf<Value> A, const Number* x, Number* y) {
  const auto part = block_part<BlockOf<Threads>, Number>(A);
  part.fill([&](Index row) { return x[row]; });
  part.template multiply<C, 4>([&](Index row, Number product, Number) { y[row] = product; });
}

template <Caching C, Index Batch, class Value, class Preconditioner, class Number>
__global__ void __launch_bounds__(threads, 4)
    direction_product_kernel(const PartsViewOf<Value> A, const CgDirection<Preconditioner, Number> direction, Number* q,
                             CgState* state, const BlockSums sums) {
  const auto part = block_part<WholeBlock, Number>(A);
  const auto p = direction.ready();
  if (state->go_on == 0) return;
  part.fill([&](Index row) { return p.entry(row); });
  Real pq[1] = {0};
  part.template multiply<C, Batch>([&](Index row, Number product, Number entry) {
    p.p[row] = entry;
    q[row] = product;
    pq[0] += Real{product} * entry;
  });
  combine_blocks<Add, 1>(pq, sums.of_block, sums.arrived, &state->pq, Nothing());
}

/// Launches a block of so many threads for each part, whose vector is of numbers of the type `Number`.
template <Index Threads, class Number = Real, class Value, class... Parameters, class... Arguments>
void launch_parts(CudaBackend& backend, const PartsViewOf<Value>& A, void (*kernel)(PartsViewOf<Value>, Parameters...),
                  const Arguments&... arguments) {
  if (A.rows == 0) return;
  constexpr std::size_t without_asking = 48 << 10;
  const std::size_t shared = product_shared_bytes(A.rows_a_part, A.longest_halo, sizeof(Number));
  if (shared > without_asking)
    cuda_check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared)));
  kernel<<<static_cast<unsigned>(A.parts), Threads, shared, backend.stream()>>>(A, arguments...);
  cuda_check(cudaGetLastError());
}

}  // namespace cuda

/// y = A x in one launch, a block of so many threads for each part. Throws DeviceError.
template <Index Threads = cuda::threads, class Value, class Number>
void parts_multiply(CudaBackend& backend, const PartsViewOf<Value>& A, Caching caching, const Number* x, Number* y) {
  const auto kernel = caching == Caching::streamed
                          ? cuda::parts_product_kernel<Caching::streamed, Threads, Value, Number>
                          : cuda::parts_product_kernel<Caching::cached, Threads, Value, Number>;
  cuda::launch_parts<Threads, Number>(backend, A, kernel, x, y);
}

/// The threads of a block that parts_multiply() can be asked for where it is measured.
inline constexpr std::array<int, 4> parts_block_sizes{128, 256, 512, 1024};

/// y = A x as parts_multiply(), in blocks of one of these sizes; for any other std::invalid_argument is thrown. Parts
/// that are as many as the multiprocessors need more threads than parts of which a multiprocessor has several.
template <class Value, class Number>
void parts_multiply_in_blocks(CudaBackend& backend, int block_size, const PartsViewOf<Value>& A, Caching caching,
                              const Number* x, Number* y) {
  switch (block_size) {
    case 128:
      return parts_multiply<128>(backend, A, caching, x, y);
    case 256:
      return parts_multiply<256>(backend, A, caching, x, y);
    case 512:
      return parts_multiply<512>(backend, A, caching, x, y);
    case 1024:
      return parts_multiply<1024>(backend, A, caching, x, y);
    default:
      throw std::invalid_argument("parts: expected blocks of 128, 256, 512 or 1024 threads, got " +
                                  std::to_string(block_size));
  }
}

/// p = M⁻¹ r + β p, q = A p and state->pq = p·q in one launch. Throws DeviceError.
template <Index Batch, class Value, class Preconditioner, class Number>
void parts_direction_product(CudaBackend& backend, const PartsViewOf<Value>& A, Caching caching,
                             const DirectionProduct<Preconditioner, Number>& of) {
  const auto kernel = caching == Caching::streamed
                          ? cuda::direction_product_kernel<Caching::streamed, Batch, Value, Preconditioner, Number>
                          : cuda::direction_product_kernel<Caching::cached, Batch, Value, Preconditioner, Number>;
  cuda::launch_parts<cuda::threads, Number>(backend, A, kernel, of.direction, of.q, of.state, of.sums);
}

}  // namespace cardiowarp
