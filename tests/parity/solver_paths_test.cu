// Conjugate gradients on the chip, in one launch and in parts against those of the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
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
#include "tests/support/gpu_test.hpp"
#include "tests/support/large_gpu.cuh"
#include "tests/support/random_csr.hpp"
#include "tests/support/random_mesh.hpp"

namespace cardiowarp {
namespace {

constexpr unsigned seed = 53;
constexpr Real tight = 1e-12;

using SolverPaths = GpuTest;

/// Symmetric and diagonally dominant: neighbours, and each row with its mirror image, far away in another part.
BenchMatrix mirrored(Index rows) {
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
BenchMatrix banded(Index rows, Index length) {
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

BenchMatrix of_slab(Vector3 size_mm, Real edge_mm) { return mesh_matrix("slab", random_mesh(size_mm, edge_mm, seed)); }

/// Its windows are parts of METIS.
BenchMatrix cut_by_metis(const BenchMatrix& matrix, Index window) {
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
    solution.report = conjugate_gradient(cpu_, rows_, MatrixWithValues<Product, Real>{&product, A.value()},
                                         JacobiPreconditioner{inverse_diagonal_.data()}, r.data(), solution.x.data(),
                                         config, forcing);
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
    plan.polynomial = options;
    if (path != SolverPath::plain) plan.parts = matrix_parts(layout_);
    if (path == SolverPath::persistent)
      plan.persistent = persistent_shape(*plan.parts, gpu_.device(), bytes_a_number(precision_));
    const auto solver = make_linear_solver(gpu_, plan, layout_, product_, system());
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
    plan.polynomial = options;
    make_linear_solver(
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
    auto solver = make_linear_solver(gpu_, plan, layout_, product_, system());
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

Real largest(const std::vector<Real>& x) {
  Real largest = 0;
  for (const Real value : x) largest = std::max(largest, std::fabs(value));
  return largest;
}

Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

struct Case {
  std::string name;
  BenchMatrix matrix;
  Index window = 0;
};

std::vector<Case> cases() {
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
constexpr SolverPrecision with_double_vectors[] = {SolverPrecision::double_precision, SolverPrecision::mixed};
constexpr SolverPrecision in_single[] = {SolverPrecision::single};

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

TEST_F(SolverPaths, AreAllThereForAMatrixThatFitsAndAllButOneForALargerOne) {
  if (!has_room_for_large_blocks()) GTEST_SKIP() << "solves on the chip and in one launch need an H100 or H200";
  using enum SolverPath;
  EXPECT_EQ(Both(mirrored(4225)).paths(), (std::vector<SolverPath>{plain, in_parts, persistent, on_chip}));
  EXPECT_EQ(Both(mirrored(67'585), 256).paths(), (std::vector<SolverPath>{plain, in_parts, persistent}));
}

TEST_F(SolverPaths, KeepAMatrixOnTheChipInMixedPrecisionThatIsTooLargeForItInDouble) {
  if (!has_room_for_large_blocks()) GTEST_SKIP() << "solves on the chip and in one launch need an H100 or H200";
  // Parts of 1024 rows with 59 entries: 60,416 entries, of which at least half have to be kept. 230,400 bytes, less
  // 8,192 of the rows, hold no more than 22,220 entries of 10 bytes; less those of the halo, too, 36,900 of 6.
  for (const SolverPrecision precision : with_double_vectors) {
    const auto name = name_of(precision);
    Both both(banded(4096, 59), 1024, {}, precision);
    const std::vector<SolverPath> paths = both.paths();
    const bool is_mixed = precision == SolverPrecision::mixed;
    ASSERT_EQ(std::count(paths.begin(), paths.end(), SolverPath::on_chip), is_mixed ? 1 : 0) << name;
    if (!is_mixed) continue;
    const std::vector<Real> b = random_values(both.rows(), seed + 9);
    const Solution on_chip = both.on_gpu(SolverPath::on_chip, b, {1e-10, 1000});
    EXPECT_EQ(on_chip.report.status, CgStatus::converged);
    EXPECT_LE(both.residual_norm(b, on_chip.x), 1.2e-10 * on_chip.report.rhs_norm);
  }
}

TEST_F(SolverPaths, HaveTheIteratesOfThePlainOne) {
  for_all(with_double_vectors, [](Both& both, SolverPath path) {
    const std::vector<Real> b = random_values(both.rows(), seed + 1);
    const Solution exact = both.plain(b, {1e-14, 1000});
    for (const int iterations : {0, 1, 2, 5, 9}) {
      SCOPED_TRACE(iterations);
      const Solution plain = both.plain(b, {1e-13, iterations}), on_gpu = both.on_gpu(path, b, {1e-13, iterations});
      EXPECT_EQ(on_gpu.report.status, plain.report.status);
      EXPECT_EQ(on_gpu.report.iterations, plain.report.iterations);
      EXPECT_NEAR(on_gpu.report.rhs_norm, plain.report.rhs_norm, 1e-13 * plain.report.rhs_norm);
      EXPECT_LE(largest_difference(on_gpu.x, plain.x), tight * largest(exact.x));
      if (iterations > 0) {
        EXPECT_GT(largest(plain.x), 0.01);
      }
    }
  });
}

/// In single precision what the paths add in different orders differs by as much as rounding leaves of |b − A x|.
TEST_F(SolverPaths, InSinglePrecisionLeaveTheTrueResidualAsSmallAsAskedOrAsItHolds) {
  for_all(in_single, [](Both& both, SolverPath path) {
    const std::vector<Real> b = random_values(both.rows(), seed + 2);
    for (const Real tolerance : {1e-2, 1e-4, 1e-6, 1e-12}) {
      SCOPED_TRACE(tolerance);
      const Real held = std::max(tolerance, smallest_target_in_single);
      const Solution on_gpu = both.on_gpu(path, b, {tolerance, 1000}), plain = both.plain(b, {held, 1000});
      EXPECT_EQ(on_gpu.report.status, CgStatus::converged);
      EXPECT_NEAR(on_gpu.report.rhs_norm, plain.report.rhs_norm, 1e-6 * plain.report.rhs_norm);
      EXPECT_LE(both.residual_norm(b, on_gpu.x), 1.2 * held * on_gpu.report.rhs_norm + 1e-6 * on_gpu.report.rhs_norm);
      EXPECT_NEAR(on_gpu.report.iterations, plain.report.iterations, path == SolverPath::on_chip ? 10 : 1);
      EXPECT_LE(largest_difference(on_gpu.x, plain.x), (4 * held + 2e-6) * largest(plain.x) * std::sqrt(both.rows()));
    }
    for (const int iterations : {0, 1, 2, 3}) {
      SCOPED_TRACE(iterations);
      const Solution plain = both.plain(b, {1e-5, iterations}), on_gpu = both.on_gpu(path, b, {1e-5, iterations});
      EXPECT_EQ(on_gpu.report.status, plain.report.status);
      EXPECT_EQ(on_gpu.report.iterations, plain.report.iterations);
      EXPECT_LE(largest_difference(on_gpu.x, plain.x), 1e-5 * std::max(largest(plain.x), 0.1));
    }
  });
}

TEST_F(SolverPaths, InSinglePrecisionSolveForARightHandSideOfAnySize) {
  Both both(of_slab({12, 7, 3}, 0.4), 0, {}, SolverPrecision::single);
  const std::vector<Real> b = random_values(both.rows(), seed + 3);
  for (const SolverPath path : both.paths()) {
    const Solution first = both.on_gpu(path, b, {1e-6, 1000});
    for (const Real scale : {0x1p-900, 0x1p-200, 0x1p200, 0x1p900}) {
      std::vector<Real> scaled = b;
      for (Real& number : scaled) number *= scale;
      const Solution solution = both.on_gpu(path, scaled, {1e-6, 1000});
      EXPECT_EQ(solution.report.iterations, first.report.iterations);
      EXPECT_EQ(solution.report.residual_norm, scale * first.report.residual_norm);
      for (Index row = 0; row < both.rows(); ++row) ASSERT_EQ(solution.x[row], scale * first.x[row]);
    }
  }
}

TEST_F(SolverPaths, KeepPartsOf4096RowsOnTheChipInSinglePrecision) {
  if (!has_room_for_large_blocks()) GTEST_SKIP() << "solves on the chip and in one launch need an H100 or H200";
  for (const BenchMatrix& matrix : {mirrored(2049), mirrored(4095), mirrored(4096), banded(12'289, 5)}) {
    const Index rows = matrix.rows();
    Both both(matrix, 4096, {}, SolverPrecision::single);
    const std::vector<SolverPath> paths = both.paths();
    ASSERT_EQ(std::count(paths.begin(), paths.end(), SolverPath::on_chip), 1) << rows;
    const std::vector<Real> b = random_values(both.rows(), seed + 9);
    const Solution on_chip = both.on_gpu(SolverPath::on_chip, b, {1e-5, 1000});
    EXPECT_EQ(on_chip.report.status, CgStatus::converged);
    EXPECT_LE(both.residual_norm(b, on_chip.x), 1.2e-5 * on_chip.report.rhs_norm);
    for (int run = 0; run < 20; ++run) ASSERT_EQ(both.on_gpu(SolverPath::on_chip, b, {1e-5, 1000}).x, on_chip.x);
  }
}

TEST_F(SolverPaths, LeaveTheTrueResidualAsSmallAsAsked) {
  for_all(with_double_vectors, [](Both& both, SolverPath path) {
    for (const Real tolerance : {1e-3, 1e-10, 1e-13}) {
      SCOPED_TRACE(tolerance);
      const std::vector<Real> b = random_values(both.rows(), seed + 2);
      const Solution on_gpu = both.on_gpu(path, b, {tolerance, 1000}), plain = both.plain(b, {tolerance, 1000});
      EXPECT_EQ(on_gpu.report.status, CgStatus::converged);
      EXPECT_LE(both.residual_norm(b, on_gpu.x), 1.2 * tolerance * on_gpu.report.rhs_norm);
      EXPECT_NEAR(both.residual_norm(b, on_gpu.x), on_gpu.report.residual_norm, 1e-13 * on_gpu.report.rhs_norm);
      if (tolerance >= 1e-10) {
        EXPECT_NEAR(on_gpu.report.iterations, plain.report.iterations, 1);
      }
      EXPECT_LE(largest_difference(on_gpu.x, plain.x), 4 * tolerance * largest(plain.x) * std::sqrt(both.rows()));
    }
  });
}

void expect_polynomials_of_the_cpu(SolverPrecision precision,
                                   PolynomialPrecision inside = PolynomialPrecision::double_precision) {
  for (const Case& c : cases()) {
    if (c.matrix.rows() > 100'000) continue;
    Both both(c.matrix, c.window, {}, precision);
    const std::vector<Real> b = random_values(both.rows(), seed + 8);
    for (const auto& [name, kind] : polynomial_kinds)
      for (const int degree : {1, 4}) {
        const Solution cpu = both.with_polynomial_on_cpu({kind, degree, inside}, b, {1e-10, 1000});
        EXPECT_EQ(cpu.report.status, CgStatus::converged);
        for (const SolverPath path : both.paths()) {
          if (path == SolverPath::on_chip) continue;  // which has Jacobi alone
          SCOPED_TRACE(c.name + ", " + std::string(name) + " of degree " + std::to_string(degree) + ", " +
                       std::string(name_of(path)));
          const Solution gpu = both.with_polynomial(path, {kind, degree, inside}, b, {1e-10, 1000});
          EXPECT_EQ(gpu.report.status, CgStatus::converged);
          EXPECT_NEAR(gpu.report.iterations, cpu.report.iterations, 1);
          EXPECT_LE(both.residual_norm(b, gpu.x), 1.2e-10 * gpu.report.rhs_norm);
          EXPECT_LE(largest_difference(gpu.x, cpu.x), 4e-10 * largest(cpu.x) * std::sqrt(both.rows()));
          EXPECT_EQ(both.with_polynomial(path, {kind, degree, inside}, b, {1e-10, 1000}).x, gpu.x);
        }
      }
  }
}

TEST_F(SolverPaths, WithAPolynomialAreThoseOfTheCpuAndTheSameInEveryRun) {
  expect_polynomials_of_the_cpu(SolverPrecision::double_precision);
}

TEST_F(SolverPaths, WithAPolynomialInMixedPrecisionAreThoseOfTheCpuAndTheSameInEveryRun) {
  expect_polynomials_of_the_cpu(SolverPrecision::mixed);
}

TEST_F(SolverPaths, WithAPolynomialAppliedInSinglePrecisionAreThoseOfTheCpuAndTheSameInEveryRun) {
  for (const SolverPrecision precision : {SolverPrecision::double_precision, SolverPrecision::mixed})
    expect_polynomials_of_the_cpu(precision, PolynomialPrecision::single);
}

TEST_F(SolverPaths, WithAPolynomialFailForTheReasonsThatTheOthersHave) {
  for (const PolynomialPrecision inside : {PolynomialPrecision::double_precision, PolynomialPrecision::single}) {
    Both both(mirrored(5000));
    const PolynomialOptions options{PolynomialKind::chebyshev, 3, inside};
    for (const SolverPath path : both.paths()) {
      if (path == SolverPath::on_chip) continue;
      SCOPED_TRACE(name_of(path));
      const auto report = [&](const std::vector<Real>& b, const CgConfig& config) {
        return both.with_polynomial(path, options, b, config).report;
      };
      std::vector<Real> b = random_values(5000, seed + 5);
      EXPECT_EQ(report(b, {0, 3}).status, CgStatus::iteration_limit);
      b[1234] = std::numeric_limits<Real>::quiet_NaN();
      EXPECT_EQ(report(b, {1e-10, 1000}).status, CgStatus::not_finite);
      b[1234] = 1;
      EXPECT_EQ(report(std::vector<Real>(5000), {1e-10, 1000}).status, CgStatus::converged);
      both.scale_matrix(1e39);  // more than single precision has
      EXPECT_EQ(report(b, {1e-10, 1000}).has_solution(), inside != PolynomialPrecision::single);
      both.scale_matrix(1);
      EXPECT_EQ(report(b, {1e-10, 1000}).status, CgStatus::converged);
    }
  }
}

TEST_F(SolverPaths, StopAtTheForcingTerm) {
  for (const SolverPrecision precision : {SolverPrecision::double_precision, SolverPrecision::single}) {
    Both both(of_slab({12, 7, 3}, 0.4), 0, {}, precision);
    const std::vector<Real> b = random_values(both.rows(), seed + 3);
    const Forcing forcing{.largest = 1e-2, .previous_norm = 0, .enough = 0};
    const Solution plain = both.plain(b, {1e-12, 1000}, &forcing);
    for (const SolverPath path : both.paths()) {
      const Solution on_gpu = both.on_gpu(path, b, {1e-12, 1000}, &forcing);
      EXPECT_EQ(on_gpu.report.iterations, plain.report.iterations);
      EXPECT_LT(on_gpu.report.iterations, both.on_gpu(path, b, {1e-12, 1000}).report.iterations);
    }
  }
}

TEST_F(SolverPaths, GiveTheSameBitsInEveryRun) {
  for (const Index window : {0, 64})  // at most one part a group, and two or three
    for (const SolverPrecision precision :
         {SolverPrecision::double_precision, SolverPrecision::mixed, SolverPrecision::single}) {
      Both both(of_slab({20, 13, 7}, 0.28), window, {}, precision);
      const std::vector<Real> b = random_values(both.rows(), seed + 4);
      for (const SolverPath path : both.paths()) {
        const Solution first = both.on_gpu(path, b, {1e-10, 1000});
        for (int run = 0; run < 200; ++run) {
          const Solution again = both.on_gpu(path, b, {1e-10, 1000});
          ASSERT_EQ(again.x, first.x) << run << ", " << name_of(precision);
          ASSERT_EQ(again.report.residual_norm, first.report.residual_norm);
        }
      }
    }
}

TEST_F(SolverPaths, OfOneLaunchBecomesTwoAnIterationWhereADeviceHasNoRoomForIt) {
  Device larger = CudaBackend().device();
  larger.multiprocessors = 1;  // with all parts in one block, which has the shared memory for it
  larger.shared_bytes = 16 << 20;
  Both both(of_slab({20, 13, 7}, 0.28), 0, larger);
  const std::vector<SolverPath> paths = both.paths();
  EXPECT_EQ(std::count(paths.begin(), paths.end(), SolverPath::persistent), 0);
  EXPECT_EQ(std::count(paths.begin(), paths.end(), SolverPath::in_parts), 1);
  const std::vector<Real> b = random_values(both.rows(), seed + 7);
  const Solution solution = both.on_gpu(SolverPath::in_parts, b, {1e-10, 1000});
  EXPECT_EQ(solution.report.status, CgStatus::converged);
  EXPECT_GT(largest(solution.x), 0);
}

TEST_F(SolverPaths, HaveNothingToDoForZero) {
  Both both(mirrored(97));
  for (const SolverPath path : both.paths()) {
    EXPECT_GT(largest(both.on_gpu(path, random_values(97, seed + 6), {1e-10, 1000}).x), 0);
    const Solution solution = both.on_gpu(path, std::vector<Real>(97), {1e-10, 1000});
    EXPECT_EQ(solution.report.status, CgStatus::converged);
    EXPECT_EQ(solution.report.iterations, 0);
    EXPECT_EQ(largest(solution.x), 0);
  }
}

void expect_reasons_of_failures(SolverPrecision precision) {
  Both both(mirrored(5000), 0, {}, precision);
  for (const SolverPath path : both.paths()) {
    std::vector<Real> b = random_values(5000, seed + 5);
    EXPECT_EQ(both.on_gpu(path, b, {0, 3}).report.status, CgStatus::iteration_limit);
    b[1234] = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_EQ(both.on_gpu(path, b, {1e-10, 1000}).report.status, CgStatus::not_finite);
    b[1234] = 1;
    both.scale_matrix(-1);
    const Solution solution = both.on_gpu(path, b, {1e-10, 1000}), plain = both.plain(b, {1e-10, 1000});
    EXPECT_EQ(solution.report.status, CgStatus::not_positive_definite);
    EXPECT_EQ(plain.report.status, CgStatus::not_positive_definite);
    EXPECT_EQ(solution.report.iterations, 0);  // it looks before the step
    EXPECT_EQ(largest(solution.x), 0);
    EXPECT_EQ(plain.report.iterations, 0);
    EXPECT_EQ(largest(plain.x), 0);
    both.scale_matrix(std::numeric_limits<Real>::quiet_NaN());
    EXPECT_EQ(both.on_gpu(path, b, {1e-10, 1000}).report.status, CgStatus::not_finite);
    both.scale_matrix(1e39);  // more than single precision has
    EXPECT_EQ(both.on_gpu(path, b, {1e-10, 1000}).report.status,
              precision != SolverPrecision::double_precision ? CgStatus::not_finite : CgStatus::converged);
    both.scale_matrix(1);
    EXPECT_EQ(both.on_gpu(path, b, {1e-10, 1000}).report.status, CgStatus::converged);  // and it goes on
  }
}

TEST_F(SolverPaths, SayWhyTheyFailed) { expect_reasons_of_failures(SolverPrecision::double_precision); }

TEST_F(SolverPaths, SayWhyTheyFailedInMixedPrecision) { expect_reasons_of_failures(SolverPrecision::mixed); }

TEST_F(SolverPaths, SayWhyTheyFailedInSinglePrecision) { expect_reasons_of_failures(SolverPrecision::single); }

}  // namespace
}  // namespace cardiowarp
