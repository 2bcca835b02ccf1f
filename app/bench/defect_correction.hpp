#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/backend/backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/rounded_values.hpp"

namespace cardiowarp {

// Defect correction in mixed precision (Zhang and Zhang 2013, Algorithm 5), for A x = b with A symmetric and positive
// definite, on any backend:
//   d = b − A x in double precision,   A c = d solved in single precision,   x += c,   until |d| is small enough.
// The inner solver is conjugate gradients with Jacobi whose matrix, vectors and recurrences are in single precision and
// whose sums are in double; it gets d / |d|, so that nothing underflows, and ends at a hundredth of it. Both loops are
// repeated by the backend itself. `bench solver` measures this beside the solvers of a run, in which Newton's method is
// the outer loop. It takes 4 bytes a stored entry and 20 a row in single precision and 16 a row in double.

/// The state of a defect correction, in backend memory.
struct DefectState {
  CgReport report;  ///< `iterations` are those of all inner solves together
  int outer;        ///< corrections so far
  Real norm;        ///< |d|
  Real square;      ///< |d|², as it was summed
  Real target;
  int max_iterations;
  int go_on;

  static constexpr int most_outer = 50;
  static constexpr Real inner_tolerance = 1e-2;

  CARDIOWARP_HD void begin(const CgConfig& config) {
    report = {};
    outer = 0;
    norm = report.rhs_norm = report.residual_norm = std::sqrt(square);
    target = config.relative_tolerance * norm;
    max_iterations = config.max_iterations;
    if (!std::isfinite(norm)) report.status = CgStatus::not_finite;
    go_on = std::isfinite(norm) && norm > target ? 1 : 0;
  }
  CARDIOWARP_HD CgConfig of_inner() const { return {inner_tolerance, max_iterations - report.iterations}; }

  /// Called after each correction with the new |d|². The loop also ends where a correction has not halved the defect.
  CARDIOWARP_HD void end_correction(const CgReport& inner) {
    const Real before = norm;
    ++outer;
    report.iterations += inner.iterations;
    norm = report.residual_norm = std::sqrt(square);
    go_on = 0;
    if (!inner.has_solution())
      report.status = inner.status;
    else if (!std::isfinite(norm))
      report.status = CgStatus::not_finite;
    else if (norm <= target)
      report.status = CgStatus::converged;
    else if (report.iterations >= max_iterations || outer == most_outer || !(norm <= before / 2))
      report.status = CgStatus::iteration_limit;
    else
      go_on = 1;
  }
};

/// x = 0, d = b; |d|²
struct DefectStart {
  const Real* b;
  Real *x, *d;
  CARDIOWARP_HD Terms<1> operator()(Index i) const {
    x[i] = 0;
    d[i] = b[i];
    return {{b[i] * b[i]}};
  }
};

struct DefectBegin {
  DefectState* state;
  CgConfig config;
  CARDIOWARP_HD void operator()() const { state->begin(config); }
};

/// r = d / |d|, c = 0; r·z, |r|²
struct InnerStart {
  const Real *inverse_diagonal, *d;
  const DefectState* state;
  float *inverse, *r, *c;
  CARDIOWARP_HD Terms<2> operator()(Index i) const {
    const auto entry = static_cast<float>(d[i] / state->norm), factor = static_cast<float>(inverse_diagonal[i]);
    inverse[i] = factor;
    r[i] = entry;
    c[i] = 0;
    return cg_terms(entry, factor * entry);
  }
};

struct InnerBegin {
  CgState* inner;
  const DefectState* state;
  CARDIOWARP_HD void operator()() const { inner->begin(state->of_inner(), {}, false); }
};

/// x += |d| c
struct Correct {
  const float* c;
  const DefectState* state;
  Real* x;
  CARDIOWARP_HD void operator()(Index i) const { x[i] += state->norm * c[i]; }
};

/// d = b − A x; |d|²
struct Defect {
  const Real *b, *product;
  Real* d;
  CARDIOWARP_HD Terms<1> operator()(Index i) const {
    const Real entry = b[i] - product[i];
    d[i] = entry;
    return {{entry * entry}};
  }
};

struct EndCorrection {
  DefectState* state;
  const CgState* inner;
  CARDIOWARP_HD void operator()() const { state->end_correction(inner->report); }
};

/// `Matrix` has multiply(backend, x, y), y = A x, with values in double precision, and with(values) multiplies with
/// others as ConjugateGradient asks.
template <Backend B, class Matrix>
class DefectCorrection {
 public:
  /// `value` [slots] are the values of A, `inverse_diagonal` [rows] is 1 / A_ii. A and both have to outlive this.
  DefectCorrection(B& backend, Index rows, std::int64_t slots, const Matrix& A, const Real* value,
                   const Real* inverse_diagonal)
      : rows_(rows),
        rounded_(backend, rows, slots, value, nullptr),
        matrix_(A),
        single_(A.with(rounded_.data())),
        inverse_diagonal_(inverse_diagonal),
        state_(backend.template allocate<DefectState>(1)),
        inner_(backend.template allocate<CgState>(1)) {
    const auto n = static_cast<std::size_t>(rows);
    for (Buffer<Real>* vector : {&d_, &product_}) *vector = backend.template allocate<Real>(n);
    for (Buffer<float>* vector : {&inverse_, &r_, &c_, &p_, &q_}) *vector = backend.template allocate<float>(n);
  }

