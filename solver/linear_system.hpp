#pragma once
#include <cstdint>

#include "kernels/backend/backend.hpp"
#include "solver/cg/cg_state.hpp"
#include "solver/cg/cg_vectors.hpp"
#include "solver/solver_path.hpp"

namespace cardiowarp {

// The interface of a linear solver, the places of a system in backend memory, and a matrix with values from anywhere:
// all paths through a linear solve have these in common. solver/linear_solver.hpp makes the solvers.

class SpectrumMemory;  // solver/preconditioners/spectrum_memory.hpp

/// Solves linear systems K x = b by conjugate gradients, one after the other: K, b and x change their numbers from
/// system to system, not their places in backend memory, which a solver gets when it is made (SystemInMemory). There is
/// one class for each path (solver_path.hpp); Newton's method knows no more than this interface.
template <Backend B>
class LinearSolver {
 public:
  LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;
  virtual ~LinearSolver() = default;

  /// Says that the next K is the first of a time step: what a solver derives from K once a step, it derives again.
  virtual void begin_step() {}
  /// Solves from x = 0 to the larger of the two tolerances, config's and that of the forcing term in backend memory,
  /// where there is one. Nothing waits; the report will be in the system's state.
  virtual void solve(B& backend, const CgConfig& config, const Forcing* forcing) = 0;
  virtual SolverPath path() const = 0;
  /// The memory of a polynomial preconditioner, on which the solves to come depend; null with any other.
  virtual SpectrumMemory* spectrum() { return nullptr; }
};

/// Where one linear system is in backend memory; vectors are [rows].
template <class Value, class Number = Real>
struct SystemOf {
  Index rows;
  std::int64_t slots;              ///< stored entries of K, padding included
  const Value* value;              ///< [slots] the values of K, in the order of its layout
  const Number* inverse_diagonal;  ///< 1 / K_ii, for the Jacobi preconditioner
  Number* b;                       ///< right-hand side; overwritten by a solve
  Number* x;
  CgState* state;

  /// A system with other values of K, [slots], and all else as here.
  template <class Other>
  SystemOf<Other, Number> with(const Other* values) const {
    return {rows, slots, values, inverse_diagonal, b, x, state};
  }
  CgVectors<Number> vectors() const { return {rows, b, x, state}; }
};
using SystemInMemory = SystemOf<Real>;

/// A matrix with values from anywhere, [slots], of double or of single precision: what conjugate gradients and a
/// polynomial multiply by on the path `plain`. A.multiply_dot(backend, values, p, q, pq) is q = A p and *pq = p·q,
/// A.multiply(backend, values, x, y) is y = A x and A.absolute_row_sums(backend, values, y) is y_i = Σ_j |A_ij|; these
/// two have vectors in single precision, too, where the values are.
template <class Matrix, class Value>
struct MatrixWithValues {
  const Matrix* A;
  const Value* value;
  template <Backend B, class Number>
  void multiply_dot(B& backend, const Number* p, Number* q, Real* pq) const {
    A->multiply_dot(backend, value, p, q, pq);
  }
  template <Backend B, class Number>
  void multiply(B& backend, const Number* x, Number* y) const {
    A->multiply(backend, value, x, y);
  }
  template <Backend B, class Number>
  void absolute_row_sums(B& backend, Number* y) const {
    A->absolute_row_sums(backend, value, y);
  }
  /// The matrix with other values, [slots].
  template <class Other>
  MatrixWithValues<Matrix, Other> with(const Other* other) const {
    return {A, other};
  }
};

}  // namespace cardiowarp
