#pragma once
#include <cmath>
#include <concepts>

#include "kernels/backend/backend.hpp"
#include "kernels/backend/loads.hpp"

namespace cardiowarp {

/// How accurately one system of a Newton iteration needs to be solved: |r| <= η |b| with the forcing term η of
/// Eisenstat and Walker (1996, SIAM J. Sci. Comput. 17, choice 2), no better than the linearisation it belongs to and,
/// as the last iteration would else get more than the answer can show, not below `enough` (Kelley 1995, sec. 6.3):
///   η = min(largest, max(γ (|b| / |b before|)², enough / |b|))
/// Their safeguard against η falling too fast acts where γ η² > 0.1, which `largest` excludes.
struct Forcing {
  Real largest = 0;        ///< and of the first iteration; 0: no forcing
  Real previous_norm = 0;  ///< |b| of the iteration before; 0: none before
  Real enough = 0;         ///< |r| that is small enough

  CARDIOWARP_HD Real operator()(Real norm) const {
    constexpr Real gamma = 0.9;
    if (previous_norm <= 0) return largest;
    const Real ratio = norm / previous_norm;
    return std::fmin(largest, std::fmax(gamma * ratio * ratio, enough / norm));
  }
};

struct CgConfig {
  Real relative_tolerance;  ///< stop when |r| <= relative_tolerance |b|
  int max_iterations;
};

enum class CgStatus { converged, iteration_limit, not_positive_definite, not_finite };

struct CgReport {
  CgStatus status = CgStatus::converged;
  int iterations = 0;
  Real rhs_norm = 0;       ///< |b|
  Real residual_norm = 0;  ///< |r| at the end, from the recurrence; on the chip, where it converged, |b − A x|

  /// x is one, accurate or not.
  CARDIOWARP_HD bool has_solution() const {
    return status == CgStatus::converged || status == CgStatus::iteration_limit;
  }
};

/// |r| at which a solve of a system with right-hand side b ends: by the larger of the two tolerances.
CARDIOWARP_HD inline Real cg_target(Real rhs_norm, const CgConfig& config, const Forcing& forcing) {
  return std::fmax(config.relative_tolerance, forcing(rhs_norm)) * rhs_norm;
}

/// The decision when a solve ends, the same on every path through it.
struct CgStop {
  Real target = 0;  ///< |r| that is small enough
  int max_iterations = 0;

  /// Puts |r| into the report, and into its status why the solve ends. Whether another iteration is to follow.
  CARDIOWARP_HD bool goes_on(CgReport& report, Real residual_norm) const {
    report.residual_norm = residual_norm;
    if (!std::isfinite(residual_norm))
      report.status = CgStatus::not_finite;
    else if (residual_norm <= target)
      report.status = CgStatus::converged;
    else if (report.iterations == max_iterations)
      report.status = CgStatus::iteration_limit;
    else
      return true;
    return false;
  }
  /// Whether the matrix is positive definite along the direction p, from p·A p. Where it is not, no step is taken.
  CARDIOWARP_HD static bool can_step(Real pq) { return !(pq <= 0); }
};

// The recurrences, entry by entry. Each path through a solve calls these and differs only in where its vectors are.

/// p = z + β p
CARDIOWARP_HD inline Real cg_direction(Real z, Real beta, Real before) { return z + beta * before; }
/// x += α p
CARDIOWARP_HD inline Real cg_solution(Real x, Real alpha, Real p) { return x + alpha * p; }
/// r −= α q
CARDIOWARP_HD inline Real cg_residual(Real r, Real alpha, Real q) { return r - alpha * q; }

/// Jacobi preconditioner: z = D⁻¹ r, entry by entry.
struct JacobiPreconditioner {
  const Real* inverse_diagonal;  ///< [n]
  CARDIOWARP_HD Real operator()(Index row, Real r) const { return inverse_diagonal[row] * r; }
};

/// A preconditioner that needs the whole of r for an entry of z = M⁻¹ r: prepare(r) computes z, M(i, r_i) is then z_i.
template <class M>
concept PreparedPreconditioner = requires(const M& preconditioner, const Real* r) {
  preconditioner.prepare(r);
};

/// What a solve decides from iteration to iteration, in backend memory beside its vectors.
struct CgState {
  CgReport report;
  CgStop stop;
  Real sums[2];       ///< r·z and |r|² of the newest r
  Real pq;            ///< p·A p
  Real rz;            ///< r·z of the r that the direction is made of
  Real beta;          ///< rz / that of the iteration before; 0 in the first
  Real alpha_before;  ///< of the iteration before
  int go_on;

  CARDIOWARP_HD bool can_step() const { return CgStop::can_step(pq); }
  CARDIOWARP_HD Real alpha() const { return rz / pq; }