  /// Enqueues a solve that begins with x = 0 and ends at the tolerance, or once all inner solves together have as many
  /// iterations as `config` allows. `b` and `x` [rows] have to be at the same place in all calls.
  void solve(B& backend, const Real* b, Real* x, const CgConfig& config) {
    DefectState* const state = state_.data();
    CgState* const inner = inner_.data();
    rounded_.renew(backend);
    backend.template sum<1>(rows_, &state->square, DefectStart{b, x, d_.data()}, DefectBegin{state, config});
    // An iteration of conjugate gradients as ConjugateGradient has it; the limit of iterations is one for all solves.
    const JacobiPreconditionerOf<float> M{inverse_.data()};
    const CgDirectionsOf<float> p{p_.data(), p_.data()};
    const CgUpdateOf<float> update{p, q_.data(), c_.data(), r_.data(), inner};
    const auto iterate = [&] {
      backend.for_each(rows_, CgDirection<JacobiPreconditionerOf<float>, float>{M, r_.data(), p, inner});
      single_.multiply_dot(backend, static_cast<const float*>(p_.data()), q_.data(), &inner->pq);
      backend.template sum<2>(rows_, inner->sums, CgUpdateSums<JacobiPreconditionerOf<float>, float>{M, update},
                              CgEndIteration{inner});
    };
    const auto correct = [&] {
      backend.template sum<2>(rows_, inner->sums,
                              InnerStart{inverse_diagonal_, d_.data(), state, inverse_.data(), r_.data(), c_.data()},
                              InnerBegin{inner, state});
      backend.repeat_while(inner_repetition_, &inner->go_on, iterate);
      backend.for_each(rows_, Correct{c_.data(), state, x});
      matrix_.multiply(backend, static_cast<const Real*>(x), product_.data());
      backend.template sum<1>(rows_, &state->square, Defect{b, product_.data(), d_.data()},
                              EndCorrection{state, inner});
    };
    backend.repeat_while(outer_repetition_, &state->go_on, correct);
  }

  DefectState state(B& backend) const { return backend.read(static_cast<const DefectState*>(state_.data())); }

 private:
  using SingleMatrix =
      std::remove_cvref_t<decltype(std::declval<const Matrix&>().with(static_cast<const float*>(nullptr)))>;

  Index rows_;
  RoundedValues<B> rounded_;
  Matrix matrix_;
  SingleMatrix single_;
  const Real* inverse_diagonal_;
  Buffer<DefectState> state_;
  Buffer<CgState> inner_;
  Buffer<Real> d_, product_;
  Buffer<float> inverse_, r_, c_, p_, q_;
  typename B::Repetition inner_repetition_, outer_repetition_;
};

}  // namespace cardiowarp
