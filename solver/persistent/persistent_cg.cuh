#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cuda/barrier>
#include <type_traits>

#include "kernels/backend/cuda_backend.cuh"
#include "solver/parts/messages.cuh"
#include "solver/parts/parts_product.cuh"
#include "solver/persistent/persistent_cg.hpp"
#include "solver/persistent/persistent_rows.hpp"

// The path `persistent`: conjugate gradients in one launch, for a matrix in parts that is too large for the path
// `on_chip`. persistent_shape.hpp draws how blocks, thread groups and shared memory are used.
//
// In an iteration a group goes through its parts twice. First it fills the vector of a part and its halo with the
// direction, p = z + β p', and multiplies the rows of the part by it. When all blocks have exchanged p·q, it updates x
// and r, and they exchange r·z and |r|². The sums are messages (solver/parts/messages.cuh); who has received one may
// read what its sender's block had written before.
//
// As far as there is room, q = A p goes from the product to the update in shared memory and is not read from memory.
// The residual is kept as z = M⁻¹ r, so that a direction and its halo need neither r nor M; where r itself is needed it
// is z / M⁻¹. x gets its directions two at a time, as in CgUpdate. The ledger in solver/cg/conjugate_gradient.hpp
// counts the bytes: 64 a row, 24 less than the path `in_parts`, 10 a stored entry (6 with values in single precision),
// and 20 for each row of a halo, 8 less; with vectors in single precision, too, 12 for each row of a halo and 32 a row,
// or 18 where z and p are kept as well.
//
// A polynomial preconditioner adds m products after the update, with an exchange before each; persistent_rows.hpp says
// what it does with a row, and counts its bytes.

namespace cardiowarp {

namespace cuda {

inline constexpr int persistent_threads = 512;

/// The thread group that shares a part here: a fourth of the threads of a block.
struct QuarterBlock {
  static constexpr Index size = persistent_threads / persistent_groups;
  static constexpr Index rows_at_once = 8, halo_at_once = 10;
  __device__ static Index thread() { return static_cast<Index>(threadIdx.x) % size; }
  __device__ static Index group() { return static_cast<Index>(threadIdx.x) / size; }
  /// To be called by all threads of the block before the first wait().
  __device__ static void set_up_waiting() {
    if (threadIdx.x < persistent_groups) init(barriers() + threadIdx.x, size);
    __syncthreads();
  }
  /// Waits for the other threads of the group; to be called by all of them. With bar.sync for 128 threads an iteration
  /// would take about 1 µs less, but racecheck 2025.3 would report hazards everywhere, even across __syncthreads().
  __device__ static void wait() { barriers()[group()].arrive_and_wait(); }

 private:
  using Barrier = ::cuda::barrier<::cuda::thread_scope_block>;
  __device__ static Barrier* barriers() {
    __shared__ alignas(Barrier) unsigned char of_groups[persistent_groups * sizeof(Barrier)];
    return reinterpret_cast<Barrier*>(of_groups);
  }
};

/// A CgState in shared memory, where nothing is constructed.
union CgStateOfBlock {
  CgState state;
  __device__ CgStateOfBlock() {}
};

/// Sums over all threads of all blocks, by messages.
class BlocksSum {
 public:
  __device__ explicit BlocksSum(const Messages& messages)
      : messages_(messages), blocks_(static_cast<int>(gridDim.x)), round_(*messages.round) {}

  /// Sums N terms of every thread and lets one thread of each block call use(sums). The order of the additions depends
  /// on the number of blocks alone. To be called by all threads; afterwards all see what use() wrote, and what any
  /// thread of the device wrote before.
  template <int N, class Use>
  __device__ void operator()(const Real (&terms)[N], const Use& use) {
    static_assert(N <= persistent_sums);
    constexpr int warps = persistent_threads / warp;
    __shared__ Real of_warp[persistent_sums][warps], of_all[persistent_sums];
    const int lane = static_cast<int>(threadIdx.x) % warp, mine = static_cast<int>(threadIdx.x) / warp;
    ++round_;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const Real sum = warp_sum(terms[k]);
      if (lane == 0) of_warp[k][mine] = sum;
    }
    __syncthreads();
    if (mine < N) {  // a warp for each sum
      const Real of_block = warp_sum(lane < warps ? of_warp[mine][lane] : 0);
      Message* const place =
          messages_.place + (static_cast<std::size_t>(round_ & 1u) * persistent_sums + mine) * most_blocks_at_once;
      __threadfence();  // before this number goes what the block wrote
      if (lane == 0) send(place + blockIdx.x, of_block, round_);
      constexpr int most = (most_blocks_at_once + warp - 1) / warp;
      Real sum = 0;
      receive<most>((blocks_ - lane + warp - 1) / warp, round_, [&](int k) { return place + lane + k * warp; },
                    [&](int, Real number) { sum += number; });
      __threadfence();  // after it comes what the block reads
      sum = warp_sum(sum);
      if (lane == 0) of_all[mine] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) use(of_all);
    __syncthreads();
  }

