#pragma once
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/backend/batched_sum.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/ell_warp.hpp"
#include "solver/on_chip/on_chip_cg.hpp"
#include "solver/parts/messages.cuh"

// The path `on_chip`: conjugate gradients in one launch, for a matrix in parts that fits into the shared memory of the
// device's multiprocessors, or nearly (on_chip_shape.hpp). A block has one part. It fetches the values of its part once
// and keeps them in shared memory until the end, reads those without room there in each iteration, and has its rows of
// all vectors in registers. Once an iteration the blocks exchange messages (solver/parts/messages.cuh): what other
// parts need of a vector, and three sums over all rows.
//
// The recurrences are those of PipelinedCg (on_chip_cg.hpp); u = M⁻¹ r is computed where it is needed, as M is
// diagonal. Rounding errors of the recurrences can pile up. So b − A x is computed at the end, and where it is larger
// than 1.1 times what was asked for, the iteration starts again from x, up to three times.
//
// In single precision these recurrences part from b − A x earlier than those of ConjugateGradient, and where |r| falls
// by more than about 1e-5 at a time p·A p can even lose its sign. So a solve goes in cycles there, each of which brings
// |r| to a thousandth of what it began with or to what was asked for, and the next starts again from x: for the
// matrices of hearts that takes at most three iterations more. A cycle that does not halve |b − A x| is the last, since
// it has come to what rounding leaves of it.

namespace cardiowarp {

namespace cuda {

/// The sums of one exchange.
struct Sums {
  Real of[on_chip_sums];
};

/// The part that a block has: its rows of the matrix, and one vector of its rows and its halo in shared memory. A
/// thread has `Rows` rows, every blockDim.x-th from its own number on. The first kept_entries stored entries of the
/// part are kept in shared memory; a row whose slice is not wholly among them is read from memory.
template <class Value, class Number, int Rows>
class OnChipPart {
 public:
  using Vector = Number[Rows];  ///< the thread's rows of a vector

  __device__ OnChipPart(const OnChipView& A, const Value* value, Real* shared)
      : A_(A),
        part_(static_cast<Index>(blockIdx.x)),
        parts_(static_cast<Index>(gridDim.x)),
        first_row_(part_ * A.rows_a_part),
        rows_(min(A.rows_a_part, A.rows - first_row_)),
        halo_(A.halo_begin[part_ + 1] - A.halo_begin[part_]),
        round_(*A.round),
        vector_(reinterpret_cast<Number*>(shared)),
        value_(reinterpret_cast<Value*>(vector_ + A.rows_a_part + A.longest_halo)),
        halo_row_(reinterpret_cast<Index*>(value_ + A.kept_entries)),
        column_(reinterpret_cast<std::uint16_t*>(halo_row_ + A.longest_halo)) {
    static_assert(sizeof(Value) <= sizeof(Number));  // else values would not be aligned
    const Index first_slice = first_row_ / warp_lanes, slices = (rows_ + warp_lanes - 1) / warp_lanes;
    const std::int64_t begin = A.slice_begin[first_slice];
    const auto kept =
        static_cast<Index>(min(A.slice_begin[first_slice + slices] - begin, static_cast<std::int64_t>(A.kept_entries)));
    read_value_ = value + begin;
    read_column_ = A.local_column + begin;
    start_copy<Index>(halo_row_, A.halo_row + A.halo_begin[part_], halo_);
    start_copy<Value>(value_, read_value_, kept);
    using Columns = ushort2;  // a copy has no fewer than 4 bytes; `kept` is a multiple of 32
    start_copy<Columns>(column_, read_column_, kept / 2);
    __pipeline_commit();
    for (int k = 0; k < Rows; ++k) {
      const Index row = row_in_part(k);
      entry_[k] = entries_[k] = 0;
      is_in_halo_[k] = false;
      is_kept_[k] = true;
      if (row >= rows_) continue;
      const std::int64_t* slice = A.slice_begin + first_slice + row / warp_lanes;
      entry_[k] = static_cast<Index>(slice[0] - begin) + row % warp_lanes;
      entries_[k] = static_cast<Index>(slice[1] - slice[0]) / warp_lanes;
      is_in_halo_[k] = A.is_in_halo[(first_row_ + row) / warp_lanes] >> (first_row_ + row) % warp_lanes & 1u;
      is_kept_[k] = slice[1] - begin <= A.kept_entries;
    }
  }

