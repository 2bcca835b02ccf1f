#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/matrix.hpp"
#include "app/simulation/window_order.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/libraries/metis_parts.hpp"
#include "kernels/sparse/ell_warp.cuh"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "solver/linear_solver.hpp"
#include "solver/on_chip/on_chip_cg.cuh"
#include "solver/parts/parts_product.cuh"
#include "solver/persistent/persistent_cg.cuh"
#include "tests/support/random_mesh.hpp"
#include "tests/support/solver_for.hpp"

namespace cardiowarp::test::paths {

// Linear systems that a GPU solves on every path that it has, beside the CPU's plain one. Both plans the paths for a
// matrix in ELL-WARP, solves on any of them and tells the true residual as the CPU finds it. for_all() goes through
// matrices that fit on the chip, that do not, and whose parts are cut in several ways.

inline constexpr unsigned seed = 53;
inline constexpr Real tight = 1e-12;

/// Symmetric and diagonally dominant: neighbors, and each row with its mirror image, far away in another part.
inline BenchMatrix mirrored(Index rows) {
  BenchMatrix matrix{"mirrored", {0}, {}, {}};
  for (Index row = 0; row < rows; ++row) {
    std::map<Index, Real> entries{{row, 5 + 0.01 * (row % 7)}};
    if (row > 0) entries[row - 1] = -1;
    if (row + 1 < rows) entries[row + 1] = -1;
    if (rows - 1 - row != row) entries[rows - 1 - row] -= 0.5;
    for (const auto& [column, value] : entries) matrix.column.push_back(column), matrix.value.push_back(value);
    matrix.row_begin.push_back(static_cast<Index>(matrix.column.size()));
  }
  return matrix;
}

/// Symmetric and diagonally dominant, `length` entries a row but at both ends: 1024 such rows are more than a
/// multiprocessor can keep.
inline BenchMatrix banded(Index rows, Index length) {
  BenchMatrix matrix{"banded", {0}, {}, {}};
  for (Index row = 0; row < rows; ++row) {
    for (Index column = std::max(0, row - length / 2); column <= std::min(rows - 1, row + length / 2); ++column) {
      matrix.column.push_back(column);
      matrix.value.push_back(column == row ? length + 0.01 * (row % 7) : -1.0 / (1 + std::abs(row - column)));
    }
    matrix.row_begin.push_back(static_cast<Index>(matrix.column.size()));
  }
  return matrix;
}

inline BenchMatrix of_slab(Vector3 size_mm, Real edge_mm) {
  return mesh_matrix("slab", random_mesh(size_mm, edge_mm, seed));
}

/// Its windows are parts of METIS.
inline BenchMatrix cut_by_metis(const BenchMatrix& matrix, Index window) {
  return in_order(matrix, metis_window_order({matrix.row_begin, matrix.column}, window));
}

struct Product {
  const EllWarpMatrix* A;
  template <Backend B, class Value, class Number>
  void multiply(B& backend, const Value* values, const Number* x, Number* y) const {
    ell_warp_multiply(backend, 0, A->view(values), TimesVector{x}, y);
  }
  template <Backend B, class Value, class Number>
  void absolute_row_sums(B& backend, const Value* values, Number* y) const {
    ell_warp_multiply(backend, 0, A->view(values), AbsoluteValues<>{}, y);
  }
  template <Backend B, class Value, class Number>
  void multiply_dot(B& backend, const Value* values, const Number* p, Number* q, Real* pq) const {
    multiply(backend, values, p, q);
    backend.template sum<1>(A->view().rows, pq, Dot{p, q});
  }
};

struct Solution {
  CgReport report;
  std::vector<Real> x;
};

/// A matrix in parts, and the same one for the CPU.
class Both {
 public:
  /// The solvers are planned for the GPU that there is, or for another that is named.
  explicit Both(const BenchMatrix& matrix, Index window = 0, const std::optional<Device>& planned_for = {},
                SolverPrecision precision = SolverPrecision::double_precision)
      : rows_(matrix.rows()),
        precision_(precision),
        layout_(ell_warp_layout(row_lengths(matrix.row_begin), matrix.column,
                                {.variant = EllWarpVariant::k1,
                                 .renumbering = EllWarpRenumbering::rows_and_columns_sorted,
                                 .window = window == 0 ? on_chip_window(rows_, gpu_.device()) : window})),
        value_(layout_.shape.stored_entries()),
        inverse_diagonal_(rows_) {
    for (std::size_t e = 0; e < matrix.value.size(); ++e) value_[layout_.slot_of_entry[e]] = matrix.value[e];
    const std::vector<Index> new_of_old = inverse_permutation(layout_.shape.row);
    for (Index row = 0; row < rows_; ++row)
      for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
        if (matrix.column[e] == row) inverse_diagonal_[new_of_old[row]] = 1 / matrix.value[e];
    given_value_ = value_;
    const auto parts = matrix_parts(layout_);
    if (!parts || !fits_any_block(*parts)) throw std::runtime_error("has no parts");
    on_gpu_.emplace(gpu_, layout_);
    gpu_.upload(std::span<const Real>(value_), on_gpu_->value());
    device_inverse_ = uploaded(gpu_, inverse_diagonal_);
    for (Buffer<Real>* vector : {&r_, &x_}) *vector = gpu_.allocate<Real>(rows_);
    state_ = gpu_.allocate<CgState>(1);
    forcing_ = gpu_.allocate<Forcing>(1);
    product_ = {&*on_gpu_};

    const Device& device = planned_for ? *planned_for : gpu_.device();
    SolverPlan plan;
    plan.precision = precision;
    add(plan);
    plan.parts = parts;
    add(plan);
    plan.persistent = persistent_shape(*parts, device, bytes_a_number(precision));
    add(plan);
    plan.persistent.reset();
    plan.on_chip = on_chip_shape(layout_.shape, *parts, device, bytes_a_value(precision), bytes_a_number(precision));
    add(plan);
  }

