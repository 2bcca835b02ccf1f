#pragma once
#include <cmath>
#include <concepts>
#include <type_traits>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/caching.hpp"
#include "solver/cg/cg_state.hpp"
#include "solver/cg/cg_vectors.hpp"

namespace cardiowarp {

// Preconditioned conjugate gradients for A x = b with A and M symmetric positive definite: the recurrences and the path
// `plain` (ConjugateGradient). The other paths (solver/solver_path.hpp) use the same functions, and all of them decide
// by the numbers of cg_state.hpp. With z = M⁻¹ r, an iteration is
//   p = z + β p,   q = A p,   α = r·z / p·q,   x += α p,   r −= α q,   β = r·z / (r·z before)
//
// The ledger: what an iteration reads and writes in memory, in bytes, with the Jacobi preconditioner M = D. A number of
// a vector has 8 bytes. Each pass reads its vectors from memory and a product gathers each number once; what the caches
// save comes off. `p'` is the direction before. Sums are left out, as they are of a few numbers a block.
//
//   path, pass               reads of a row        writes    a row   a stored entry   a row of a halo
//   plain                                                     104          12
//     p = z + β p            r, 1/D, p             p            32
//     q = A p and p·q        p                     q            16          12
//     x, r, r·z and |r|²     x, p, r, q, 1/D       x, r         56
//   in_parts                                                    88          10               28
//     p, q = A p and p·q     r, 1/D, p'            p, q         40          10               28
//     r, r·z and |r|²        r, q, 1/D             r            32
//     x, every second time   x, p, p'              x         32 / 2
//   persistent                                                  64          10               20
//     p, q = A p and p·q     z, p'                 p            24          10               20
//     z, r·z and |r|²        z, 1/D                z            24
//     x, every second time   x, p, p'              x         32 / 2
//   on_chip                                                      0           0               16
//     all                    messages                            0           0               16
//
// Beside that,
//   - plain, in CSR, reads 4 bytes a row (row_begin);
//   - plain, in ELL-WARP, reads 8 bytes a slice (K2: 16), and p·q is a pass of its own over p and q, 16 a row;
//   - in_parts and persistent read 8 bytes a slice; a row of a halo is its number, 4, and what a row reads for p;
//   - persistent has z in place of r = D z, and q in shared memory; a part without room there moves 16 a row for q;
//   - on_chip has vectors in registers and the matrix in shared memory, by the pipelined recurrences of on_chip_cg.hpp.
//     It reads 10 bytes for each stored entry without room there, and sends 16 for each row that is in any halo.
//
// In mixed precision (solver/solver_precision.hpp) values have 4 bytes: a stored entry takes 4 less everywhere, 8 on
// the path `plain` and 6 on the others. Before a solve they are rounded: 12 bytes a stored entry or, where the diagonal
// alone has changed, 16 a row. In single precision a number of a vector has 4 bytes, too:
//
//   path          a row   a stored entry   a row of a halo
//   plain            52          8
//   in_parts         44          6               16
//   persistent    18 to 32       6               12
//   on_chip           0          0               16
//
// and 8 for each row and q of a part without room in shared memory. A solve brings the vectors to single precision and
// back, which moves 44 bytes a row (SingleSolver, solver/linear_solver.hpp).
//
// With block Jacobi, which the path `plain` has on a CPU, an iteration moves 128 bytes a row, 4 more for row_begin, 12
// an entry and 6 an entry of the factor: p = z + β p reads z, p and writes p, 24; q = A p 16; x and r 48; z = M⁻¹ r
// reads r and 8 of the factor and writes z, 24; r·z and |r|² read r and z, 16. A polynomial of degree m takes
// 24 + 64 m a row and 12 m or 10 m an entry in the place of that z (`persistent`: persistent_rows.hpp has a table).

// The recurrences, for the numbers of one row. Each path calls these and differs only in where its vectors are.
// `Number` is what vectors are made of, here and below: Real or, in single precision, float. α and β are computed in
// double precision, as are all sums over rows, and rounded to a Number where they meet a vector.

/// p = z + β p
template <class Number>
CARDIOWARP_HD Number cg_direction(Number z, std::type_identity_t<Number> beta, std::type_identity_t<Number> before) {
  return z + beta * before;
}
/// x += α p
template <class Number>
CARDIOWARP_HD Number cg_solution(Number x, std::type_identity_t<Number> alpha, std::type_identity_t<Number> p) {
  return x + alpha * p;
}
/// r −= α q
template <class Number>
CARDIOWARP_HD Number cg_residual(Number r, std::type_identity_t<Number> alpha, std::type_identity_t<Number> q) {
  return r - alpha * q;
}

/// The terms of r·z and |r|² of a row.
template <class Number>
CARDIOWARP_HD Terms<2> cg_terms(Number r, Number z) {
  return {{Real{r} * z, Real{r} * r}};
}

/// The Jacobi preconditioner M = D, the diagonal of A: z = D⁻¹ r, row by row. Reads a number a row.
template <class Number>
struct JacobiPreconditionerOf {
  const Number* inverse_diagonal;  ///< [n]
  CARDIOWARP_HD Number operator()(Index row, Number r) const { return inverse_diagonal[row] * r; }
};
using JacobiPreconditioner = JacobiPreconditionerOf<Real>;

/// A preconditioner that needs the whole of r for an entry of z = M⁻¹ r: prepare(r) computes z, M(i, r_i) is then z_i.
template <class M>
concept PreparedPreconditioner = requires(const M& preconditioner, const Real* r) {
  preconditioner.prepare(r);
};

/// A preconditioner that computes z = M⁻¹ r for all rows at once, into a vector of its own.
class PreparesZ {
 public:
  virtual void apply(const Real* r) const = 0;

