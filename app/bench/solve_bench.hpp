#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/bench/solver_bench.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/backend.hpp"
#include "kernels/sparse/csr.hpp"
#include "kernels/sparse/matrix_format.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/linear_solver.hpp"
#include "solver/rounded_values.hpp"
#include "solver/solver_precision.hpp"

namespace cardiowarp {

// The pieces that the methods of `bench solver` share on every backend: a system in the format of a run (BenchSystem),
// and the clock and the check of a solve (SolveBench). solver_cuda.cu has the methods of a GPU, solver_cpu.cpp those of
// the CPU, polynomial_bench.hpp those that both have.

/// A system in one format of a run, in the memory of a backend. Its vectors have the numbering of the format and
/// numbers of the type `Number`.
template <Backend B, class Format, class Number = Real>
struct BenchSystem {
  BenchSystem(B& backend, const BenchMatrix& matrix, const std::vector<Real>& given_b, const MatrixOptions& options)
      : pattern{matrix.row_begin, matrix.column},
        block_size(options.block_size),
        layout(Format::layout(pattern, options)),
        order(Format::own_order(layout)),
        entries(Format::take_entries(layout, pattern)),
        A(backend, pattern, layout),
        value(A.value()),
        x(backend.template allocate<Number>(given_b.size())) {
    std::vector<Real> stored(entries.slots);
    std::vector<Number> inverse(given_b.size()), permuted(given_b.size());
    std::vector<Index> diagonal(given_b.size());
    for (std::size_t e = 0; e < matrix.value.size(); ++e) stored[entries.slot_of_entry[e]] = matrix.value[e];
    for (Index i = 0; i < matrix.rows(); ++i) {
      const Index row = given_row(i);
      permuted[i] = static_cast<Number>(given_b[row]);
      for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
        if (matrix.column[e] == row) {
          inverse[i] = static_cast<Number>(1 / matrix.value[e]);
          diagonal[i] = static_cast<Index>(entries.slot_of_entry[e]);
        }
    }
    backend.upload(std::span<const Real>(stored), value);
    b = uploaded(backend, permuted);
    inverse_diagonal = uploaded(backend, inverse);
    diagonal_slot = uploaded(backend, diagonal);
  }

  Index rows() const { return pattern.rows(); }
  /// The system as the solvers of a run take it.
  template <class Value>
  SystemOf<Value, Number> with(const Value* values) const {
    return {rows(), entries.slots, values, inverse_diagonal.data(), nullptr, x.data(), nullptr};
  }
  /// The row of the given matrix that is row i in the format.
  Index given_row(Index i) const { return order.empty() ? i : order[i]; }

  CsrPattern pattern;
  int block_size;
  typename Format::Layout layout;
  std::vector<Index> order;
  StoredEntries entries;
  typename Format::template Product<B> A;
  Real* value;  ///< [slots]
  Buffer<Number> x, b, inverse_diagonal;
  Buffer<Index> diagonal_slot;
};

/// The values of a system that a solve multiplies by: its own or, as floats, rounded. Before each solve the diagonal is
/// rounded again, as in a run with quadrature: vertices.
template <Backend B, class Value>
struct SolveValues {
  template <class Format, class Number>
  SolveValues(B&, const BenchSystem<B, Format, Number>& system) : value(system.value) {}
  void renew(B&) const {}
  const Real* data() const { return value; }

  const Real* value;
};
template <Backend B>
struct SolveValues<B, float> : RoundedValues<B> {
  template <class Format, class Number>
  SolveValues(B& backend, const BenchSystem<B, Format, Number>& system)
      : RoundedValues<B>(backend, system.rows(), system.entries.slots, system.value, system.diagonal_slot.data()) {}
};

/// A system on a path of the solver, for all that is measured with other preconditioners than Jacobi: `A` multiplies it
/// as ConjugateGradient asks, `values` are SolveValues. Owns nothing.
template <class System, class Matrix, class Values>
struct SystemOnPath {
  std::string method;
  const System& system;
  const Matrix& A;
  const Values& values;
  double setup_s;
};
template <class System, class Matrix, class Values>
SystemOnPath(std::string, const System&, const Matrix&, const Values&, double) -> SystemOnPath<System, Matrix, Values>;

/// The products of a format with one set of values, as ConjugateGradient and PolynomialPreconditioner multiply.
template <class Product, class Value>
struct BenchProduct {
  const Product* A;
  const Value* value;
  int block_size;
  template <Backend B, class Number>
  void multiply_dot(B& backend, const Number* p, Number* q, Real* pq) const {
    A->multiply_dot(backend, block_size, value, p, q, pq);
  }
  template <Backend B, class Number>
  void multiply(B& backend, const Number* x, Number* y) const {
    A->multiply(backend, block_size, value, x, y);
  }
  template <Backend B, class Number>
  void absolute_row_sums(B& backend, Number* y) const {
    A->absolute_row_sums(backend, block_size, value, y);
  }
  template <class Other>
  BenchProduct<Product, Other> with(const Other* other) const {
    return {A, other, block_size};
  }
};
template <class System, class Value>
auto product_of(const System& system, const Value* value) {
  return BenchProduct<std::remove_cvref_t<decltype(system.A)>, Value>{&system.A, value, system.block_size};
}

/// The name of a method with values and vectors of these types.
template <class Value, class Number = Real>
std::string with_precision(const std::string& method) {
  constexpr SolverPrecision precision = sizeof(Number) == sizeof(float)  ? SolverPrecision::single
                                        : sizeof(Value) == sizeof(float) ? SolverPrecision::mixed
                                                                         : SolverPrecision::double_precision;
  if constexpr (precision == SolverPrecision::double_precision) return method;
  return method + "_" + std::string(name_of(precision));
}

/// Solves one matrix for one right-hand side by one method after the other, and keeps what it measures.
template <Backend B>
class SolveBench {
 public:
  /// The |r| / |b| at which a solve ends.
  template <class Number>
  static constexpr Real tolerance = sizeof(Number) == sizeof(float) ? 1e-6 : 1e-10;
  static constexpr int most_iterations = 10'000;