  /// Waits for all threads of all blocks.
  __device__ void wait() {
    const Real none[1] = {0};
    (*this)(none, [](const Real*) {});
  }

  /// Remembers the round for the next launch. To be called by one thread of one block after all sums.
  __device__ void leave() const { *messages_.round = round_; }

 private:
  Messages messages_;
  int blocks_;
  std::uint32_t round_;
};

/// The numbers that all threads of a block share: the state of the solve, the scale of a polynomial in single
/// precision, and the rest of the block's shared memory.
struct OfBlock {
  const CgState& state;
  const Real& scale;
  Real* shared;
};

/// When a solve ends, and where its blocks leave messages: an argument of the kernel.
struct PersistentCall {
  CgConfig config;
  const Forcing* forcing;  ///< in backend memory; null: none
  Messages messages;
};

/// The work of a thread group in an iteration, part by part. `Rows` is JacobiRows or PolynomialRows
/// (persistent_rows.hpp).
template <Caching C, Index Batch, class Value, class Number, class Rows>
class PersistentIteration {
 public:
  __device__ PersistentIteration(const PartsViewOf<Value>& A, const PersistentShape& shape, const Rows& M,
                                 const PersistentVectors<Number>& vectors, const OfBlock& block)
      : A_(A),
        preconditioner_(M),
        vectors_(vectors),
        state_(block.state),
        scale_(block.scale),
        all_groups_(static_cast<Index>(gridDim.x) * persistent_groups),
        first_part_(static_cast<Index>(blockIdx.x + gridDim.x * QuarterBlock::group())),
        parts_(first_part_ < A.parts ? (A.parts - 1 - first_part_) / all_groups_ + 1 : 0),
        kept_parts_(shape.kept_parts),
        part_(block.shared + QuarterBlock::group() * shape.group_doubles),
        kept_q_(reinterpret_cast<Number*>(block.shared + persistent_groups * shape.group_doubles) +
                QuarterBlock::group() * shape.kept_parts * A.rows_a_part) {
    if constexpr (keeps_more) {
      const Index of_q = persistent_groups * shape.kept_parts, of_z = persistent_groups * shape.kept_z;
      Number* const first = reinterpret_cast<Number*>(block.shared + persistent_groups * shape.group_doubles);
      more_ = {shape.kept_z, shape.kept_p, first + (of_q + QuarterBlock::group() * shape.kept_z) * A.rows_a_part,
               first + (of_q + of_z + QuarterBlock::group() * shape.kept_p) * A.rows_a_part};
    }
  }

  /// x = 0; adds to the sums |r|² of r = b and, where z is known at once, r·z.
  __device__ void start(Real (&sums)[2]) const {
    const auto M = preconditioner_.ready(scale());
    for_rows([&](Index row) {
      vectors_.x[row] = 0;
      add(sums, M.start(row));
    });
    if constexpr (keeps_more)
      for (Index k = 0; k < min(parts_, more_.kept_z); ++k)
        for (Index row = QuarterBlock::thread(); row < rows(k); row += QuarterBlock::size)
          own_z(k)[row] = vectors_.r[first_row(k) + row];
  }

  /// Multiplies what start() has left by CgState::rescale; adds to the sums as start() does.
  __device__ void rescale(Real (&sums)[2]) const {
    const auto M = preconditioner_.ready(scale());
    for_rows([&](Index row) { add(sums, M.rescale(row, state_.rescale)); });
  }

