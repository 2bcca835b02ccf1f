#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "assembly/global_matrix.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "solver/linear_solver.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/random_symmetric.hpp"
#include "tests/support/solver_for.hpp"

namespace cardiowarp {

/// A system on the CPU in ELL-WARP, which can be cut into parts, with a random right-hand side.
class CpuSystem {
 public:
  explicit CpuSystem(const RandomSymmetric& given)
      : pattern_(given.view()),
        rows_(pattern_.rows),
        layout_(ell_warp_layout(
            row_lengths(given.row_begin), given.column,
            {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = 32})),
        matrix_(cpu_, {given.row_begin, given.column}, layout_),
        value_(layout_.shape.stored_entries()),
        inverse_diagonal_(rows_),
        x_(rows_) {
    for (std::size_t e = 0; e < given.value.size(); ++e) value_[layout_.slot_of_entry[e]] = given.value[e];
    const std::vector<Index> new_of_old = inverse_permutation(layout_.shape.row);
    for (Index row = 0; row < rows_; ++row)
      for (Index e = given.row_begin[row]; e < given.row_begin[row + 1]; ++e)
        if (given.column[e] == row) inverse_diagonal_[new_of_old[row]] = 1 / given.value[e];
  }

  std::vector<Real>& value() { return value_; }
  std::span<const std::int64_t> slot_of_entry() const { return layout_.slot_of_entry; }
  MatrixParts parts() const { return matrix_parts(layout_).value(); }

  /// For a random right-hand side times `scale`.
  CgReport solve(const SolverPlan& plan, const CgConfig& config, Real scale = 1, const Forcing* forcing = nullptr) {
    b_ = random_values(rows_, 64);
    for (Real& number : b_) number *= scale;
    CgState state{};
    test::solver_for(
        cpu_, plan, layout_, *this,
        {rows_, layout_.shape.stored_entries(), value_.data(), inverse_diagonal_.data(), b_.data(), x_.data(), &state},
        {pattern_, layout_.slot_of_entry, nullptr})
        ->solve(cpu_, config, forcing);
    return state.report;
  }
  /// |b − A x| / |b| of the last solve, for that scale.
  Real true_residual(Real scale) {
    std::vector<Real> product(rows_);
    matrix_.multiply(cpu_, 0, value_.data(), x_.data(), product.data());
    const std::vector<Real> b = random_values(rows_, 64);
    Real of_r = 0, of_b = 0;
    for (Index i = 0; i < rows_; ++i) {
      of_r += (b[i] - product[i] / scale) * (b[i] - product[i] / scale);
      of_b += b[i] * b[i];
    }
    return std::sqrt(of_r / of_b);
  }
  const std::vector<Real>& x() const { return x_; }

  // As MatrixWithValues multiplies.
  template <class Value, class Number>
  void multiply_dot(CpuBackend& backend, const Value* values, const Number* p, Number* q, Real* pq) const {
    matrix_.multiply_dot(backend, 0, values, p, q, pq);
  }
  template <class Value, class Number>
  void multiply(CpuBackend& backend, const Value* values, const Number* x, Number* y) const {
    matrix_.multiply(backend, 0, values, x, y);
  }
  template <class Value, class Number>
  void absolute_row_sums(CpuBackend& backend, const Value* values, Number* y) const {
    matrix_.absolute_row_sums(backend, 0, values, y);
  }

 private:
  CsrView pattern_;
  Index rows_;
  CpuBackend cpu_;
  EllWarpLayout layout_;
  FormatOf<MatrixFormat::ell_warp>::Product<CpuBackend> matrix_;
  std::vector<Real> value_, inverse_diagonal_, b_, x_;
};

}  // namespace cardiowarp