  /// own = global, and 0 where the thread has no row.
  __device__ void read(const Number* global, Vector& own) const {
    for (int k = 0; k < Rows; ++k) own[k] = row_in_part(k) < rows_ ? global[first_row_ + row_in_part(k)] : 0;
  }
  __device__ void write(const Vector& own, Number* global) const {
    for (int k = 0; k < Rows; ++k)
      if (row_in_part(k) < rows_) global[first_row_ + row_in_part(k)] = own[k];
  }

  /// Makes `own` the vector of multiply(), in this part and in the halos of others, and returns the sums of `terms`
  /// over all threads of all parts. The order of the additions depends on the numbers of parts and threads alone.
  __device__ Sums exchange(const Vector& own, const Sums& terms) {
    ++round_;
    Message* const of_row = A_.of_row + static_cast<std::size_t>(round_ & 1u) * A_.rows;
    for (int k = 0; k < Rows; ++k)
      if (is_in_halo_[k]) send(of_row + first_row_ + row_in_part(k), own[k], round_);
    send_sums(terms);  // after it no thread reads the last vector
    for (int k = 0; k < Rows; ++k)
      if (row_in_part(k) < rows_) vector_[row_in_part(k)] = own[k];
    if (my_warp() < warps() - on_chip_sums) receive_halo(of_row);
    return receive_sums();
  }

  /// Returns the sums of `terms`, and leaves the vector as it is.
  __device__ Sums sum(const Sums& terms) {
    ++round_;
    send_sums(terms);
    return receive_sums();
  }

  /// The thread's rows of A times the vector of the last exchange.
  __device__ void multiply(Vector& product) const {
#pragma unroll
    for (int k = 0; k < Rows; ++k)
      product[k] = is_kept_[k] ? times_vector<4>(value_ + entry_[k], column_ + entry_[k], entries_[k])
                               : times_vector<8>(read_value_ + entry_[k], read_column_ + entry_[k], entries_[k]);
  }

  /// Remembers the round for the next launch. To be called by one thread after all rounds.
  __device__ void leave() const { *A_.round = round_; }

 private:
  /// Begins to copy n values to shared memory, and does not wait: send_sums() does, for what has been committed.
  template <class T>
  __device__ static void start_copy(void* to, const void* from, Index n) {
    for (Index k = threadIdx.x; k < n; k += blockDim.x)
      __pipeline_memcpy_async(static_cast<T*>(to) + k, static_cast<const T*>(from) + k, sizeof(T));
  }

  __device__ Index row_in_part(int k) const { return static_cast<Index>(threadIdx.x + k * blockDim.x); }
  __device__ static int my_warp() { return static_cast<int>(threadIdx.x / warp); }
  __device__ static int warps() { return static_cast<int>(blockDim.x / warp); }

  /// A row times the vector, whose entries are a warp apart.
  template <Index Batch>
  __device__ Number times_vector(const Value* value, const std::uint16_t* column, Index entries) const {
    return batched_sum<Batch>(entries,
                              [&](Index e) { return value[e * warp_lanes] * vector_[column[e * warp_lanes]]; });
  }

  /// Places of the messages with sum `s` of this round, [parts], in one of their copies.
  __device__ Message* sums(int copy, int s) const {
    const auto copies = static_cast<std::size_t>((round_ & 1u) * copies_of_on_chip_sums + copy);
    return A_.sums + (copies * on_chip_sums + s) * parts_;
  }

