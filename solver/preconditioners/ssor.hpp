#pragma once
#include <vector>

#include "kernels/backend/backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/preconditioners/colored_halves.hpp"

namespace cardiowarp {

// The preconditioner SSOR with colors, linear_solver.preconditioner: ssor, on the CPU and on a GPU. With A = L + D +
// U, the rows in the order of their colors, it is M = (D + L) D⁻¹ (D + U) (Reguly, Giles 2015, sec. 11, eq. 24 and
// Algorithm 3, without a relaxation factor). z = M⁻¹ r is two sweeps, each a loop over the rows of one color after the
// other:
//   forward    y_i = (r_i − Σ_{smaller colors} A_ij y_j) / D_i
//   backward   z_i = y_i − Σ_{larger colors} A_ij z_j / D_i
// Conjugate gradients then need about half of the iterations of Jacobi's preconditioner, each of two products and of
// two launches a color. ssor_cg.hpp has the same iterations by Eisenstat's trick, each of one product.
//
// Bytes in backend memory: 12 a stored entry of both halves, whose values are in single precision, and 40 a row; by
// Eisenstat's trick 16 a stored entry (12 in mixed precision) and 80 a row. An application of SsorPreconditioner reads
// 8 a stored entry and moves 80 a row. What it reads is copied from the matrix before each solve, 16 a stored entry and
// 28 a row, or but for the diagonal once, where nothing else of the matrix changes.

/// A half of a matrix in backend memory, with the values that a solve reads.
template <class Value>
struct HalfView {
  const Index *first, *column;
  const Value* value;

  /// Σ_j A_ij x_j over the entries of the half, in the order of the colors.
  template <class Number>
  CARDIOWARP_HD Real times(Index position, const Number* x) const {
    constexpr Index lanes = ColoredHalves::lanes;
    const Index slice = position / lanes, end = first[slice + 1];
    Real sum = 0;
    for (Index k = first[slice] + position % lanes; k < end; k += lanes) sum += Real{value[k]} * x[column[k]];
    return sum;
  }
  /// Two vectors at once: {row · x, row · y}.
  CARDIOWARP_HD Terms<2> times_both(Index position, const Real* x, const Real* y) const {
    constexpr Index lanes = ColoredHalves::lanes;
    const Index slice = position / lanes, end = first[slice + 1];
    Real of_x = 0, of_y = 0;
    for (Index k = first[slice] + position % lanes; k < end; k += lanes) {
      const Real entry{value[k]};
      const Index j = column[k];
      of_x += entry * x[j];
      of_y += entry * y[j];
    }
    return {{of_x, of_y}};
  }
};

/// Loop body over the stored entries of a half: its values from those of the matrix, 0 for padding.
template <class From, class Value>
struct CopyHalf {
  const From* matrix;
  const Index* slot;
  Value* value;
  CARDIOWARP_HD void operator()(Index k) const {
    value[k] = slot[k] < 0 ? Value{0} : static_cast<Value>(matrix[slot[k]]);
  }
};

/// Loop body over the positions: D and 1 / D, both 0 where there is no row.
template <class From>
struct CopyDiagonal {
  const From* matrix;
  const Index* slot;
  Real *diagonal, *inverse;
  CARDIOWARP_HD void operator()(Index position) const {
    const Index at = slot[position];
    diagonal[position] = at < 0 ? 0 : Real{matrix[at]};
    inverse[position] = at < 0 ? 0 : 1 / Real{matrix[at]};
  }
};

/// Loop body: x = 0
struct ClearVector {
  Real* x;
  CARDIOWARP_HD void operator()(Index i) const { x[i] = 0; }
};

/// A matrix in colored halves in backend memory. `From` is what the matrix has for values, `Value` what the halves
/// have.
template <Backend B, class From, class Value>
class ColoredMatrix {
 public:
  /// `matrix` [slots] is in backend memory. With `only_diagonal_changes` L and U are copied by the first renew() alone.
  ColoredMatrix(B& backend, const ColoredHalves& halves, const From* matrix, bool only_diagonal_changes)
      : begin_(halves.begin),
        matrix_(matrix),
        only_diagonal_changes_(only_diagonal_changes),
        row_(uploaded(backend, halves.row)),
        diagonal_slot_(uploaded(backend, halves.diagonal_slot)),
        lower_(backend, halves.lower),
        upper_(backend, halves.upper),
        diagonal_(backend.template allocate<Real>(halves.row.size())),
        inverse_diagonal_(backend.template allocate<Real>(halves.row.size())) {}

  /// Takes the numbers that the matrix has now. Nothing waits.
  void renew(B& backend) {
    if (!is_copied_ || !only_diagonal_changes_) {
      lower_.copy(backend, matrix_);
      upper_.copy(backend, matrix_);
    }
    is_copied_ = true;
    backend.for_each(positions(),
                     CopyDiagonal<From>{matrix_, diagonal_slot_.data(), diagonal_.data(), inverse_diagonal_.data()});
  }

