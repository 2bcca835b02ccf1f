#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/graph_timer.cuh"
#include "app/bench/library_cg.cuh"
#include "app/bench/solver_bench.hpp"
#include "app/measure/stopwatch.hpp"
#include "assembly/options.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/ell_warp.cuh"
#include "kernels/sparse/ell_warp_choice.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/on_chip/on_chip_cg.cuh"
#include "solver/parts/parts_product.cuh"
#include "solver/persistent/persistent_cg.cuh"

namespace cardiowarp {
namespace {

constexpr Real tolerance = 1e-10;

Real norm(const std::vector<Real>& x) {
  Real sum = 0;
  for (const Real value : x) sum += value * value;
  return std::sqrt(sum);
}

/// A system in the numbering of an ELL-WARP layout, on the device.
struct System {
  System(CudaBackend& backend, const BenchMatrix& matrix, const std::vector<Real>& given_b,
         const EllWarpOptions& options)
      : layout(ell_warp_layout(row_lengths(matrix.row_begin), matrix.column, options)),
        A(backend, layout),
        x(backend.allocate<Real>(given_b.size())) {
    std::vector<Real> value(layout.shape.stored_entries()), inverse(given_b.size()), permuted(given_b.size());
    for (std::size_t e = 0; e < matrix.value.size(); ++e) value[layout.slot_of_entry[e]] = matrix.value[e];
    for (std::size_t i = 0; i < permuted.size(); ++i) {
      const Index row = layout.shape.row[i];
      permuted[i] = given_b[row];
      for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
        if (matrix.column[e] == row) inverse[i] = 1 / matrix.value[e];
    }
    backend.upload(std::span<const Real>(value), A.value());
    b = uploaded(backend, permuted);
    inverse_diagonal = uploaded(backend, inverse);
  }

  EllWarpLayout layout;
  EllWarpMatrix A;
  Buffer<Real> x, b, inverse_diagonal;
};

struct EllWarpProduct {
  EllWarpView A;
  int block_size;
  void multiply_dot(CudaBackend& backend, const Real* p, Real* q, Real* pq) const {
    ell_warp_multiply(backend, block_size, A, TimesVector{p}, q);
    backend.sum<1>(A.rows, pq, Dot{p, q});
  }
};

/// What a matrix needs to be cut into parts of `window` rows.
EllWarpOptions k1rs(Index window) {
  return {.variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window};
}

class SolverBench {
 public:
  SolverBench(const BenchMatrix& matrix, int repeats) : matrix_(matrix), repeats_(repeats), b_(matrix.rows()) {
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    for (Real& value : b_) value = uniform(generator);
  }

  SolverReport run() {
    in_graph();
    in_parts();
    persistent();
    on_chip();
    library();
    return std::move(report_);
  }

 private:
  /// `solve(config)` enqueues a solve of `system` or waits for it; it can be in a graph where `captured`. last_report()
  /// is that of the last one.
  void measure(const std::string& method, double setup_s, const System& system, bool captured,
               const std::function<void(const CgConfig&)>& solve, const std::function<CgReport()>& last_report) {
    SolverMeasurement m{.method = method, .setup_s = setup_s, .solve = {}};
    solve({tolerance, 1000});
    const CgReport report = last_report();
    m.iterations = report.iterations;
    m.true_residual = true_residual(system);
    m.correct = report.status == CgStatus::converged && m.true_residual <= 2 * tolerance;
    const auto timed = [&](const CgConfig& config) {
      if (captured) return spread_of(seconds_a_call(backend_, 10, repeats_, [&] { solve(config); }));
      std::vector<double> seconds(repeats_);
      for (double& once : seconds) {
        const auto watch = backend_.stopwatch(once);
        solve(config);
      }
      backend_.synchronize();
      return spread_of(std::move(seconds));
    };
    if (m.correct) {
      m.solve = timed({tolerance, 1000});
      m.true_residual = std::max(m.true_residual, true_residual(system));  // of what was captured, too
      m.correct = m.true_residual <= 2 * tolerance;
      const int few = m.iterations / 2, most = m.iterations - 1;
      if (most > few) m.iteration_s = (timed({tolerance, most}).median - timed({tolerance, few}).median) / (most - few);
    }
    report_.measurements.push_back(m);
  }

  /// |b − A x| / |b|
  double true_residual(const System& system) {
    std::vector<Real> sorted(b_.size()), x(b_.size()), r(b_.size());
    backend_.download(static_cast<const Real*>(system.x.data()), std::span<Real>(sorted));
    for (std::size_t i = 0; i < x.size(); ++i) x[system.layout.shape.row[i]] = sorted[i];
    for (Index row = 0; row < matrix_.rows(); ++row) r[row] = b_[row] - row_times_vector(matrix_.view(), row, x.data());
    return norm(r) / norm(b_);
  }

  void in_graph() {
    const Stopwatch setup;
    const EllWarpChoice choice = choose_ell_warp(row_lengths(matrix_.row_begin), default_window, backend_.device());
    System system(backend_, matrix_, b_, choice.options);
    const EllWarpProduct A{system.A.view(), choice.block_size};
    measure_cg("in_graph", setup, system, A);
  }