  /// Sends the sums of the block: warps 0, 1 and 2 one each. After it, in the first round, what start_copy() has begun
  /// is there for all threads.
  __device__ void send_sums(const Sums& terms) {
    __shared__ Real of_warp[on_chip_sums][warp];
    const int lane = threadIdx.x % warp;
    for (int s = 0; s < on_chip_sums; ++s) {
      const Real sum = warp_sum(terms.of[s]);
      if (lane == 0) of_warp[s][my_warp()] = sum;
    }
    __pipeline_wait_prior(0);
    __syncthreads();
    if (my_warp() >= on_chip_sums) return;
    const Real sum = warp_sum(lane < warps() ? of_warp[my_warp()][lane] : 0);
    if (lane < copies_of_on_chip_sums) send(sums(lane, my_warp()) + part_, sum, round_);
  }

  /// The last three warps receive one sum each, of all parts, while the others receive the halo, which comes earlier.
  __device__ Sums receive_sums() {
    __shared__ Sums of_all;
    const int s = my_warp() - (warps() - on_chip_sums);
    if (s >= 0) {
      constexpr int most = (most_blocks_at_once + warp - 1) / warp;
      const Index lane = threadIdx.x % warp;
      const Message* const from = sums(part_ % copies_of_on_chip_sums, s) + lane;
      Real sum = 0;
      receive<most>((parts_ - lane + warp - 1) / warp, round_, [&](int k) { return from + k * warp; },
                    [&](int, Real number) { sum += number; });
      sum = warp_sum(sum);
      if (lane == 0) of_all.of[s] = sum;
    }
    __syncthreads();
    return of_all;
  }

  __device__ void receive_halo(const Message* of_row) {
    constexpr int batch = 4;
    const Index stride = (warps() - on_chip_sums) * warp;
    for (Index first = threadIdx.x; first < halo_; first += batch * stride)
      receive<batch>(
          (halo_ - first + stride - 1) / stride, round_, [&](int k) { return of_row + halo_row_[first + k * stride]; },
          [&](int k, Real number) { vector_[A_.rows_a_part + first + k * stride] = static_cast<Number>(number); });
  }

  const OnChipView& A_;
  Index part_, parts_, first_row_, rows_, halo_;
  unsigned round_;
  Number* vector_;  // shared memory, as the next three
  Value* value_;
  Index* halo_row_;
  std::uint16_t* column_;
  const Value* read_value_;
  const std::uint16_t* read_column_;
  Index entry_[Rows], entries_[Rows];
  bool is_in_halo_[Rows], is_kept_[Rows];
};

/// The most threads of a block: with more, there would not be registers enough for the rows of a thread.
inline constexpr int most_on_chip_threads = 512;
static_assert(most_on_chip_rows == 4 * most_on_chip_threads);

/// When a solve starts again from x, in the precision of its vectors.
template <class Number>
struct OnChipCycles {
  static constexpr bool in_single = sizeof(Number) < sizeof(Real);
  static constexpr int most_restarts = in_single ? 8 : 3;
  static constexpr Real of_a_cycle = in_single ? 1e-3 : 0;  ///< the least |r| that a cycle goes to, of the first
  static constexpr Real helps = in_single ? 0.5 : 1;  ///< how much smaller |b − A x| is after a cycle not in vain
  static constexpr Real rounding = 1.1;               ///< how much larger b − A x may be than what was asked for

  /// Whether the cycle that has left |b − A x| at `now` is the last; `before` is what the cycle before it left.
  __device__ static bool end(int restart, Real now, Real before, Real target) {
    return now <= rounding * target || restart == most_restarts || now >= helps * before;
  }
};

/// A thread's rows of all vectors of a solve, and what is done with them. They stay in registers, for which every
/// function has to be compiled into the kernel.
template <class Value, class Number, int Rows>
struct OnChipRows {
  using Part = OnChipPart<Value, Number, Rows>;