  Index colors() const { return static_cast<Index>(begin_.size()) - 1; }
  Index positions() const { return begin_.back(); }
  Index begin(Index color) const { return begin_[color]; }
  Index size(Index color) const { return begin_[color + 1] - begin_[color]; }
  const Index* row() const { return row_.data(); }                           ///< [positions]
  const Real* diagonal() const { return diagonal_.data(); }                  ///< [positions]
  const Real* inverse_diagonal() const { return inverse_diagonal_.data(); }  ///< [positions]
  HalfView<Value> lower() const { return lower_.view(); }
  HalfView<Value> upper() const { return upper_.view(); }

 private:
  struct Half {
    Half(B& backend, const ColoredHalf& half)
        : first(uploaded(backend, half.first)),
          column(uploaded(backend, half.column)),
          slot(uploaded(backend, half.slot)),
          value(backend.template allocate<Value>(half.slot.size())) {}
    void copy(B& backend, const From* matrix) const {
      backend.for_each(static_cast<Index>(slot.size()), CopyHalf<From, Value>{matrix, slot.data(), value.data()});
    }
    HalfView<Value> view() const { return {first.data(), column.data(), value.data()}; }
    Buffer<Index> first, column, slot;
    Buffer<Value> value;
  };

  std::vector<Index> begin_;
  const From* matrix_;
  bool only_diagonal_changes_, is_copied_ = false;
  Buffer<Index> row_, diagonal_slot_;
  Half lower_, upper_;
  Buffer<Real> diagonal_, inverse_diagonal_;
};

/// Loop body over the rows of a color: y_i = (r_i − Σ_{smaller colors} A_ij y_j) / D_i. For the last color, where
/// y = z, also z in the order of the matrix.
template <class Value>
struct SsorForward {
  Index begin;
  HalfView<Value> lower;
  const Index* row;
  const Real *inverse_diagonal, *r;  ///< [positions], [rows]
  Real *y, *z;                       ///< [positions], [rows] or nullptr
  CARDIOWARP_HD void operator()(Index i) const {
    const Index position = begin + i, at = row[position];
    if (at < 0) return;
    const Real y_i = inverse_diagonal[position] * (r[at] - lower.times(position, y));
    y[position] = y_i;
    if (z != nullptr) z[at] = y_i;
  }
};

/// Loop body over the rows of a color: z_i = y_i − Σ_{larger colors} A_ij z_j / D_i, where y was and in the order of
/// the matrix.
template <class Value>
struct SsorBackward {
  Index begin;
  HalfView<Value> upper;
  const Index* row;
  const Real* inverse_diagonal;  ///< [positions]
  Real *y, *z;                   ///< [positions], [rows]
  CARDIOWARP_HD void operator()(Index i) const {
    const Index position = begin + i, at = row[position];
    if (at < 0) return;
    const Real z_i = y[position] - inverse_diagonal[position] * upper.times(position, y);
    y[position] = z_i;
    z[at] = z_i;
  }
};

/// SSOR for one matrix, whose numbers may change in their place, with L and U in single precision: M stays symmetric
/// and positive definite where D is. The backend outlives this.
template <Backend B, class From>
class SsorPreconditioner final : public PreparesZ {
 public:
  /// As ColoredMatrix; `rows` are those of the matrix.
  SsorPreconditioner(B& backend, Index rows, const ColoredHalves& halves, const From* matrix,
                     bool only_diagonal_changes)
      : backend_(&backend),
        matrix_(backend, halves, matrix, only_diagonal_changes),
        y_(backend.template allocate<Real>(halves.row.size())),
        z_(backend.template allocate<Real>(static_cast<std::size_t>(rows))) {}

  /// To be called before a solve, when the matrix may have changed. Nothing waits.
  void follow_matrix(const CgState* /*last_solve*/ = nullptr) {
    matrix_.renew(*backend_);
    backend_->for_each(matrix_.positions(), ClearVector{y_.data()});  // padding multiplies by what it was, maybe a NaN
  }

  /// z = M⁻¹ r, [rows] each.
  void apply(const Real* r) const override {
    const Index last = matrix_.colors() - 1;
    for (Index color = 0; color <= last; ++color)
      backend_->for_each(matrix_.size(color), SsorForward<float>{matrix_.begin(color), matrix_.lower(), matrix_.row(),
                                                                 matrix_.inverse_diagonal(), r, y_.data(),
                                                                 color == last ? z_.data() : nullptr});
    for (Index color = last; color-- > 0;)
      backend_->for_each(matrix_.size(color), SsorBackward<float>{matrix_.begin(color), matrix_.upper(), matrix_.row(),
                                                                  matrix_.inverse_diagonal(), y_.data(), z_.data()});
  }

  /// The preconditioner as ConjugateGradient takes it. It is good as long as this object.
  PreparedZ<Real> preconditioner() const { return {this, z_.data(), nullptr}; }

 private:
  B* backend_;
  ColoredMatrix<B, From, float> matrix_;
  Buffer<Real> y_, z_;
};

}  // namespace cardiowarp