  /// The ways there are on this GPU: a smaller one may have no room for the blocks of some.
  std::vector<SolverPath> paths() const {
    std::vector<SolverPath> all;
    for (const auto& [path, solver] : solvers_) all.push_back(path);
    return all;
  }

  Solution on_gpu(SolverPath path, const std::vector<Real>& b, const CgConfig& config,
                  const Forcing* forcing = nullptr) {
    gpu_.upload(std::span<const Real>(b), r_.data());
    if (forcing != nullptr) gpu_.upload(std::span<const Forcing>(forcing, 1), forcing_.data());
    solvers_.at(path)->solve(gpu_, config, forcing == nullptr ? nullptr : forcing_.data());
    Solution solution{gpu_.read(state_.data()).report, std::vector<Real>(rows_)};
    gpu_.download(static_cast<const Real*>(x_.data()), std::span<Real>(solution.x));
    return solution;
  }

  Solution plain(const std::vector<Real>& b, const CgConfig& config, const Forcing* forcing = nullptr) {
    EllWarpMatrix A(cpu_, layout_);
    upload_as_multiplied(A);
    Solution solution{{}, std::vector<Real>(rows_)};
    std::vector<Real> r = b;
    const Product product{&A};
    solution.report = conjugate_gradient(cpu_, MatrixWithValues<Product, Real>{&product, A.value()},
                                         JacobiPreconditioner{inverse_diagonal_.data()},
                                         {rows_, r.data(), solution.x.data()}, config, forcing);
    return solution;
  }

  /// |b − A x| as the CPU finds it, A in the precision in which it is multiplied.
  Real residual_norm(const std::vector<Real>& b, const std::vector<Real>& x) {
    EllWarpMatrix A(cpu_, layout_);
    upload_as_multiplied(A);
    std::vector<Real> product(rows_);
    ell_warp_multiply(cpu_, 0, A.view(), TimesVector{x.data()}, product.data());
    Real sum = 0;
    for (Index row = 0; row < rows_; ++row) sum += (b[row] - product[row]) * (b[row] - product[row]);
    return std::sqrt(sum);
  }

  /// Solves with a polynomial on the paths that have it: a new solver, which finds its bounds first.
  Solution with_polynomial(SolverPath path, const PolynomialOptions& options, const std::vector<Real>& b,
                           const CgConfig& config) {
    SolverPlan plan;
    plan.precision = precision_;
    plan.preconditioner = options;
    if (path != SolverPath::plain) plan.parts = matrix_parts(layout_);
    if (path == SolverPath::persistent)
      plan.persistent = persistent_shape(*plan.parts, gpu_.device(), bytes_a_number(precision_));
    const auto solver = test::solver_for(gpu_, plan, layout_, product_, system());
    EXPECT_EQ(solver->path(), path);
    gpu_.upload(std::span<const Real>(b), r_.data());
    solver->solve(gpu_, config, nullptr);
    Solution solution{gpu_.read(state_.data()).report, std::vector<Real>(rows_)};
    gpu_.download(static_cast<const Real*>(x_.data()), std::span<Real>(solution.x));
    return solution;
  }