  typename Part::Vector M, solution, r, w, p, s, z, product;

  /// x = 0, r = b
  __device__ __forceinline__ void start(const Part& part, const OnChipSystemOf<Value, Number>& system) {
    part.read(system.inverse_diagonal, M);
    part.read(system.b, r);
    for (int k = 0; k < Rows; ++k) solution[k] = 0;
  }

  /// w = A M⁻¹ r; returns |r|².
  __device__ __forceinline__ Real start_cycle(Part& part) {
    Sums of_r{};
    for (int k = 0; k < Rows; ++k) {
      product[k] = M[k] * r[k];
      of_r.of[0] += Real{r[k]} * r[k];
    }
    const Real squares = part.exchange(product, of_r).of[0];
    part.multiply(w);
    return squares;
  }

  /// Sends M⁻¹ w for the product that advance() makes; returns γ = r·u, δ = w·u and |r|².
  __device__ __forceinline__ Sums sums_of_iteration(Part& part) {
    Sums terms{};
    for (int k = 0; k < Rows; ++k) {
      const Number u = M[k] * r[k];
      terms.of[0] += Real{r[k]} * u;
      terms.of[1] += Real{w[k]} * u;
      terms.of[2] += Real{r[k]} * r[k];
      product[k] = M[k] * w[k];
    }
    return part.exchange(product, terms);
  }

  /// n = A M⁻¹ w;  z = n + β z, s = w + β s, p = u + β p;  x += α p, r −= α s, w −= α z
  __device__ __forceinline__ void advance(const Part& part, Number alpha, Number beta, bool first) {
    part.multiply(product);
    for (int k = 0; k < Rows; ++k) {
      z[k] = first ? product[k] : cg_direction(product[k], beta, z[k]);
      s[k] = first ? w[k] : cg_direction(w[k], beta, s[k]);
      p[k] = first ? M[k] * r[k] : cg_direction(M[k] * r[k], beta, p[k]);
      solution[k] = cg_solution(solution[k], alpha, p[k]);
      r[k] = cg_residual(r[k], alpha, s[k]);
      w[k] = cg_residual(w[k], alpha, z[k]);
    }
  }