  /// p = z + β p',  q = A p; adds to the sum p·q.
  __device__ void product(Real (&sums)[1]) const {
    const auto M = preconditioner_.ready(scale());
    const auto beta = static_cast<Number>(state_.beta);
    const Number* const before = state_.beta == 0 ? vectors_.r : vectors_.p.before(state_);
    Number* const p = vectors_.p.now(state_);
    for (Index k = 0; k < parts_; ++k) {
      const Index first = first_row(k);
      const GroupPart<QuarterBlock, Value, Number> mine(A_, part(k), part_);
      const auto direction = [&](Index row) { return cg_direction(M.z(row), beta, before[row]); };
      if constexpr (keeps_more) {
        const Number* const z = own_z(k);
        const Number* const own_before = state_.beta == 0 ? z : own_p(k, before + first);
        mine.fill([&](Index row) { return cg_direction(z[row - first], beta, own_before[row - first]); }, direction);
      } else {
        mine.fill(direction);
      }
      Number* const q = q_of(k);
      mine.template multiply<C, Batch>([&](Index row, Number product, Number entry) {
        p[row] = entry;
        if constexpr (keeps_more)
          if (k < more_.kept_p) more_.p[k * A_.rows_a_part + row - first] = entry;
        q[row - first] = product;
        sums[0] += Real{product} * entry;
      });
      QuarterBlock::wait();  // the part is read
    }
  }

  /// x += α p,  r −= α q; adds to the sums |r|² and, where z is known at once, r·z. Goes from the last part to the
  /// first: of what the product has read last, most is still in the L2 cache.
  __device__ void update(Real (&sums)[2]) const {
    if (state_.report.iterations % 2 == 0)
      update<false>(sums);
    else
      update<true>(sums);
  }

  /// z_0 of the polynomial for r = b.
  __device__ void first_z() const {
    const auto M = preconditioner_.ready(scale());
    for_rows([&](Index row) { M.first(row); });
  }

  /// z_k of the polynomial, 0 < k <= m, for the matrix in the precision of the polynomial; adds to the sum r·z where it
  /// is the last. Every second one goes from the last part to the first, as update().
  template <class Inside, class NumberInside>
  __device__ void next_z(const PolynomialInParts<Inside, NumberInside>& M, int k, Real (&rz)[1]) const {
    const auto step = preconditioner_.step(k, scale());
    for (Index n = 0; n < parts_; ++n) {
      const GroupPart<QuarterBlock, Inside, NumberInside> mine(M.A, part(k % 2 == 1 ? n : parts_ - 1 - n), part_);
      mine.fill([&](Index row) { return step.before[row]; });
      mine.template multiply<C, entries_at_once_persistent<Inside>>(
          [&](Index row) { return step.read(row); },
          [&](Index row, NumberInside product, NumberInside now, const auto& of) {
            rz[0] += step.write(row, of, product, now);
          });
      QuarterBlock::wait();  // the part is read
    }
  }

  /// x += α p of the last iteration where their number is odd.
  __device__ void finish() const { for_rows(CgFinishOf<Number>{vectors_.p, vectors_.x, &state_}); }

 private:
  /// By which a polynomial in single precision divides r.
  __device__ Real scale() const {
    if constexpr (Rows::needs_products)
      return scale_;
    else
      return 1;
  }

  // In single precision z and p are kept in shared memory beside q, for the rows of the part itself: halos are read
  // from the GPU's memory, where both are written, too (persistent_shape.hpp).
  static constexpr bool keeps_more = sizeof(Number) == sizeof(float);
  struct More {
    Index kept_z, kept_p;
    Number *z, *p;  ///< of the group, in shared memory
  };
  struct NoMore {};

  struct Entries {
    Number r_or_z, q;
    decltype(Rows::inverse_diagonal[0] + 0) inverse_diagonal;
    Number x, p, before;
  };

  __device__ static void add(Real (&sums)[2], const Terms<2>& terms) {
    sums[0] += terms.value[0];
    sums[1] += terms.value[1];
  }

  // The k-th part of the group, k < parts_: its number, first row, rows, and where its q is.
  __device__ Index part(Index k) const { return first_part_ + all_groups_ * k; }
  __device__ Index first_row(Index k) const { return part(k) * A_.rows_a_part; }
  __device__ Index rows(Index k) const { return min(A_.rows_a_part, A_.rows - first_row(k)); }
  __device__ Number* q_of(Index k) const {
    return k < kept_parts_ ? kept_q_ + k * A_.rows_a_part : vectors_.q + first_row(k);
  }
  /// z of the k-th part, and its p where that is kept, else what is given.
  __device__ Number* own_z(Index k) const {
    return k < more_.kept_z ? more_.z + k * A_.rows_a_part : vectors_.r + first_row(k);
  }
  __device__ const Number* own_p(Index k, const Number* else_here) const {
    return k < more_.kept_p ? more_.p + k * A_.rows_a_part : else_here;
  }
  /// use(row) for the rows of the calling thread.
  template <class Use>
  __device__ void for_rows(const Use& use) const {
    for (Index k = 0; k < parts_; ++k)
      for (Index row = QuarterBlock::thread(); row < rows(k); row += QuarterBlock::size) use(first_row(k) + row);
  }