 protected:
  ~PreparesZ() = default;
};

/// A PreparedPreconditioner whose z is computed by `owner`: z_i is read from its vector or, in single precision, is
/// that times *scale. All preconditioners but Jacobi are of this type, so that the loops of conjugate gradients are
/// compiled once for all of them.
template <class Number>
struct PreparedZ {
  const PreparesZ* owner;
  const Number* z;    ///< [n]
  const Real* scale;  ///< read in single precision alone
  void prepare(const Real* r) const { owner->apply(r); }
  CARDIOWARP_HD Real operator()(Index row, Real) const {
    if constexpr (sizeof(Number) < sizeof(Real))
      return z[row] * *scale;
    else
      return z[row];
  }
};

/// Where the direction p of this iteration is, and the one before. A product that makes a direction while it reads the
/// direction before needs two places, which take turns; else both are one place.
template <class Number>
struct CgDirectionsOf {
  Number *even, *odd;  ///< [n] each
  CARDIOWARP_HD bool are_two() const { return even != odd; }
  CARDIOWARP_HD Number* now(const CgState& state) const { return state.report.iterations % 2 == 0 ? even : odd; }
  CARDIOWARP_HD const Number* before(const CgState& state) const {
    return state.report.iterations % 2 == 0 ? odd : even;
  }
};
using CgDirections = CgDirectionsOf<Real>;

/// x = 0; r·z, |r|²
template <class Preconditioner, class Number = Real>
struct CgStart {
  Preconditioner M;
  const Number* r;
  Number* x;
  CARDIOWARP_HD Terms<2> operator()(Index i) const {
    x[i] = 0;
    return cg_terms(r[i], M(i, r[i]));
  }
};

/// p = M⁻¹ r + β p
template <class Preconditioner, class Number = Real>
struct CgDirection {
  Preconditioner M;
  const Number* r;
  CgDirectionsOf<Number> p;
  const CgState* state;

  struct Ready {
    Preconditioner M;
    const Number *r, *before;
    Number* p;
    Number beta;
    CARDIOWARP_HD Number entry(Index i) const { return cg_direction(M(i, r[i]), beta, before[i]); }
    CARDIOWARP_HD void operator()(Index i) const { p[i] = entry(i); }
  };
  /// In the first iteration, where there is no direction before, r is read in its place and multiplied by β = 0.
  CARDIOWARP_HD Ready ready() const {
    return {M, r, state->beta == 0 ? r : p.before(*state), p.now(*state), static_cast<Number>(state->beta)};
  }
};

/// x += α p,  r −= α q. Where directions have two places, x gets two of them in every second iteration, and after an
/// odd number of iterations the last one from CgFinish. x and q are streamed (kernels/backend/caching.hpp): they are
/// read again only after everything else. A row is read whole before any of it is written, since a fetch after a store,
/// whose place might be the same, would wait for it. An iteration that rescales multiplies r, and does nothing else.
template <class Number>
struct CgUpdateOf {
  CgDirectionsOf<Number> p;
  const Number* q;
  Number *x, *r;
  const CgState* state;