  void in_parts() {
    const Stopwatch setup;
    System system(backend_, matrix_, b_, k1rs(default_window));
    const std::optional<MatrixParts> parts = matrix_parts(system.layout);
    if (!parts || !fits_any_block(*parts)) return;
    const PartsMatrix<CudaBackend> A(backend_, system.layout, *parts, system.A.view().value);
    measure_cg("in_parts", setup, system, A);
  }

  void persistent() {
    const Stopwatch setup;
    System system(backend_, matrix_, b_, k1rs(default_window));
    const std::optional<MatrixParts> parts = matrix_parts(system.layout);
    const std::optional<PersistentShape> shape = parts ? persistent_shape(*parts, backend_.device()) : std::nullopt;
    if (!shape || !has_room_for(backend_, *shape)) return;
    const auto n = static_cast<std::size_t>(matrix_.rows());
    const Buffer<Real> r = backend_.allocate<Real>(n);
    const Buffer<CgState> state = backend_.allocate<CgState>(1);
    const PersistentCg<CudaBackend> cg(backend_, system.layout, *parts, *shape, system.A.view().value,
                                       {system.inverse_diagonal.data()}, r.data(), system.x.data(), state.data());
    backend_.synchronize();
    measure(
        "persistent", setup.seconds(), system, false,
        [&](const CgConfig& config) {
          copy(system.b, r);
          cg.solve(backend_, config);
        },
        [&] { return backend_.read(state.data()).report; });
  }

  void copy(const Buffer<Real>& from, const Buffer<Real>& to) {
    cuda_check(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(Real), cudaMemcpyDeviceToDevice,
                               backend_.stream()));
  }

  template <class Matrix>
  void measure_cg(const std::string& method, const Stopwatch& setup, System& system, const Matrix& A) {
    const auto n = static_cast<std::size_t>(matrix_.rows());
    const Buffer<Real> r = backend_.allocate<Real>(n);
    const Buffer<CgState> state = backend_.allocate<CgState>(1);
    ConjugateGradient<CudaBackend, Matrix, JacobiPreconditioner> cg(
        backend_, matrix_.rows(), A, {system.inverse_diagonal.data()}, r.data(), system.x.data(), state.data());
    backend_.synchronize();
    const auto solve = [&](const CgConfig& config) {
      copy(system.b, r);
      cg.solve(backend_, config, {});
    };
    measure(method, setup.seconds(), system, false, solve, [&] { return backend_.read(state.data()).report; });
    if (!cg.repetition().is_made()) report_.left_out.push_back({"the graph of " + method, cg.repetition().refusal()});
  }

  void on_chip() {
    const Stopwatch setup;
    System system(backend_, matrix_, b_, k1rs(on_chip_window(matrix_.rows(), backend_.device())));
    const std::optional<MatrixParts> parts = matrix_parts(system.layout);
    const std::optional<OnChipShape> shape =
        parts ? on_chip_shape(system.layout.shape, *parts, backend_.device()) : std::nullopt;
    if (!shape || !has_room_for(backend_, *shape)) return;
    OnChipCg<CudaBackend> cg(backend_, system.layout, *parts, *shape);
    const Buffer<CgReport> report = backend_.allocate<CgReport>(1);
    const auto solve = [&](const CgConfig& config) {
      cg.solve(backend_, {system.A.view().value, system.inverse_diagonal.data(), system.b.data(), system.x.data()},
               config, {}, report.data());
    };
    backend_.synchronize();
    measure("on_chip", setup.seconds(), system, true, solve, [&] { return backend_.read(report.data()); });
  }

  void library() {
    try {
      cublas_library();
      cusparse_library();
    } catch (const MissingLibrary& missing) {
      for (const char* method : {"library_host", "library_graph"}) report_.left_out.push_back({method, missing.what()});
      return;
    }
    const Stopwatch setup;
    System system(backend_, matrix_, b_, k1rs(default_window));
    LibraryCg cg(backend_, system.A.view(), matrix_.entries(), system.layout.shape.stored_entries(),
                 {system.inverse_diagonal.data()});
    const double setup_s = setup.seconds();
    CgReport report;
    measure(
        "library_host", setup_s, system, false,
        [&](const CgConfig& config) { report = cg.solve(system.b.data(), system.x.data(), config); },
        [&] { return report; });
    // As many iterations as the solves above needed; nobody looks at the norm.
    const int needed = report_.measurements.back().iterations;
    const auto solve = [&](const CgConfig& config) {
      cg.start(system.b.data(), system.x.data());
      for (int k = 0; k < std::min(needed, config.max_iterations); ++k) cg.iterate(system.x.data());
    };
    measure("library_graph", setup_s, system, true, solve, [&] { return CgReport{.iterations = needed}; });
  }

  CudaBackend backend_;
  const BenchMatrix& matrix_;
  int repeats_;
  std::vector<Real> b_;
  SolverReport report_;
};

}  // namespace

SolverReport measure_solvers(const BenchMatrix& matrix, int repeats) { return SolverBench(matrix, repeats).run(); }

}  // namespace cardiowarp
