#pragma once
#include "kernels/backend/backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/preconditioners/ssor.hpp"

namespace cardiowarp {

// Conjugate gradients with SSOR by Eisenstat's trick (1981, SIAM J. Sci. Stat. Comput. 2): as A and M are made of the
// same L, D and U, one forward and one backward sweep are both z = M⁻¹ r and A p. With s = D⁻¹ (D + U) p, of which the
// direction is made instead of p, and r' = (D + L)⁻¹ r, an iteration is
//   s = r' + β s
//   t = (D + U)⁻¹ D s                 backward sweep; t is the direction p
//   w = (D + L)⁻¹ D (s − t)           forward sweep
//   A t = D s + L t                   which the forward sweep adds up beside, from the same entries
//   α = r'·D r' / t·A t,  x += α t,  r −= α A t,  r' −= α (t + w),  β = r'·D r' / (r'·D r' before)
// since A = (D + L) + (D + U) − D, and r'·D r' = r·M⁻¹ r. r is kept beside r' so that a solve ends by |r|, as all
// others do. All vectors are in the order of the colors; b comes there before a solve, and x back after it.
//
// An iteration reads each entry beside the diagonal once, 12 bytes (8 in mixed precision), and moves 208 bytes a row: s
// and t 48, w and A t 64, t·A t 16, the rest 80. It has two launches a color and two beside.

/// Loop body over the positions: r = b in the order of the colors, and 0 for what may be read before it is written,
/// by padding too: a solve that failed may have left a NaN.
struct EisenstatLoad {
  const Index* row;
  const Real* b;
  Real *r, *scaled_r, *s, *t, *w, *x;
  CARDIOWARP_HD void operator()(Index position) const {
    const Index at = row[position];
    r[position] = at < 0 ? 0 : b[at];
    for (Real* const vector : {scaled_r, s, t, w, x}) vector[position] = 0;
  }
};

/// Loop body over a color: r' = (r − L r') / D
template <class Value>
struct EisenstatStart {
  Index begin;
  HalfView<Value> lower;
  const Real *inverse_diagonal, *r;
  Real* scaled_r;
  CARDIOWARP_HD void operator()(Index i) const {
    const Index position = begin + i;
    scaled_r[position] = inverse_diagonal[position] * (r[position] - lower.times(position, scaled_r));
  }
};

/// r'·D r' and |r|²
CARDIOWARP_HD inline Terms<2> eisenstat_terms(Real scaled_r, Real diagonal, Real r) {
  return {{scaled_r * diagonal * scaled_r, r * r}};
}

struct EisenstatStartSums {
  const Real *scaled_r, *diagonal, *r;
  CARDIOWARP_HD Terms<2> operator()(Index i) const { return eisenstat_terms(scaled_r[i], diagonal[i], r[i]); }
};

/// Loop body over a color: s = r' + β s,  t = s − U t / D
template <class Value>
struct EisenstatBackward {
  Index begin;
  HalfView<Value> upper;
  const Real *inverse_diagonal, *scaled_r;
  Real *s, *t;
  const CgState* state;

  struct Ready {
    Index begin;
    HalfView<Value> upper;
    const Real *inverse_diagonal, *scaled_r;
    Real *s, *t;
    Real beta;
    CARDIOWARP_HD void operator()(Index i) const {
      const Index position = begin + i;
      const Real s_i = cg_direction(scaled_r[position], beta, s[position]);
      s[position] = s_i;
      t[position] = s_i - inverse_diagonal[position] * upper.times(position, t);
    }
  };
  CARDIOWARP_HD Ready ready() const { return {begin, upper, inverse_diagonal, scaled_r, s, t, state->beta}; }
};

/// Loop body over a color: w = s − t − L w / D,  q = D s + L t
template <class Value>
struct EisenstatForward {
  Index begin;
  HalfView<Value> lower;
  const Real *diagonal, *inverse_diagonal, *s, *t;
  Real *w, *q;
  CARDIOWARP_HD void operator()(Index i) const {
    const Index position = begin + i;
    const auto [of_w, of_t] = lower.times_both(position, w, t).value;
    const Real s_i = s[position];
    w[position] = s_i - t[position] - inverse_diagonal[position] * of_w;
    q[position] = diagonal[position] * s_i + of_t;
  }
};

/// t·q
struct EisenstatDot {
  const Real *t, *q;
  CARDIOWARP_HD Terms<1> operator()(Index i) const { return {{t[i] * q[i]}}; }
};

/// x += α t,  r −= α q,  r' −= α (t + w), and the sums of what comes after. Without a step nothing changes, but where r
/// and r' are multiplied by CgState::rescale.
struct EisenstatUpdate {
  const Real *t, *w, *q, *diagonal;
  Real *x, *r, *scaled_r;
  const CgState* state;