  struct Ready {
    int directions;  ///< how many x gets
    const Number *before, *p, *q;
    Number *x, *r;
    Number alpha_before, alpha_for_x, alpha;  ///< the first two for x, the last for r
    Number rescale;

    struct Entries {
      Number x = 0, before = 0, p = 0, r = 0, q = 0;
    };
    CARDIOWARP_HD Entries read(Index i) const {
      Entries of;
      if (directions > 0) of.x = fetch<Caching::streamed>(x + i), of.p = p[i];
      if (directions == 2) of.before = before[i];
      of.r = r[i], of.q = fetch<Caching::streamed>(q + i);
      return of;
    }
    /// r after the update
    CARDIOWARP_HD Number residual(const Entries& of) const {
      return rescale == 1 ? cg_residual(of.r, alpha, of.q) : rescale * of.r;
    }
    CARDIOWARP_HD void write(Index i, const Entries& of, Number residual) const {
      const Number with_before = directions == 2 ? cg_solution(of.x, alpha_before, of.before) : of.x;
      if (directions > 0) store<Caching::streamed>(x + i, cg_solution(with_before, alpha_for_x, of.p));
      r[i] = residual;
    }
    CARDIOWARP_HD void operator()(Index i) const {
      const Entries of = read(i);
      write(i, of, residual(of));
    }
  };
  CARDIOWARP_HD Ready ready() const {
    const bool steps = !state->is_rescaling() && state->can_step();
    const int directions = !steps ? 0 : !p.are_two() ? 1 : state->report.iterations % 2 == 0 ? 0 : 2;
    return {directions,
            p.before(*state),
            p.now(*state),
            q,
            x,
            r,
            static_cast<Number>(state->alpha_before),
            static_cast<Number>(steps ? state->alpha_for_x() : 0),
            static_cast<Number>(steps ? state->alpha() : 0),
            static_cast<Number>(state->rescale)};
  }
};
using CgUpdate = CgUpdateOf<Real>;

/// x += α p of the last iteration where their number is odd and directions have two places.
template <class Number>
struct CgFinishOf {
  CgDirectionsOf<Number> p;
  Number* x;
  const CgState* state;
  CARDIOWARP_HD void operator()(Index i) const {
    if (state->report.iterations % 2 == 1)
      x[i] = cg_solution(x[i], static_cast<Number>(state->alpha_before), p.before(*state)[i]);
  }
};
using CgFinish = CgFinishOf<Real>;

/// r·z and |r|², after CgUpdate in the same pass unless M has to be prepared with the whole of r in between
template <class Preconditioner, class Number = Real>
struct CgUpdateSums {
  Preconditioner M;
  CgUpdateOf<Number> update;

