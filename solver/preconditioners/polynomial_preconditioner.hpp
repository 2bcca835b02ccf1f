#pragma once
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/backend/backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/cg/power_of_two.hpp"
#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/spectrum.hpp"
#include "solver/preconditioners/spectrum_memory.hpp"

namespace cardiowarp {

// The polynomial preconditioners on any backend: z = P(D⁻¹ A) D⁻¹ r by the recurrence of polynomial.hpp, and the bounds
// of the spectrum that P is made for (spectrum.hpp). All numbers are in backend memory, the decision whether the bounds
// are still good, too, so that a time step on a GPU needs no word from the host.
//
// An application of degree m reads r and 1 / D, 16 bytes a row, and writes z, 8; each of its m products moves 12 a
// stored entry and 16 a row, and the pass after it, which reads r, 1 / D, A z, z and the z before and writes the next,
// 48 a row. The preconditioner takes 32 bytes a row in memory beside what conjugate gradients have.
//
// In single precision (`Number` = float; Zhang and Zhang 2013, Algorithm 6) r is divided by a power of two so that its
// largest entry is in [½, 1), and rounded; the polynomial has its vectors and sums in single precision, and z comes
// back as z times that power where conjugate gradients read it. The first z takes 32 bytes a row, as r is read
// twice, for its largest entry and to be rounded; a product moves 8 a stored entry, or 6 in parts, and 8 a row, the
// pass after it 24. In memory these are 28 bytes a row, and 4 a stored entry where the solve around it has its values
// in double precision.

/// The bounds of the spectrum with the polynomial for them, and the numbers by which Lanczos's method goes on from step
/// to step.
struct SpectrumState {
  SpectrumBounds bounds;
  PolynomialSteps polynomial;
  int renewals;  ///< how often the bounds were computed

  Real change;  ///< max |D_i / D_i then − 1|, since the bounds were computed
  int renew;    ///< whether to compute them now
  Real gershgorin;
  LanczosMatrix lanczos;
  RitzPair ritz[LanczosMatrix::most_steps];  ///< [lanczos.size] those of `lanczos`, in ascending order
  Real rz, pq;                               ///< the newest r·z, and p·A p
  Real rz_now, beta, alpha_before;
  int ended;  ///< whether the steps so far have found all that there is to find

  Real largest;  ///< in single precision: max |r_i| of the last application
  Real scale;    ///< what r was divided by, a power of two

  CARDIOWARP_HD Real alpha() const { return rz_now / pq; }
  CARDIOWARP_HD bool can_step() const { return ended == 0 && pq > 0; }
  CARDIOWARP_HD void begin() {
    lanczos.size = 0;
    beta = 0;
    rz_now = rz;
    ended = rz > 0 ? 0 : 1;
  }
  /// After a step, with r·z of the new r. r·z grows from rounding alone where the eigenvectors in r are `exhausted`: it
  /// has fallen by more than this factor in one step.
  CARDIOWARP_HD void end_step(Real exhausted) {
    if (!can_step()) {
      ended = 1;
      return;
    }
    const Real next_beta = rz / rz_now;
    lanczos.add(alpha(), beta, alpha_before, next_beta);
    if (!(next_beta > exhausted)) ended = 1;
    alpha_before = alpha();
    beta = next_beta;
    rz_now = rz;
  }
  CARDIOWARP_HD void set_scale() { scale = std::ldexp(Real{1}, exponent_near(largest)); }
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
template <class Number>
struct LanczosStart {
  const Real* inverse_diagonal;
  Real* inverse_then;
  Number* r;
  CARDIOWARP_HD Terms<1> operator()(Index i) const {
    std::uint32_t bits = static_cast<std::uint32_t>(i) * 0x9e3779b9u + 0x7f4a7c15u;
    bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
    bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
    bits ^= bits >> 16;
    const Real u = static_cast<Real>(bits) / 2147483648.0 - 1;
    inverse_then[i] = inverse_diagonal[i];
    r[i] = static_cast<Number>(u / std::sqrt(inverse_diagonal[i]));
    return {{r[i] * inverse_diagonal[i] * r[i]}};
  }
};

/// p = D⁻¹ r + β p
template <class Number>
struct LanczosDirection {
  const Real* inverse_diagonal;
  const Number* r;
  Number* p;
  const SpectrumState* state;
  CARDIOWARP_HD void operator()(Index i) const {
    const Real beta = state->beta;
    p[i] = static_cast<Number>(cg_direction(inverse_diagonal[i] * r[i], beta, beta == 0 ? 0 : Real{p[i]}));
  }
};

/// r −= α A p; r·z
template <class Number>
struct LanczosResidual {
  const Real* inverse_diagonal;
  const Number* product;
  Number* r;
  const SpectrumState* state;
  CARDIOWARP_HD Terms<1> operator()(Index i) const {
    if (state->can_step()) r[i] = static_cast<Number>(cg_residual(Real{r[i]}, state->alpha(), product[i]));
    return {{r[i] * inverse_diagonal[i] * r[i]}};
  }
};

struct BeginLanczos {
  SpectrumState* state;
  CARDIOWARP_HD void operator()() const { state->begin(); }
};

struct EndLanczosStep {
  SpectrumState* state;
  Real exhausted;
  CARDIOWARP_HD void operator()() const { state->end_step(exhausted); }
};

/// Σ_j |A_ij| / A_ii
template <class Number>
struct GershgorinRow {
  const Real* inverse_diagonal;
  const Number* absolute_sum;
  CARDIOWARP_HD Real operator()(Index i) const { return std::fabs(inverse_diagonal[i] * absolute_sum[i]); }
};

/// Loop body that computes the Ritz pair k. That takes hundreds of divisions, each of which waits for the one before,
/// so that each pair has a thread.
struct FindRitzPair {
  SpectrumState* state;
  CARDIOWARP_HD void operator()(Index k) const {
    if (k < state->lanczos.size) state->ritz[k] = state->lanczos.ritz_pair(k);
  }
};

/// Loop body of one index: the polynomial for the bounds that Lanczos's method has found, or for given ones.
struct SetPolynomial {
  SpectrumState* state;
  PolynomialOptions options;
  bool are_given = false;
  SpectrumBounds given{};
  CARDIOWARP_HD void operator()(Index) const {
    state->set(are_given ? given : spectrum_bounds(state->lanczos.size, state->ritz, state->gershgorin), options);
  }
};

struct SetResidualScale {
  SpectrumState* state;
  CARDIOWARP_HD void operator()() const { state->set_scale(); }
};

/// A vector in single precision, divided by *scale where there is one.
struct RoundVector {
  const Real *scale, *vector;
  float* rounded;