  template <bool XToo>
  __device__ void update(Real (&sums)[2]) const {
    const auto M = preconditioner_.ready(scale());
    const auto alpha = static_cast<Number>(state_.alpha()), alpha_for_x = static_cast<Number>(state_.alpha_for_x()),
               alpha_before = static_cast<Number>(state_.alpha_before);
    const Number *const before = vectors_.p.before(state_), *const p = vectors_.p.now(state_);
    Number *const x = vectors_.x, *const r_or_z = vectors_.r;
    for (Index k = parts_ - 1; k >= 0; --k) {
      const Index first = first_row(k);
      const Number* const q = q_of(k);
      Number* own_r_or_z = r_or_z + first;
      const Number* own_now = p + first;
      if constexpr (keeps_more) own_r_or_z = own_z(k), own_now = own_p(k, own_now);
      in_batches<QuarterBlock, 4>(
          rows(k), QuarterBlock::thread(),  // no row of others: they write theirs
          [&](Index row) {
            const Index i = first + row;
            Entries of{own_r_or_z[row], q[row], preconditioner_.inverse_diagonal[i], 0, 0, 0};
            if constexpr (XToo) of.x = fetch<Caching::streamed>(x + i), of.p = own_now[row], of.before = before[i];
            return of;
          },
          [&](Index row, const Entries& of) {
            const Index i = first + row;
            if constexpr (XToo)
              store<Caching::streamed>(x + i,
                                       cg_solution(cg_solution(of.x, alpha_before, of.before), alpha_for_x, of.p));
            add(sums, M.update(i, of.r_or_z, of.inverse_diagonal, alpha, of.q));
            if constexpr (keeps_more)
              if (k < more_.kept_z) own_r_or_z[row] = M.z(i);
          });
    }
  }

