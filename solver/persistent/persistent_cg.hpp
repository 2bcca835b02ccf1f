#pragma once
#include <concepts>
#include <cstdint>
#include <stdexcept>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/caching.hpp"
#include "kernels/backend/sizing_backend.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/parts/messages.hpp"
#include "solver/parts/parts_product.hpp"
#include "solver/persistent/persistent_shape.hpp"

namespace cardiowarp {

// The path `persistent`: conjugate gradients with Jacobi or a polynomial in one launch, for a matrix in parts
// (solver/parts/matrix_parts.hpp) that is too large for the path `on_chip`. A block stays on each multiprocessor from
// the first iteration to the last. In each iteration it reads its parts of the matrix from memory and keeps q = A p in
// shared memory as far as there is room; blocks exchange sums by messages and do not end for it. persistent_shape.hpp
// draws the shared memory, the table in solver/cg/conjugate_gradient.hpp counts the bytes of an iteration, and
// persistent_cg.cuh has the kernel. choose_solver() (app/simulation/choose_solver.hpp) takes the path on a GPU where
// expected_in_parts() and either not expected_on_chip() or the windows for the chip have more than 2048 rows. Beside
// the matrix, the right-hand side and the solution it takes three vectors in memory: p in two places, and q.

/// Where the blocks of a solve leave messages for each other (solver/parts/messages.hpp), in backend memory.
struct Messages {
  Message* place;        ///< [persistent_messages]
  std::uint32_t* round;  ///< the last one of the solve before
};

/// The vectors of a solve, [rows] each in backend memory. r is b before the solve and of no use after it.
template <class Number>
struct PersistentVectors {
  Number *r, *x;
  CgDirectionsOf<Number> p;
  Number* q;
};

/// A thread fetches so many stored entries of a row before it multiplies the first of them, so that their latencies
/// overlap. Values in single precision have twice as many, so that as many bytes are under way: on an H200 that takes 5
/// to 7 % off an iteration with 0.4 and 1.6 million rows.
template <class Value>
inline constexpr Index entries_at_once_persistent = sizeof(Value) == sizeof(float) ? 16 : 8;

/// The arguments of a solve in one launch: the numbers of the system and where its blocks leave messages.
template <class Value, class Number, class Preconditioner>
struct PersistentSolve {
  const PersistentShape& shape;
  const PartsViewOf<Value>& A;
  Caching caching;  ///< how the blocks read the matrix
  const Preconditioner& M;
  PersistentVectors<Number> vectors;
  Messages messages;
  CgState* state;
};

/// Whether a backend can run a solve of this shape on its device, for a matrix with these values and vectors of these
/// numbers, whose threads fetch Batch stored entries of a row together. The general
/// implementation says that none can; a GPU has its own of this and of launch_persistent() (persistent_cg.cuh). A
/// SizingBackend takes the plan's word, so that memory is counted.
template <class Value, class Number = Real, class Preconditioner = JacobiPreconditionerOf<Number>,
          Index Batch = entries_at_once_persistent<Value>, Backend B>
bool has_room_for(B&, const PersistentShape&) {
  static_assert(RunsGeneralCode<B>, "include solver/persistent/persistent_cg.cuh");
  return std::same_as<B, SizingBackend>;
}
template <Index Batch, Backend B, class Value, class Number, class Preconditioner>
void launch_persistent(B&, const PersistentSolve<Value, Number, Preconditioner>&, const CgConfig&, const Forcing*) {
  static_assert(RunsGeneralCode<B>, "include solver/persistent/persistent_cg.cuh");
  throw std::logic_error("a solve in one launch needs a GPU");
}

/// Solves systems with one matrix on the path `persistent`, again and again with other numbers in the same place. The
/// preconditioner is Jacobi or a PolynomialInParts (persistent_rows.hpp).
template <Backend B, class Value = Real, class Number = Real, class Preconditioner = JacobiPreconditionerOf<Number>,
          Index Batch = entries_at_once_persistent<Value>>
class PersistentCg {
 public:
  /// `A` lives as long as this.
  PersistentCg(B& backend, const PartsMatrix<B, Value>& A, const PersistentShape& shape, const Preconditioner& M,
               const CgVectors<Number>& vectors)
      : shape_(shape),
        matrix_(A),
        preconditioner_(M),
        vectors_(vectors),
        message_(backend.template allocate<Message>(persistent_messages)),
        round_(backend.template allocate<std::uint32_t>(1)) {
    for (Buffer<Number>* vector : {&p_, &other_p_, &q_})
      *vector = backend.template allocate<Number>(static_cast<std::size_t>(A.view().rows));
  }

  /// Solves from x = 0 to the larger of the two tolerances, config's and that of the forcing term in backend memory,
  /// where there is one. One launch; nothing waits.
  void solve(B& backend, const CgConfig& config, const Forcing* forcing = nullptr) const {
    launch_persistent<Batch>(backend,
                             PersistentSolve<Value, Number, Preconditioner>{
                                 shape_,
                                 matrix_.view(),
                                 matrix_.caching(),
                                 preconditioner_,
                                 {vectors_.r, vectors_.x, {p_.data(), other_p_.data()}, q_.data()},
                                 {message_.data(), round_.data()},
                                 vectors_.state},
                             config, forcing);
  }

 private:
  PersistentShape shape_;
  const PartsMatrix<B, Value>& matrix_;
  Preconditioner preconditioner_;
  CgVectors<Number> vectors_;
  Buffer<Message> message_;
  Buffer<std::uint32_t> round_;
  Buffer<Number> p_, other_p_, q_;
};

}  // namespace cardiowarp