  /// The same on the CPU.
  Solution with_polynomial_on_cpu(const PolynomialOptions& options, const std::vector<Real>& b,
                                  const CgConfig& config) {
    EllWarpMatrix A(cpu_, layout_);
    cpu_.upload(std::span<const Real>(value_), A.value());
    const Product product{&A};
    Solution solution{{}, std::vector<Real>(rows_)};
    std::vector<Real> r = b, inverse = inverse_diagonal_;
    CgState state{};
    SolverPlan plan;
    plan.precision = precision_;
    plan.preconditioner = options;
    test::solver_for(
        cpu_, plan, layout_, product,
        {rows_, layout_.shape.stored_entries(), A.value(), inverse.data(), r.data(), solution.x.data(), &state})
        ->solve(cpu_, config, nullptr);
    solution.report = state.report;
    return solution;
  }

  Index rows() const { return rows_; }
  /// Makes the matrix `factor` times the one that was given.
  void scale_matrix(Real factor) {
    for (std::size_t e = 0; e < value_.size(); ++e) value_[e] = factor * given_value_[e];
    gpu_.upload(std::span<const Real>(value_), on_gpu_->value());
  }

 private:
  /// Where the device has no room for what the plan says, this is a solver that is there already.
  void add(const SolverPlan& plan) {
    auto solver = test::solver_for(gpu_, plan, layout_, product_, system());
    const SolverPath path = solver->path();
    solvers_.emplace(path, std::move(solver));
  }

  SystemInMemory system() const {
    return {rows_,
            layout_.shape.stored_entries(),
            on_gpu_->view().value,
            device_inverse_.data(),
            r_.data(),
            x_.data(),
            state_.data()};
  }

  /// The values as solves multiply by them, into a matrix of the CPU.
  void upload_as_multiplied(EllWarpMatrix& A) {
    std::vector<Real> value = value_;
    if (precision_ != SolverPrecision::double_precision)
      for (Real& number : value) number = static_cast<float>(number);
    cpu_.upload(std::span<const Real>(value), A.value());
  }

  Index rows_;
  SolverPrecision precision_;
  CudaBackend gpu_;
  CpuBackend cpu_;
  EllWarpLayout layout_;
  std::vector<Real> value_, given_value_, inverse_diagonal_;
  std::optional<EllWarpMatrix> on_gpu_;
  Product product_{};
  Buffer<Real> device_inverse_, r_, x_;
  Buffer<CgState> state_;
  Buffer<Forcing> forcing_;
  std::map<SolverPath, std::unique_ptr<LinearSolver<CudaBackend>>> solvers_;
};

inline Real largest(const std::vector<Real>& x) {
  Real largest = 0;
  for (const Real value : x) largest = std::max(largest, std::fabs(value));
  return largest;
}

inline Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

struct Case {
  std::string name;
  BenchMatrix matrix;
  Index window = 0;
};

inline std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Index rows : {1, 2, 31, 32, 33, 97, 4225, 67'585}) all.push_back({std::to_string(rows), mirrored(rows)});
  all.push_back({"one part of 2048 rows", mirrored(2048), 2048});
  all.push_back({"a last part of one row", mirrored(1025), 1024});
  for (const Index length : {23, 41}) all.push_back({"entries that are not kept", banded(2999, length), 1024});
  all.push_back({"2113 parts", mirrored(67'585), 32});
  all.push_back({"more than the L2 cache holds", banded(310'000, 21), 1024});
  all.push_back({"no q in shared memory", banded(9'001, 5), 4096});
  all.push_back({"some of q in shared memory", banded(1'600'001, 3), 3008});
  all.push_back({"slab of 6 thousand nodes", of_slab({12, 7, 3}, 0.4)});
  all.push_back({"slab of 90 thousand nodes", of_slab({20, 13, 7}, 0.28)});
  all.push_back({"slab in more parts than groups", of_slab({20, 13, 7}, 0.28), 64});
  if (has_metis()) {
    all.push_back({"slab of 6 thousand nodes cut by METIS", cut_by_metis(of_slab({12, 7, 3}, 0.4), 96), 96});
    all.push_back({"slab of 90 thousand nodes cut by METIS", cut_by_metis(of_slab({20, 13, 7}, 0.28), 1024), 1024});
  }
  return all;
}

/// Precisions whose vectors are in double precision.
inline constexpr SolverPrecision with_double_vectors[] = {SolverPrecision::double_precision, SolverPrecision::mixed};
inline constexpr SolverPrecision in_single[] = {SolverPrecision::single};

/// check(system, path) for all cases on all paths in the precisions.
template <class Check>
void for_all(std::span<const SolverPrecision> precisions, const Check& check) {
  for (const Case& c : cases())
    for (const SolverPrecision precision : precisions) {
      Both both(c.matrix, c.window, {}, precision);
      for (const SolverPath path : both.paths()) {
        SCOPED_TRACE(c.name + ", " + std::string(name_of(path)) + ", " + std::string(name_of(precision)));
        check(both, path);
      }
    }
}

}  // namespace cardiowarp::test::paths
