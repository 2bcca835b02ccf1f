#pragma once
#include <memory>
#include <utility>

#include "solver/linear_solver.hpp"

namespace cardiowarp::test {

/// A matrix of a test as a solver sees it. `Matrix` has multiply, multiply_dot and absolute_row_sums as SparseMatrix
/// has them, as templates over values and vectors.
template <Backend B, class Matrix>
class MatrixOfATest final : public SparseMatrix<B> {
 public:
  /// `A` lives as long as this.
  explicit MatrixOfATest(const Matrix& A) : matrix_(A) {}
  void multiply(B& backend, const Real* values, const Real* x, Real* y) const override {
    matrix_.multiply(backend, values, x, y);
  }
  void multiply(B& backend, const float* values, const Real* x, Real* y) const override {
    matrix_.multiply(backend, values, x, y);
  }
  void multiply(B& backend, const float* values, const float* x, float* y) const override {
    matrix_.multiply(backend, values, x, y);
  }
  void multiply_dot(B& backend, const Real* values, const Real* p, Real* q, Real* pq) const override {
    matrix_.multiply_dot(backend, values, p, q, pq);
  }
  void multiply_dot(B& backend, const float* values, const Real* p, Real* q, Real* pq) const override {
    matrix_.multiply_dot(backend, values, p, q, pq);
  }
  void multiply_dot(B& backend, const float* values, const float* p, float* q, Real* pq) const override {
    matrix_.multiply_dot(backend, values, p, q, pq);
  }
  void absolute_row_sums(B& backend, const Real* values, Real* y) const override {
    matrix_.absolute_row_sums(backend, values, y);
  }
  void absolute_row_sums(B& backend, const float* values, Real* y) const override {
    matrix_.absolute_row_sums(backend, values, y);
  }
  void absolute_row_sums(B& backend, const float* values, float* y) const override {
    matrix_.absolute_row_sums(backend, values, y);
  }

 private:
  const Matrix& matrix_;
};

/// A solver with the matrix that it multiplies by.
template <Backend B, class Matrix>
class SolverOfATest final : public LinearSolver<B> {
 public:
  SolverOfATest(B& backend, const SolverPlan& plan, const EllWarpLayout& layout, const Matrix& A,
                const SystemInMemory& system, const EntriesOfK& entries)
      : matrix_(A), solver_(make_linear_solver(backend, plan, layout, matrix_, system, entries)) {}
  void begin_step() override { solver_->begin_step(); }
  void solve(B& backend, const CgConfig& config, const Forcing* forcing) override {
    solver_->solve(backend, config, forcing);
  }
  SolverPath path() const override { return solver_->path(); }
  SpectrumMemory* spectrum() override { return solver_->spectrum(); }

 private:
  MatrixOfATest<B, Matrix> matrix_;
  std::unique_ptr<LinearSolver<B>> solver_;
};

/// make_linear_solver() for a matrix of any type, which lives as long as the solver.
template <Backend B, class Matrix>
std::unique_ptr<LinearSolver<B>> solver_for(B& backend, const SolverPlan& plan, const EllWarpLayout& layout,
                                            const Matrix& A, const SystemInMemory& system,
                                            const EntriesOfK& entries = {}) {
  return std::make_unique<SolverOfATest<B, Matrix>>(backend, plan, layout, A, system, entries);
}

}  // namespace cardiowarp::test