  struct Ready {
    Preconditioner M;
    typename CgUpdateOf<Number>::Ready update;
    CARDIOWARP_HD Terms<2> operator()(Index i) const {
      if constexpr (PreparedPreconditioner<Preconditioner>) {
        const Number r = update.r[i];
        return cg_terms(r, M(i, r));
      } else {
        const auto of = update.read(i);
        const Number r = update.residual(of);
        const Terms<2> terms = cg_terms(r, M(i, r));
        update.write(i, of, r);
        return terms;
      }
    }
  };
  CARDIOWARP_HD Ready ready() const { return {M, update.ready()}; }
  CARDIOWARP_HD bool idle() const { return update.state->go_on == 0; }
};

/// A matrix that makes the direction p, q = A p and state->pq = p·q in one pass. Once state->go_on is 0 it may do
/// nothing.
template <class Matrix, class B, class Preconditioner, class Number = Real>
concept MakesDirection = requires(const Matrix& A, B& backend, const CgDirection<Preconditioner, Number>& direction,
                                  Number* q, CgState* state) {
  A.direction_product(backend, direction, q, state);
};

/// Conjugate gradients by loops, for one system A x = b in backend memory that may be solved again and again with other
/// numbers in the same place. A.multiply_dot(backend, p, q, pq) is q = A p and *pq = p·q; M works row by row or is
/// prepared. An iteration is three launches where A fuses the dot into the product and two where A makes the direction,
/// too, as PartsMatrix does (path `in_parts`). The ledger above says what they move.
template <Backend B, class Matrix, class Preconditioner, class Number = Real>
class ConjugateGradient {
 public:
  /// `A` lives as long as this.
  ConjugateGradient(B& backend, const Matrix& A, const Preconditioner& M, const CgVectors<Number>& vectors)
      : n_(vectors.rows),
        matrix_(A),
        preconditioner_(M),
        r_(vectors.r),
        x_(vectors.x),
        state_(vectors.state),
        p_(backend.template allocate<Number>(n_)),
        q_(backend.template allocate<Number>(n_)) {
    if constexpr (makes_direction) other_p_ = backend.template allocate<Number>(n_);
  }

  /// Solves from x = 0 to the larger of the two tolerances, config's and that of the forcing term in backend memory,
  /// where there is one. Nothing waits.
  void solve(B& backend, const CgConfig& config, const Forcing* forcing = nullptr) {
    const CgDirectionsOf<Number> p{p_.data(), makes_direction ? other_p_.data() : p_.data()};
    const CgUpdateOf<Number> update{p, q_.data(), x_, r_, state_};
    const Preconditioner& M = preconditioner_;
    constexpr bool prepared = PreparedPreconditioner<Preconditioner>;

    // x = 0, z = M⁻¹ r
    if constexpr (prepared) M.prepare(r_);
    backend.template sum<2>(n_, state_->sums, CgStart<Preconditioner, Number>{M, r_, x_},
                            CgBegin{state_, config, forcing, std::same_as<Number, Real>});
    const auto iterate = [&] {
      // p = z + β p,  q = A p,  α = r·z / p·q
      multiply(backend, {M, r_, p, state_});
      // x += α p,  r −= α q,  z = M⁻¹ r
      if constexpr (prepared) {
        backend.for_each(n_, update);
        M.prepare(r_);
      }
      backend.template sum<2>(n_, state_->sums, CgUpdateSums<Preconditioner, Number>{M, update},
                              CgEndIteration{state_});
    };
    constexpr int calls = makes_direction && !prepared ? 4 : 1;  // the others would go on writing to x and r
    backend.repeat_while(repetition_, &state_->go_on, iterate, calls);
    if constexpr (makes_direction) backend.for_each(n_, CgFinishOf<Number>{p, x_, state_});
  }

  const typename B::Repetition& repetition() const { return repetition_; }

 private:
  static constexpr bool makes_direction = MakesDirection<Matrix, B, Preconditioner, Number>;

  void multiply(B& backend, const CgDirection<Preconditioner, Number>& direction) {
    if constexpr (makes_direction) {
      matrix_.direction_product(backend, direction, q_.data(), state_);
    } else {
      backend.for_each(n_, direction);
      matrix_.multiply_dot(backend, p_.data(), q_.data(), &state_->pq);
    }
  }

  Index n_;
  const Matrix& matrix_;
  Preconditioner preconditioner_;
  Number *r_, *x_;
  CgState* state_;
  Buffer<Number> p_, other_p_, q_;
  typename B::Repetition repetition_;
};

/// Solves one system once; vectors.state is not asked for.
template <Backend B, class Matrix, class Preconditioner>
CgReport conjugate_gradient(B& backend, const Matrix& A, const Preconditioner& M, CgVectors<Real> vectors,
                            const CgConfig& config, const Forcing* forcing = nullptr) {
  const Buffer<CgState> state = backend.template allocate<CgState>(1);
  vectors.state = state.data();
  ConjugateGradient<B, Matrix, Preconditioner> solver(backend, A, M, vectors);
  solver.solve(backend, config, forcing);
  return backend.read(state.data()).report;
}

}  // namespace cardiowarp