  struct Ready {
    Real factor;
    const Real* vector;
    float* rounded;
    CARDIOWARP_HD void operator()(Index i) const { rounded[i] = static_cast<float>(vector[i] * factor); }
  };
  CARDIOWARP_HD Ready ready() const { return {scale == nullptr ? 1 : 1 / *scale, vector, rounded}; }
};

/// z_0 = gain D⁻¹ r
template <class Number>
struct PolynomialStart {
  const PolynomialSteps* polynomial;
  const Number *inverse_diagonal, *r;
  Number* z;

  struct Ready {
    Number gain;
    const Number *inverse_diagonal, *r;
    Number* z;
    CARDIOWARP_HD void operator()(Index i) const { z[i] = polynomial_first(gain, inverse_diagonal[i], r[i]); }
  };
  CARDIOWARP_HD Ready ready() const { return {static_cast<Number>(polynomial->step[0].gain), inverse_diagonal, r, z}; }
};

/// z_k = z_{k−1} + momentum (z_{k−1} − z_{k−2}) + gain D⁻¹ (r − A z_{k−1}), written over z_{k−2}
template <class Number>
struct PolynomialStep {
  const PolynomialSteps* polynomial;
  int k;
  const Number *inverse_diagonal, *r, *product, *before;
  Number* z;  ///< z_{k−2} until it is written; for k = 1, where z_{−1} = 0, not read

  struct Ready {
    Number momentum, gain;
    bool is_first;
    const Number *inverse_diagonal, *r, *product, *before;
    Number* z;
    CARDIOWARP_HD void operator()(Index i) const {
      const Number now = before[i], last = is_first ? 0 : z[i];
      z[i] = polynomial_next(momentum, gain, LastTwo<Number>{now, last}, inverse_diagonal[i], r[i], product[i]);
    }
  };
  CARDIOWARP_HD Ready ready() const {
    const PolynomialSteps::Step step = polynomial->step[k];
    return {static_cast<Number>(step.momentum),
            static_cast<Number>(step.gain),
            k == 1,
            inverse_diagonal,
            r,
            product,
            before,
            z};
  }
};

/// Where an application has its vectors, [rows] each in backend memory, for one that is computed elsewhere than in
/// PolynomialPreconditioner::apply().
template <class Number>
struct PolynomialVectors {
  const PolynomialSteps* steps;
  int degree;
  const Number* inverse_diagonal;
  Number *z, *other;
  Number* rounded_r;  ///< in single precision, r over its scale; else null

  /// The place of z_k. Two take turns, so that the last one is z.
  CARDIOWARP_HD Number* place(int k) const { return (degree - k) % 2 == 0 ? z : other; }
};

/// A polynomial preconditioner for one matrix, whose numbers may change in their place. `Product` is a value with
///   multiply(backend, x, y)             y = A x
///   absolute_row_sums(backend, y)       y_i = Σ_j |A_ij|
/// with vectors of `Number`, double or float, in which the polynomial is applied.
template <Backend B, class Product, class Number = Real>
class PolynomialPreconditioner final : public SpectrumMemory, public PreparesZ {
  static constexpr bool is_single = std::same_as<Number, float>;

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
    const auto n = static_cast<std::size_t>(rows);
    inverse_then_ = backend.template allocate<Real>(n);
    for (Buffer<Number>* vector : {&z_, &other_, &product_}) *vector = backend.template allocate<Number>(n);
    if constexpr (is_single)
      for (Buffer<Number>* vector : {&rounded_r_, &rounded_inverse_}) *vector = backend.template allocate<Number>(n);
  }