  const PartsViewOf<Value>& A_;
  const Rows preconditioner_;
  const PersistentVectors<Number>& vectors_;
  const CgState& state_;
  const Real& scale_;
  Index all_groups_, first_part_, parts_, kept_parts_;  // of the group
  Real* part_;                                          // shared memory, as the next
  Number* kept_q_;
  std::conditional_t<keeps_more, More, NoMore> more_;
};

/// z of the polynomial from the z_0 that all blocks have written before an exchange. Afterwards one thread of each
/// block calls use() with the newest r·z in the state.
template <class Iteration, class Value, class Number, class Use>
__device__ void apply_polynomial(const Iteration& iteration, const PolynomialInParts<Value, Number>& M, BlocksSum& sum,
                                 CgState& state, const Use& use) {
  for (int k = 1; k <= M.vectors.degree; ++k) {
    Real rz[1] = {0};
    iteration.next_z(M, k, rz);
    sum(rz, [&](const Real* sums) {
      if (k < M.vectors.degree) return;
      state.sums[0] = sums[0];
      use();
    });
  }
}

/// x = 0, and the state that a solve begins with; one thread of each block calls follow_r() with the sums of r = b. In
/// double precision a system whose numbers are too large or too small is multiplied by a power of two before.
template <class Number, class Iteration, class Follow>
__device__ __forceinline__ void begin_solve(const Iteration& iteration, BlocksSum& sum, CgState& state,
                                            const PersistentCall& call, const Follow& follow_r) {
  Real of_b[2] = {0, 0};
  iteration.start(of_b);
  sum(of_b, [&](const Real* sums) {
    state.sums[0] = sums[0], state.sums[1] = sums[1];
    state.prepare(call.config, call.forcing == nullptr ? Forcing{} : *call.forcing, std::is_same_v<Number, Real>);
    if (!state.is_rescaling()) follow_r(sums);
  });
  if constexpr (std::is_same_v<Number, Real>)
    if (state.is_rescaling()) {
      Real of_scaled[2] = {0, 0};
      iteration.rescale(of_scaled);
      sum(of_scaled, [&](const Real* sums) {
        state.sums[0] = sums[0], state.sums[1] = sums[1];
        state.take_scale();
        follow_r(sums);
      });
    }
}

/// A whole solve. On exit *result is its state.
template <Caching C, Index Batch, class Value, class Number, class Preconditioner>
__global__ void __launch_bounds__(persistent_threads, 1)
    persistent_cg_kernel(const PartsViewOf<Value> A, const PersistentShape shape, const Preconditioner M,
                         const PersistentVectors<Number> vectors, const PersistentCall call, CgState* result) {
  extern __shared__ Real shared[];
  __shared__ CgStateOfBlock of_block;
  __shared__ Real scale;            // of a polynomial in single precision
  CgState& state = of_block.state;  // the same in every block
  QuarterBlock::set_up_waiting();
  BlocksSum sum(call.messages);
  using Rows = decltype(rows_of(M, vectors.r));
  const PersistentIteration<C, Batch, Value, Number, Rows> iteration(A, shape, rows_of(M, vectors.r), vectors,
                                                                     {state, scale, shared});
  const auto begin = [&] { state.begin_scaled(); };
  const auto follow_r = [&](const Real* sums) {
    if constexpr (Rows::needs_products)
      scale = Rows::scale_near(std::sqrt(sums[1]));
    else
      begin();
  };

  begin_solve<Number>(iteration, sum, state, call, follow_r);
  if constexpr (Rows::needs_products) {
    iteration.first_z();
    sum.wait();
    apply_polynomial(iteration, M, sum, state, begin);
  }
  while (state.go_on != 0) {
    Real pq[1] = {0};
    iteration.product(pq);
    sum(pq, [&](const Real* sums) {
      state.pq = sums[0];
      if (!state.can_step()) state.end_iteration();
      if constexpr (Rows::needs_products) scale = Rows::scale_near(state.report.residual_norm);
    });
    if (state.go_on == 0) break;
    Real of_r[2] = {0, 0};
    iteration.update(of_r);
    sum(of_r, [&](const Real* sums) {
      state.sums[1] = sums[1];
      if constexpr (!Rows::needs_products) state.sums[0] = sums[0];
      // No z is needed where the solve ends by |r|, to which r·z is nothing.
      if (!Rows::needs_products || !(std::sqrt(sums[1]) > state.stop.target)) state.end_iteration();
    });
    if constexpr (Rows::needs_products) {
      if (state.go_on == 0) break;
      apply_polynomial(iteration, M, sum, state, [&] { state.end_iteration(); });
    }
  }
  iteration.finish();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *result = state;
    sum.leave();
  }
}

}  // namespace cuda

/// Whether all blocks can be on the device at once. Throws DeviceError.
template <class Value, class Number = Real, class Preconditioner = JacobiPreconditionerOf<Number>,
          Index Batch = entries_at_once_persistent<Value>>
bool has_room_for(CudaBackend&, const PersistentShape& shape) {
  const auto room_for = [&](auto* kernel) {
    return cuda::all_blocks_at_once(reinterpret_cast<const void*>(kernel), shape.blocks, cuda::persistent_threads,
                                    shape.shared_bytes);
  };
  return room_for(cuda::persistent_cg_kernel<Caching::streamed, Batch, Value, Number, Preconditioner>) &&
         room_for(cuda::persistent_cg_kernel<Caching::cached, Batch, Value, Number, Preconditioner>);
}

/// Solves in one launch; has_room_for() has said that it can. Throws DeviceError.
template <Index Batch, class Value, class Number, class Preconditioner>
void launch_persistent(CudaBackend& backend, const PersistentSolve<Value, Number, Preconditioner>& solve,
                       const CgConfig& config, const Forcing* forcing) {
  const auto kernel = solve.caching == Caching::streamed
                          ? cuda::persistent_cg_kernel<Caching::streamed, Batch, Value, Number, Preconditioner>
                          : cuda::persistent_cg_kernel<Caching::cached, Batch, Value, Number, Preconditioner>;
  cuda::launch_at_once(backend, kernel, solve.shape.blocks, cuda::persistent_threads, solve.shape.shared_bytes, solve.A,
                       solve.shape, solve.M, solve.vectors, cuda::PersistentCall{config, forcing, solve.messages},
                       solve.state);
}

}  // namespace cardiowarp
