#pragma once
#include <cmath>
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/spectrum.hpp"

namespace cardiowarp {

// The polynomial preconditioners on any backend: z = P(D⁻¹ A) D⁻¹ r by the recurrence of polynomial.hpp, and the bounds
// of the spectrum that P is made for (spectrum.hpp). All numbers are in backend memory, the decision whether the bounds
// are still good, too, so that a time step on a GPU needs no word from the host.
//
// An application of degree m reads r and 1 / D, 16 bytes a row, and writes z, 8; each of its m products moves 12 a
// stored entry and 16 a row, and the pass after it, which reads r, 1 / D, A z, z and the z before and writes the next,
// 48 a row. The preconditioner takes 32 bytes a row in memory beside what conjugate gradients have.

/// What is known of the spectrum, and the numbers by which Lanczos's method goes on from step to step.
struct SpectrumState {
  SpectrumBounds bounds;
  PolynomialSteps polynomial;
  int renewals;  ///< how often the bounds were computed

  Real change;  ///< max |D_i / D_i then − 1|, since the bounds were computed
  int renew;    ///< whether to compute them now
  Real gershgorin;
  LanczosMatrix lanczos;
  Real rz, pq;  ///< the newest r·z, and p·A p
  Real rz_now, beta, alpha_before;
  int ended;  ///< whether the steps so far have found all that there is to find

  CARDIOWARP_HD Real alpha() const { return rz_now / pq; }
  CARDIOWARP_HD bool can_step() const { return ended == 0 && pq > 0; }
  CARDIOWARP_HD void begin() {
    lanczos.size = 0;
    beta = 0;
    rz_now = rz;
    ended = rz > 0 ? 0 : 1;
  }
  /// After a step, with r·z of the new r. r·z grows from rounding alone where the eigenvectors in r are exhausted.
  CARDIOWARP_HD void end_step() {
    if (!can_step()) {
      ended = 1;
      return;
    }
    const Real next_beta = rz / rz_now;
    lanczos.add(alpha(), beta, alpha_before, next_beta);
    constexpr Real exhausted = 1e-24;
    if (!(next_beta > exhausted)) ended = 1;
    alpha_before = alpha();
    beta = next_beta;
    rz_now = rz;
  }
  CARDIOWARP_HD void set(const SpectrumBounds& found, const PolynomialOptions& options) {
    bounds = found;
    polynomial = polynomial_steps(options, found);
    renew = 0;
    ++renewals;
  }
};

/// |D_i / D_i then − 1|, from the inverses; 1 where there is no then.
struct DiagonalChange {
  const Real *inverse_diagonal, *inverse_then;
  CARDIOWARP_HD Real operator()(Index i) const { return std::fabs(inverse_then[i] / inverse_diagonal[i] - 1); }
};

/// Whether the bounds are to be computed again: the matrix has changed, or the last solve did not end well.
struct DecideRenewal {
  SpectrumState* state;
  const CgState* cg;
  Real limit;
  CARDIOWARP_HD void operator()() const {
    state->renew = !(state->change <= limit) || cg->report.status != CgStatus::converged ? 1 : 0;
  }
};

/// A vector that no eigenvector is missing from, scaled so that all rows count alike: r = D^½ u with u in [−1, 1),
/// scrambled from the number of the row. The sum is r·z. Keeps D⁻¹.
struct LanczosStart {
  const Real* inverse_diagonal;
  Real *inverse_then, *r;
  CARDIOWARP_HD Terms<1> operator()(Index i) const {
    std::uint32_t bits = static_cast<std::uint32_t>(i) * 0x9e3779b9u + 0x7f4a7c15u;
    bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
    bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
    bits ^= bits >> 16;
    const Real u = static_cast<Real>(bits) / 2147483648.0 - 1;
    inverse_then[i] = inverse_diagonal[i];
    r[i] = u / std::sqrt(inverse_diagonal[i]);
    return {{r[i] * inverse_diagonal[i] * r[i]}};
  }
};

/// p = D⁻¹ r + β p
struct LanczosDirection {
  const Real *inverse_diagonal, *r;
  Real* p;
  const SpectrumState* state;
  CARDIOWARP_HD void operator()(Index i) const {
    const Real beta = state->beta;
    p[i] = cg_direction(inverse_diagonal[i] * r[i], beta, beta == 0 ? 0 : p[i]);
  }
};

/// r −= α A p; r·z
struct LanczosResidual {
  const Real *inverse_diagonal, *product;
  Real* r;
  const SpectrumState* state;
  CARDIOWARP_HD Terms<1> operator()(Index i) const {
    const Real next = state->can_step() ? cg_residual(r[i], state->alpha(), product[i]) : r[i];
    r[i] = next;
    return {{next * inverse_diagonal[i] * next}};
  }
};

struct BeginLanczos {
  SpectrumState* state;
  CARDIOWARP_HD void operator()() const { state->begin(); }
};

struct EndLanczosStep {
  SpectrumState* state;
  CARDIOWARP_HD void operator()() const { state->end_step(); }
};

/// Σ_j |A_ij| / A_ii
struct GershgorinRow {
  const Real *inverse_diagonal, *absolute_sum;
  CARDIOWARP_HD Real operator()(Index i) const { return std::fabs(inverse_diagonal[i] * absolute_sum[i]); }
};

/// Loop body of one index: the polynomial for the bounds that Lanczos's method has found, or for given ones.
struct SetPolynomial {
  SpectrumState* state;
  PolynomialOptions options;
  bool are_given = false;
  SpectrumBounds given{};
  CARDIOWARP_HD void operator()(Index) const {
    state->set(are_given ? given : spectrum_bounds(state->lanczos, state->gershgorin), options);
  }
};

/// z_0 = gain D⁻¹ r
struct PolynomialStart {
  const PolynomialSteps* polynomial;
  const Real *inverse_diagonal, *r;
  Real* z;