  /// To be called when the matrix may have changed: computes the bounds where it has by more than largest_change or
  /// where the last solve, whose state `cg` is, did not converge. That takes LanczosMatrix::most_steps products.
  /// Nothing waits.
  void follow_matrix(const CgState* cg) {
    if (rows_ == 0) return;
    round_diagonal();
    backend_->maximum(rows_, &state()->change, DiagonalChange{inverse_diagonal_, inverse_then_.data()},
                      DecideRenewal{state(), cg, largest_change});
    backend_->repeat_while(repetition_, &state()->renew, [this] { find_bounds(); });
  }

  /// Until follow_matrix() finds better ones.
  void take_bounds(const SpectrumBounds& bounds) override {
    round_diagonal();
    backend_->for_each(1, SetPolynomial{state(), options_, true, bounds});
  }

  SpectrumBounds bounds() const override {
    return backend_->read(static_cast<const SpectrumBounds*>(&state()->bounds));
  }
  const Buffer<Real>& inverse_then() const override { return inverse_then_; }
  /// How often bounds were computed or taken.
  int renewals() const { return backend_->read(static_cast<const int*>(&state()->renewals)); }

  /// z = M⁻¹ r; m products.
  void apply(const Real* r) const override {
    if (rows_ == 0) return;
    if constexpr (is_single) {
      backend_->maximum(rows_, &state()->largest, Magnitude{r}, SetResidualScale{state()});
      backend_->for_each(rows_, RoundVector{&state()->scale, r, rounded_r_.data()});
      recur(rounded_r_.data());
    } else {
      recur(r);
    }
  }

  /// The preconditioner as ConjugateGradient takes it. It is good as long as this object.
  PreparedZ<Number> preconditioner() const { return {this, z_.data(), &state()->scale}; }

  /// Good as long as this object, as is the matrix below.
  PolynomialVectors<Number> vectors() const {
    const Number* inverse_diagonal = nullptr;
    if constexpr (is_single)
      inverse_diagonal = rounded_inverse_.data();
    else
      inverse_diagonal = inverse_diagonal_;
    return {&state()->polynomial, options_.degree, inverse_diagonal, z_.data(), other_.data(), rounded_r_.data()};
  }
  const Product& matrix() const { return matrix_; }

 private:
  SpectrumState* state() const { return state_.data(); }

  void round_diagonal() {
    if constexpr (is_single)
      backend_->for_each(rows_, RoundVector{nullptr, inverse_diagonal_, rounded_inverse_.data()});
  }

  /// z = P(D⁻¹ A) D⁻¹ r
  void recur(const Number* r) const {
    const PolynomialVectors<Number> v = vectors();
    backend_->for_each(rows_, PolynomialStart<Number>{v.steps, v.inverse_diagonal, r, v.place(0)});
    for (int k = 1; k <= v.degree; ++k) {
      const Number* const before = v.place(k - 1);
      matrix_.multiply(*backend_, before, product_.data());
      backend_->for_each(
          rows_, PolynomialStep<Number>{v.steps, k, v.inverse_diagonal, r, product_.data(), before, v.place(k)});
    }
  }

  /// Ten steps of conjugate gradients with Jacobi, of which only the numbers are kept; r, p and A p are where an
  /// application has its vectors.
  void find_bounds() {
    constexpr Real roundings = 4500 * std::numeric_limits<Number>::epsilon(), exhausted = roundings * roundings;
    Number *const r = other_.data(), *const p = z_.data(), *const q = product_.data();
    matrix_.absolute_row_sums(*backend_, q);
    backend_->maximum(rows_, &state()->gershgorin, GershgorinRow<Number>{inverse_diagonal_, q});
    backend_->template sum<1>(rows_, &state()->rz, LanczosStart<Number>{inverse_diagonal_, inverse_then_.data(), r},
                              BeginLanczos{state()});
    for (int step = 0; step < LanczosMatrix::most_steps; ++step) {
      backend_->for_each(rows_, LanczosDirection<Number>{inverse_diagonal_, r, p, state()});
      matrix_.multiply(*backend_, static_cast<const Number*>(p), q);
      backend_->template sum<1>(rows_, &state()->pq, Dot<Number>{p, q});
      backend_->template sum<1>(rows_, &state()->rz, LanczosResidual<Number>{inverse_diagonal_, q, r, state()},
                                EndLanczosStep{state(), exhausted});
    }
    backend_->for_each(LanczosMatrix::most_steps, FindRitzPair{state()});
    backend_->for_each(1, SetPolynomial{state(), options_});
  }

  B* backend_;
  Index rows_;
  Product matrix_;
  PolynomialOptions options_;
  const Real* inverse_diagonal_;
  Buffer<SpectrumState> state_;
  Buffer<Number> z_, other_, product_;
  Buffer<Number> rounded_r_, rounded_inverse_;  ///< in single precision: r over its scale, and D⁻¹
  Buffer<Real> inverse_then_;                   ///< D⁻¹ as it was when the bounds were computed
  typename B::Repetition repetition_;
};

}  // namespace cardiowarp