  /// `sums` are of r = b.
  CARDIOWARP_HD void begin(const CgConfig& given, const Forcing& forcing) {
    report = {};
    report.rhs_norm = std::sqrt(sums[1]);
    stop = {cg_target(report.rhs_norm, given, forcing), given.max_iterations};
    beta = 0;
    rz = sums[0];
    go_on = stop.goes_on(report, report.rhs_norm) ? 1 : 0;
  }

  /// `sums` are of the r after this iteration; where it could not step, x and r are those before it.
  CARDIOWARP_HD void end_iteration() {
    if (!can_step()) {
      report.status = CgStatus::not_positive_definite;
      go_on = 0;
      return;
    }
    ++report.iterations;
    alpha_before = alpha();
    beta = sums[0] / rz;
    rz = sums[0];
    go_on = stop.goes_on(report, std::sqrt(sums[1])) ? 1 : 0;
  }
};

/// The direction of this iteration and the one before. A product that makes the direction while it reads the last one
/// needs two places, which take turns; else both are one.
struct CgDirections {
  Real *even, *odd;  ///< [n] each
  CARDIOWARP_HD bool are_two() const { return even != odd; }
  CARDIOWARP_HD Real* now(const CgState& state) const { return state.report.iterations % 2 == 0 ? even : odd; }
  CARDIOWARP_HD const Real* before(const CgState& state) const { return state.report.iterations % 2 == 0 ? odd : even; }
};

/// x = 0; r·z, |r|²
template <class Preconditioner>
struct CgStart {
  Preconditioner M;
  const Real* r;
  Real* x;
  CARDIOWARP_HD Terms<2> operator()(Index i) const {
    x[i] = 0;
    return {{r[i] * M(i, r[i]), r[i] * r[i]}};
  }
};

/// p = M⁻¹ r + β p
template <class Preconditioner>
struct CgDirection {
  Preconditioner M;
  const Real* r;
  CgDirections p;
  const CgState* state;

  struct Ready {
    Preconditioner M;
    const Real *r, *before;
    Real* p;
    Real beta;
    CARDIOWARP_HD Real entry(Index i) const { return cg_direction(M(i, r[i]), beta, before[i]); }
    CARDIOWARP_HD void operator()(Index i) const { p[i] = entry(i); }
  };
  /// In the first iteration r stands for the direction before, of which there is none.
  CARDIOWARP_HD Ready ready() const {
    return {M, r, state->beta == 0 ? r : p.before(*state), p.now(*state), state->beta};
  }
};

/// x += α p,  r −= α q. Where two directions are there x gets both of them every second time, the last of an odd number
/// from CgFinish. x and q are not read again before everything else is. All is read before anything is computed or
/// written: a load after a store, whose place might be the same, would wait for what is stored.
struct CgUpdate {
  CgDirections p;
  const Real* q;
  Real *x, *r;
  const CgState* state;

  struct Ready {
    int directions;  ///< that x gets
    const Real *before, *p, *q;
    Real *x, *r;
    Real alpha_before, alpha;

    struct Entries {
      Real x = 0, before = 0, p = 0, r = 0, q = 0;
    };
    CARDIOWARP_HD Entries read(Index i) const {
      Entries of;
      if (directions > 0) of.x = load<Loads::passing>(x + i), of.p = p[i];
      if (directions == 2) of.before = before[i];
      of.r = r[i], of.q = load<Loads::passing>(q + i);
      return of;
    }
    /// r after the update
    CARDIOWARP_HD Real residual(const Entries& of) const { return cg_residual(of.r, alpha, of.q); }
    CARDIOWARP_HD void write(Index i, const Entries& of, Real residual) const {
      const Real with_before = directions == 2 ? cg_solution(of.x, alpha_before, of.before) : of.x;
      if (directions > 0) store<Loads::passing>(x + i, cg_solution(with_before, alpha, of.p));
      r[i] = residual;
    }
    CARDIOWARP_HD void operator()(Index i) const {
      const Entries of = read(i);
      write(i, of, residual(of));
    }
  };
  CARDIOWARP_HD Ready ready() const {
    const bool steps = state->can_step();
    const int directions = !steps ? 0 : !p.are_two() ? 1 : state->report.iterations % 2 == 0 ? 0 : 2;
    return {directions, p.before(*state), p.now(*state), q, x, r, state->alpha_before, steps ? state->alpha() : 0};
  }
};

/// x += α p of the last of an odd number of iterations, where there are two directions.
struct CgFinish {
  CgDirections p;
  Real* x;
  const CgState* state;
  CARDIOWARP_HD void operator()(Index i) const {
    if (state->report.iterations % 2 == 1) x[i] = cg_solution(x[i], state->alpha_before, p.before(*state)[i]);
  }
};

/// CgUpdate first, where M needs no more of r than the entry itself; then r·z, |r|²
template <class Preconditioner>
struct CgUpdateSums {
  Preconditioner M;
  CgUpdate update;