  struct Ready {
    Real gain;
    const Real *inverse_diagonal, *r;
    Real* z;
    CARDIOWARP_HD void operator()(Index i) const { z[i] = gain * inverse_diagonal[i] * r[i]; }
  };
  CARDIOWARP_HD Ready ready() const { return {polynomial->step[0].gain, inverse_diagonal, r, z}; }
};

/// z_k = z_{k−1} + momentum (z_{k−1} − z_{k−2}) + gain D⁻¹ (r − A z_{k−1}), written over z_{k−2}
struct PolynomialStep {
  const PolynomialSteps* polynomial;
  int k;
  const Real *inverse_diagonal, *r, *product, *before;
  Real* z;  ///< z_{k−2} until it is written; for k = 1, where z_{−1} = 0, not read

  struct Ready {
    PolynomialSteps::Step step;
    bool is_first;
    const Real *inverse_diagonal, *r, *product, *before;
    Real* z;
    CARDIOWARP_HD void operator()(Index i) const {
      const Real now = before[i], last = is_first ? 0 : z[i];
      z[i] = now + step.momentum * (now - last) + step.gain * inverse_diagonal[i] * (r[i] - product[i]);
    }
  };
  CARDIOWARP_HD Ready ready() const { return {polynomial->step[k], k == 1, inverse_diagonal, r, product, before, z}; }
};

/// A polynomial preconditioner for one matrix, whose numbers may change in their place. `Product` is a value with
///   multiply(backend, x, y)             y = A x
///   absolute_row_sums(backend, y)       y_i = Σ_j |A_ij|
template <Backend B, class Product>
class PolynomialPreconditioner {
 public:
  /// The bounds are computed again when an entry of D has changed by more than this share.
  static constexpr Real largest_change = 0.1;

  /// `options` are valid; `inverse_diagonal` [rows] is in backend memory. The backend outlives this.
  PolynomialPreconditioner(B& backend, Index rows, const Product& A, const PolynomialOptions& options,
                           const Real* inverse_diagonal)
      : backend_(&backend),
        rows_(rows),
        matrix_(A),
        options_(options),
        inverse_diagonal_(inverse_diagonal),
        state_(backend.template allocate<SpectrumState>(1)) {
    for (Buffer<Real>* vector : {&z_, &other_, &product_, &inverse_then_})
      *vector = backend.template allocate<Real>(static_cast<std::size_t>(rows));
  }