  struct Ready {
    const Real *t, *w, *q, *diagonal;
    Real *x, *r, *scaled_r;
    Real alpha_for_x, alpha, rescale;
    CARDIOWARP_HD Terms<2> operator()(Index i) const {
      Real r_i = rescale * r[i], scaled_i = rescale * scaled_r[i];
      if (rescale == 1) {
        const Real t_i = t[i];
        r_i = cg_residual(r_i, alpha, q[i]);
        scaled_i = cg_residual(scaled_i, alpha, t_i + w[i]);
        x[i] = cg_solution(x[i], alpha_for_x, t_i);
      }
      r[i] = r_i;
      scaled_r[i] = scaled_i;
      return eisenstat_terms(scaled_i, diagonal[i], r_i);
    }
  };
  CARDIOWARP_HD Ready ready() const {
    const bool steps = !state->is_rescaling() && state->can_step();
    return {t,
            w,
            q,
            diagonal,
            x,
            r,
            scaled_r,
            steps ? state->alpha_for_x() : 0,
            steps ? state->alpha() : 0,
            state->rescale};
  }
};

/// Loop body over the positions: x in the order of the matrix.
struct EisenstatStore {
  const Index* row;
  const Real* x;
  Real* solution;
  CARDIOWARP_HD void operator()(Index position) const {
    if (row[position] >= 0) solution[row[position]] = x[position];
  }
};

/// Conjugate gradients with SSOR by Eisenstat's trick for one system that may be solved again and again with other
/// numbers in the same place. The matrix has values of `Value`.
template <Backend B, class Value>
class EisenstatCg {
 public:
  /// The first three are as for ColoredMatrix. b, vectors.r, is only read.
  EisenstatCg(B& backend, const ColoredHalves& halves, const Value* matrix, bool only_diagonal_changes,
              const CgVectors<Real>& vectors)
      : matrix_(backend, halves, matrix, only_diagonal_changes),
        b_(vectors.r),
        solution_(vectors.x),
        state_(vectors.state) {
    for (Buffer<Real>* vector : {&x_, &r_, &scaled_r_, &s_, &t_, &w_, &q_})
      *vector = backend.template allocate<Real>(halves.row.size());
  }

  /// Takes the matrix as it is and solves from x = 0 to the larger of the two tolerances, config's and that of the
  /// forcing term in backend memory, where there is one. Nothing waits.
  void solve(B& backend, const CgConfig& config, const Forcing* forcing = nullptr) {
    const Index positions = matrix_.positions(), last = matrix_.colors() - 1;
    const Real *const diagonal = matrix_.diagonal(), *const inverse = matrix_.inverse_diagonal();
    Real *const x = x_.data(), *const r = r_.data(), *const scaled_r = scaled_r_.data(), *const s = s_.data(),
                *const t = t_.data(), *const w = w_.data(), *const q = q_.data();
    matrix_.renew(backend);
    backend.for_each(positions, EisenstatLoad{matrix_.row(), b_, r, scaled_r, s, t, w, x});
    for (Index color = 0; color <= last; ++color)
      backend.for_each(matrix_.size(color),
                       EisenstatStart<Value>{matrix_.begin(color), matrix_.lower(), inverse, r, scaled_r});
    backend.template sum<2>(positions, state_->sums, EisenstatStartSums{scaled_r, diagonal, r},
                            CgBegin{state_, config, forcing});
    backend.repeat_while(repetition_, &state_->go_on, [&] {
      for (Index color = last + 1; color-- > 0;)
        backend.for_each(matrix_.size(color), EisenstatBackward<Value>{matrix_.begin(color), matrix_.upper(), inverse,
                                                                       scaled_r, s, t, state_});
      for (Index color = 0; color <= last; ++color)
        backend.for_each(matrix_.size(color),
                         EisenstatForward<Value>{matrix_.begin(color), matrix_.lower(), diagonal, inverse, s, t, w, q});
      backend.template sum<1>(positions, &state_->pq, EisenstatDot{t, q});
      backend.template sum<2>(positions, state_->sums, EisenstatUpdate{t, w, q, diagonal, x, r, scaled_r, state_},
                              CgEndIteration{state_});
    });
    backend.for_each(positions, EisenstatStore{matrix_.row(), x, solution_});
  }

 private:
  ColoredMatrix<B, Value, Value> matrix_;
  const Real* b_;
  Real* solution_;
  CgState* state_;
  Buffer<Real> x_, r_, scaled_r_, s_, t_, w_, q_;
  typename B::Repetition repetition_;
};

}  // namespace cardiowarp