  struct Ready {
    Preconditioner M;
    CgUpdate::Ready update;
    CARDIOWARP_HD Terms<2> operator()(Index i) const {
      if constexpr (PreparedPreconditioner<Preconditioner>) {
        const Real r = update.r[i];
        return {{r * M(i, r), r * r}};
      } else {
        const auto of = update.read(i);
        const Real r = update.residual(of);
        const Terms<2> terms{{r * M(i, r), r * r}};
        update.write(i, of, r);
        return terms;
      }
    }
  };
  CARDIOWARP_HD Ready ready() const { return {M, update.ready()}; }
  CARDIOWARP_HD bool idle() const { return update.state->go_on == 0; }
};

struct CgBegin {
  CgState* state;
  CgConfig config;
  const Forcing* forcing;
  CARDIOWARP_HD void operator()() const { state->begin(config, forcing == nullptr ? Forcing{} : *forcing); }
};

struct CgEndIteration {
  CgState* state;
  CARDIOWARP_HD void operator()() const { state->end_iteration(); }
};

/// A matrix that makes the direction, q = A p and state->pq = p·q in one pass. Once state->go_on is 0 it need not.
template <class Matrix, class B, class Preconditioner>
concept MakesDirection = requires(const Matrix& A, B& backend, const CgDirection<Preconditioner>& direction, Real* q,
                                  CgState* state) {
  A.direction_product(backend, direction, q, state);
};

/// Preconditioned conjugate gradients for one system A x = b in backend memory, which may be solved again and again; A
/// and M symmetric positive definite, M entry by entry or prepared. A.multiply_dot(backend, p, q, pq) is q = A p and
/// *pq = p·q. Where it fuses the dot into the product an iteration has three passes: beside A, 7 vector reads, 4 writes
/// and one gather of p; M (z where it is prepared, in four passes beside M's own) is read twice. Where A makes the
/// direction, too, it has two, 5 1/2 vector reads and 3 1/2 writes.
template <Backend B, class Matrix, class Preconditioner>
class ConjugateGradient {
 public:
  /// `r` is b before a solve and lost after it, `x` the solution, [n] each; the report will be in `state`. All stay
  /// where they are for as long as this lives, A too.
  ConjugateGradient(B& backend, Index n, const Matrix& A, const Preconditioner& M, Real* r, Real* x, CgState* state)
      : n_(n),
        matrix_(A),
        preconditioner_(M),
        r_(r),
        x_(x),
        state_(state),
        p_(backend.template allocate<Real>(n)),
        q_(backend.template allocate<Real>(n)) {
    if constexpr (makes_direction) other_p_ = backend.template allocate<Real>(n);
  }

  /// Solves from x = 0 to the larger of the two tolerances, config's and that of the forcing term in backend memory,
  /// where there is one. Nothing waits.
  void solve(B& backend, const CgConfig& config, const Forcing* forcing = nullptr) {
    const CgDirections p{p_.data(), makes_direction ? other_p_.data() : p_.data()};
    const CgUpdate update{p, q_.data(), x_, r_, state_};
    const Preconditioner& M = preconditioner_;
    constexpr bool prepared = PreparedPreconditioner<Preconditioner>;

    // x = 0, z = M⁻¹ r
    if constexpr (prepared) M.prepare(r_);
    backend.template sum<2>(n_, state_->sums, CgStart<Preconditioner>{M, r_, x_}, CgBegin{state_, config, forcing});
    const auto iterate = [&] {
      // p = z + β p,  q = A p,  α = r·z / p·q
      multiply(backend, {M, r_, p, state_});
      // x += α p,  r −= α q,  z = M⁻¹ r
      if constexpr (prepared) {
        backend.for_each(n_, update);
        M.prepare(r_);
      }
      backend.template sum<2>(n_, state_->sums, CgUpdateSums<Preconditioner>{M, update}, CgEndIteration{state_});
    };
    constexpr int rounds = makes_direction && !prepared ? 4 : 1;  // once go_on is 0 the others write to x and r
    backend.repeat_while(loop_, &state_->go_on, iterate, rounds);
    if constexpr (makes_direction) backend.for_each(n_, CgFinish{p, x_, state_});
  }

  const typename B::Loop& loop() const { return loop_; }

 private:
  static constexpr bool makes_direction = MakesDirection<Matrix, B, Preconditioner>;

  void multiply(B& backend, const CgDirection<Preconditioner>& direction) {
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
  Real *r_, *x_;
  CgState* state_;
  Buffer<Real> p_, other_p_, q_;
  typename B::Loop loop_;
};

/// One solve of one system whose b is `r`.
template <Backend B, class Matrix, class Preconditioner>
CgReport conjugate_gradient(B& backend, Index n, const Matrix& A, const Preconditioner& M, Real* r, Real* x,
                            const CgConfig& config, const Forcing* forcing = nullptr) {
  const Buffer<CgState> state = backend.template allocate<CgState>(1);
  ConjugateGradient<B, Matrix, Preconditioner> solver(backend, n, A, M, r, x, state.data());
  solver.solve(backend, config, forcing);
  return backend.read(state.data()).report;
}

}  // namespace cardiowarp