  /// r = b − A x, where b is to be multiplied by `scale`; returns |r|.
  __device__ __forceinline__ Real compute_residual(Part& part, const Number* b, Number scale) {
    part.exchange(solution, {});
    part.multiply(product);
    part.read(b, r);
    Sums terms{};
    for (int k = 0; k < Rows; ++k) {
      r[k] = scale * r[k] - product[k];
      terms.of[0] += Real{r[k]} * r[k];
    }
    return sqrt(part.sum(terms).of[0]);
  }
};

/// A whole solve of A x = b with Jacobi, one block for each part. On exit *result is its report.
template <class Value, class Number, int Rows>
__global__ void __launch_bounds__(most_on_chip_threads)
    on_chip_cg_kernel(const OnChipView A, const OnChipSystemOf<Value, Number> system, const CgConfig config,
                      const Forcing* given_forcing, CgReport* result) {
  using Cycles = OnChipCycles<Number>;
  extern __shared__ Real shared[];
  const Forcing forcing = given_forcing == nullptr ? Forcing{} : *given_forcing;
  OnChipPart<Value, Number, Rows> part(A, system.value, shared);
  OnChipRows<Value, Number, Rows> own;
  own.start(part, system);

  PipelinedCg cg;
  cg.report = {};
  Real target = 0, before = INFINITY;  // of |b − A x|, and what it was
  Real scale = 1;                      // what b and x are multiplied by until the end; in single precision b comes so
  for (int restart = 0;; ++restart) {
    const Real squares = own.start_cycle(part);
    if constexpr (!Cycles::in_single)
      if (restart == 0) {
        scale = scale_for_squares(squares);
        for (int k = 0; k < Rows; ++k) own.r[k] *= scale, own.w[k] *= scale;
      }
    cg.begin();
    for (bool first = true;; first = false) {
      const auto [gamma, delta, rr] = own.sums_of_iteration(part).of;
      const Real residual_norm = sqrt(rr);
      if (first && restart == 0) {
        cg.report.rhs_norm = residual_norm;
        target = cg_target(residual_norm, config, forcing.scaled(scale));
      }
      if (first) cg.stop = {fmax(target, Cycles::of_a_cycle * residual_norm), config.max_iterations};
      if (!cg.iterate(gamma, delta, residual_norm)) break;
      own.advance(part, static_cast<Number>(cg.alpha), static_cast<Number>(cg.beta), first);
    }
    if (cg.report.status != CgStatus::converged || cg.report.iterations == 0) break;
    cg.report.residual_norm = own.compute_residual(part, system.b, static_cast<Number>(scale));
    if (Cycles::end(restart, cg.report.residual_norm, before, target)) break;
    before = cg.report.residual_norm;
  }

  for (int k = 0; k < Rows; ++k) own.solution[k] *= static_cast<Number>(1 / scale);
  part.write(own.solution, system.x);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    cg.report.rhs_norm /= scale;
    cg.report.residual_norm /= scale;
    *result = cg.report;
    part.leave();
  }
}

/// How a part is spread over the threads of a block.
template <class Value, class Number>
struct OnChipLaunch {
  decltype(&on_chip_cg_kernel<Value, Number, 1>) kernel;
  int threads;
};

/// The kernel of a thread with so many rows, a power of two, or with fewer where it cannot have as many.
template <class Value, class Number, int Rows = 1>
decltype(&on_chip_cg_kernel<Value, Number, 1>) on_chip_kernel(int rows_a_thread) {
  if constexpr (Rows * most_on_chip_threads < most_on_chip_rows_of(sizeof(Number)))
    if (rows_a_thread > Rows) return on_chip_kernel<Value, Number, 2 * Rows>(rows_a_thread);
  return &on_chip_cg_kernel<Value, Number, Rows>;
}

template <class Value, class Number>
OnChipLaunch<Value, Number> on_chip_launch(const OnChipShape& shape) {
  assert(shape.bytes_a_value == sizeof(Value) && shape.bytes_a_number == sizeof(Number));
  const Index rows = shape.rows_a_part;
  int rows_a_thread = 1;
  while (rows > rows_a_thread * most_on_chip_threads) rows_a_thread *= 2;
  const int threads = (rows + rows_a_thread * warp - 1) / (rows_a_thread * warp) * warp;
  constexpr int fewest = 256;
  return {on_chip_kernel<Value, Number>(rows_a_thread),
          std::clamp(threads + on_chip_sums * warp, fewest, most_on_chip_threads)};
}

}  // namespace cuda

/// Whether all blocks can be on the device at once. Throws DeviceError.
template <class Value, class Number = Real>
bool has_room_for(CudaBackend&, const OnChipShape& shape) {
  const auto [kernel, threads] = cuda::on_chip_launch<Value, Number>(shape);
  return cuda::all_blocks_at_once(reinterpret_cast<const void*>(kernel), shape.parts, threads, shape.shared_bytes());
}

/// Solves in one launch; has_room_for() has said that it can. Throws DeviceError.
template <class Value, class Number>
void launch_on_chip(CudaBackend& backend, const OnChipSolve<Value, Number>& solve, const CgConfig& config,
                    const Forcing* forcing) {
  const auto [kernel, threads] = cuda::on_chip_launch<Value, Number>(solve.shape);
  cuda::launch_at_once(backend, kernel, solve.shape.parts, threads, solve.shape.shared_bytes(), solve.view,
                       solve.system, config, forcing, solve.report);
}

}  // namespace cardiowarp