  SolveBench(B& backend, const BenchMatrix& matrix, int repeats)
      : backend_(&backend), matrix_(&matrix), repeats_(repeats), b_(matrix.rows()) {
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    for (Real& value : b_) value = uniform(generator);
  }

  const std::vector<Real>& b() const { return b_; }
  int repeats() const { return repeats_; }
  B& backend() const { return *backend_; }
  SolverReport& report() { return report_; }

  /// The seconds of `repeats` calls, one after the other.
  template <class Call>
  Spread seconds_of(const Call& call) const {
    std::vector<double> seconds(repeats_);
    for (double& once : seconds) {
      const auto watch = backend_->stopwatch(once);
      call();
    }
    backend_->synchronize();
    return spread_of(std::move(seconds));
  }

  /// Adds `m` with what a solve takes. `solve(config)` solves `system`, whose values of A are rounded to `Value`, or
  /// makes the device do so; last_report() is that of the last solve, seconds(call) the spread of a call. Throws
  /// InputError where the matrix turns out not to be positive definite; single precision is no witness of that.
  template <class Value, class Format, class Number, class Solve, class LastReport, class Seconds>
  void measure(SolverMeasurement m, const BenchSystem<B, Format, Number>& system, const Solve& solve,
               const LastReport& last_report, const Seconds& seconds) {
    constexpr Real asked = tolerance<Number>;
    m.bytes_a_value = sizeof(Value);
    m.bytes_a_number = sizeof(Number);
    solve({asked, most_iterations});
    const CgReport report = last_report();
    if (report.status == CgStatus::not_positive_definite && std::is_same_v<Number, Real>)
      throw InputError(matrix_->name +
                       ": expected a positive definite matrix, but conjugate gradients found a direction p with "
                       "p·A p <= 0 after " +
                       std::to_string(report.iterations) + " iterations");
    m.iterations = report.iterations;
    m.true_residual = true_residual<Value>(system);
    m.correct = report.status == CgStatus::converged && m.true_residual <= 2 * asked;
    const auto timed = [&](const CgConfig& config) { return seconds([&] { solve(config); }); };
    if (m.correct) {
      m.solve = timed({asked, most_iterations});
      m.true_residual = std::max(m.true_residual, true_residual<Value>(system));  // of what was captured, too
      m.correct = m.true_residual <= 2 * asked;
      const int few = m.iterations / 2, most = m.iterations - 1;
      if (most > few) m.iteration_s = (timed({asked, most}).median - timed({asked, few}).median) / (most - few);
    }
    report_.measurements.push_back(std::move(m));
  }

  /// |b − A x| / |b|, with the values of A rounded to `Value`.
  template <class Value, class Format, class Number>
  Real true_residual(const BenchSystem<B, Format, Number>& system) const {
    std::vector<Number> sorted(b_.size());
    std::vector<Real> x(b_.size()), r(b_.size());
    backend_->download(static_cast<const Number*>(system.x.data()), std::span<Number>(sorted));
    for (Index i = 0; i < matrix_->rows(); ++i) x[system.given_row(i)] = sorted[i];
    const std::vector<Value> value(matrix_->value.begin(), matrix_->value.end());
    const CsrViewOf<Value> A{matrix_->rows(), matrix_->row_begin.data(), matrix_->column.data(), value.data()};
    for (Index row = 0; row < matrix_->rows(); ++row) r[row] = b_[row] - row_times_vector(A, row, x.data());
    return norm(r) / norm(b_);
  }

 private:
  static Real norm(const std::vector<Real>& x) {
    Real sum = 0;
    for (const Real value : x) sum += value * value;
    return std::sqrt(sum);
  }

  B* backend_;
  const BenchMatrix* matrix_;
  int repeats_;
  std::vector<Real> b_;
  SolverReport report_;
};

/// Loop body: copies a vector.
template <class Number>
struct CopyVector {
  const Number* from;
  Number* to;
  CARDIOWARP_HD void operator()(Index i) const { to[i] = from[i]; }
};

}  // namespace cardiowarp
