#pragma once
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "assembly/global_matrix.hpp"
#include "assembly/operators/element_loops.hpp"
#include "assembly/operators/operator_plan.hpp"
#include "assembly/prescribed_nodes.hpp"
#include "kernels/backend/backend.hpp"

namespace cardiowarp {

/// A GlobalMatrix that is none: what linear_solver.operator puts in its place. `Derived` has
/// product(backend, values, x, y, xy), for values and vectors of either precision: y = K x, and *xy = x·y where xy is
/// not nullptr. At the plan's prescribed nodes x is 0, and so is y, as with a matrix that they are taken out of; that
/// costs a launch a product where there are such nodes.
template <Backend B, class Derived>
class OperatorMatrix : public GlobalMatrix<B> {
 public:
  OperatorMatrix(B& backend, const OperatorPlan& plan) : prescribed_(uploaded(backend, plan.prescribed)) {}

  void multiply(B& backend, const Real* values, const Real* x, Real* y) const override {
    held_product(backend, values, x, y, nullptr);
  }
  void multiply(B& backend, const float* values, const Real* x, Real* y) const override {
    held_product(backend, values, x, y, nullptr);
  }
  void multiply(B& backend, const float* values, const float* x, float* y) const override {
    held_product(backend, values, x, y, nullptr);
  }
  void multiply_dot(B& backend, const Real* values, const Real* p, Real* q, Real* pq) const override {
    held_product(backend, values, p, q, pq);
  }
  void multiply_dot(B& backend, const float* values, const Real* p, Real* q, Real* pq) const override {
    held_product(backend, values, p, q, pq);
  }
  void multiply_dot(B& backend, const float* values, const float* p, float* q, Real* pq) const override {
    held_product(backend, values, p, q, pq);
  }
  // Only polynomials ask for these sums, and need a matrix.
  void absolute_row_sums(B&, const Real*, Real*) const override { refuse(); }
  void absolute_row_sums(B&, const float*, Real*) const override { refuse(); }
  void absolute_row_sums(B&, const float*, float*) const override { refuse(); }

 protected:
  /// The loop over the nodes, with the dot product where it is asked for.
  template <class Gather>
  static void gather(B& backend, Index nodes, const Gather& body, Real* xy) {
    if (xy == nullptr)
      backend.for_each(nodes, WithoutDot<Gather>{body});
    else
      backend.template sum<1>(nodes, xy, body);
  }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("an operator without a matrix has no sums of its rows"); }

  /// What the product leaves at prescribed nodes is in the dot product times x, which is 0 there.
  template <class Value, class Number>
  void held_product(B& backend, const Value* values, const Number* x, Number* y, Real* xy) const {
    static_cast<const Derived&>(*this).product(backend, values, x, y, xy);
    const auto held = static_cast<Index>(prescribed_.size());
    if (held > 0) backend.for_each(held, CopyAt<Number>{prescribed_.data(), x, y});
  }

  Buffer<Index> prescribed_;
};

/// The constant diffusion matrix of `split`, in both precisions.
template <Backend B>
class DiffusionProduct {
 public:
  DiffusionProduct(B& backend, const std::vector<Real>& diffusion, bool in_single, const Sparsity& sparsity,
                   const MatrixLayout& layout)
      : matrix_(make_global_matrix(backend, sparsity, layout)) {
    backend.upload(std::span<const Real>(diffusion), matrix_->value());
    if (!in_single) return;
    single_ = backend.template allocate<float>(diffusion.size());
    backend.for_each(static_cast<Index>(diffusion.size()), ToFloat{matrix_->value(), single_.data()});
  }

  /// y = A x with the values in the precision of `Value`.
  template <class Value, class Number>
  void multiply(B& backend, const Number* x, Number* y) const {
    if constexpr (std::is_same_v<Value, float>)
      matrix_->multiply(backend, static_cast<const float*>(single_.data()), x, y);
    else
      matrix_->multiply(backend, static_cast<const Real*>(matrix_->value()), x, y);
  }

 private:
  std::unique_ptr<GlobalMatrix<B>> matrix_;
  Buffer<float> single_;
};

}  // namespace cardiowarp