  /// To be called when the matrix may have changed: computes the bounds where it has by more than largest_change or
  /// where the last solve, whose state `cg` is, did not converge. That takes LanczosMatrix::most_steps products.
  /// Nothing waits.
  void follow_matrix(const CgState* cg) {
    if (rows_ == 0) return;
    backend_->maximum(rows_, &state()->change, DiagonalChange{inverse_diagonal_, inverse_then_.data()},
                      DecideRenewal{state(), cg, largest_change});
    backend_->repeat_while(repetition_, &state()->renew, [this] { find_bounds(); });
  }

  /// Takes these bounds, which nobody checks, until follow_matrix() finds better ones.
  void take_bounds(const SpectrumBounds& bounds) {
    backend_->for_each(1, SetPolynomial{state(), options_, true, bounds});
  }

  SpectrumBounds bounds() const { return backend_->read(static_cast<const SpectrumBounds*>(&state()->bounds)); }
  /// How often bounds were computed or taken.
  int renewals() const { return backend_->read(static_cast<const int*>(&state()->renewals)); }

  /// z = M⁻¹ r; m products.
  void apply(const Real* r) const {
    const PolynomialSteps* const polynomial = &state()->polynomial;
    Real* const place[2] = {z_.data(), other_.data()};  // take turns so that the last one is z
    const int m = options_.degree;
    backend_->for_each(rows_, PolynomialStart{polynomial, inverse_diagonal_, r, place[m % 2]});
    for (int k = 1; k <= m; ++k) {
      Real *const now = place[(m - k) % 2], *const before = place[(m - k + 1) % 2];
      matrix_.multiply(*backend_, before, product_.data());
      backend_->for_each(rows_, PolynomialStep{polynomial, k, inverse_diagonal_, r, product_.data(), before, now});
    }
  }
  const Real* z() const { return z_.data(); }  ///< [rows] of the last apply()

  /// What ConjugateGradient takes as M. It is good as long as this object.
  struct Prepared {
    const PolynomialPreconditioner* owner;
    const Real* z;
    void prepare(const Real* r) const { owner->apply(r); }
    CARDIOWARP_HD Real operator()(Index row, Real) const { return z[row]; }
  };
  Prepared preconditioner() const { return {this, z_.data()}; }

 private:
  SpectrumState* state() const { return state_.data(); }

  /// Ten steps of conjugate gradients with Jacobi, of which only the numbers are kept; r, p and A p are where an
  /// application has its vectors.
  void find_bounds() {
    Real *const r = other_.data(), *const p = z_.data(), *const q = product_.data();
    matrix_.absolute_row_sums(*backend_, q);
    backend_->maximum(rows_, &state()->gershgorin, GershgorinRow{inverse_diagonal_, q});
    backend_->template sum<1>(rows_, &state()->rz, LanczosStart{inverse_diagonal_, inverse_then_.data(), r},
                              BeginLanczos{state()});
    for (int step = 0; step < LanczosMatrix::most_steps; ++step) {
      backend_->for_each(rows_, LanczosDirection{inverse_diagonal_, r, p, state()});
      matrix_.multiply(*backend_, p, q);
      backend_->template sum<1>(rows_, &state()->pq, Dot{p, q});
      backend_->template sum<1>(rows_, &state()->rz, LanczosResidual{inverse_diagonal_, q, r, state()},
                                EndLanczosStep{state()});
    }
    backend_->for_each(1, SetPolynomial{state(), options_});
  }

  B* backend_;
  Index rows_;
  Product matrix_;
  PolynomialOptions options_;
  const Real* inverse_diagonal_;
  Buffer<SpectrumState> state_;
  Buffer<Real> z_, other_, product_;
  Buffer<Real> inverse_then_;  ///< D⁻¹ as it was when the bounds were computed
  typename B::Repetition repetition_;
};

}  // namespace cardiowarp
