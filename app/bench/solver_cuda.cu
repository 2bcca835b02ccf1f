#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
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
#include "app/simulation/window_order.hpp"
#include "assembly/options.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/ell_warp.cuh"
#include "kernels/sparse/ell_warp_choice.hpp"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/on_chip/on_chip_cg.cuh"
#include "solver/parts/parts_product.cuh"
#include "solver/persistent/persistent_cg.cuh"
#include "solver/rounded_values.hpp"
#include "solver/solver_precision.hpp"

namespace cardiowarp {
namespace {

/// What a solve is asked for, of |r| / |b|.
template <class Number>
constexpr Real tolerance = sizeof(Number) == sizeof(float) ? 1e-6 : 1e-10;

Real norm(const std::vector<Real>& x) {
  Real sum = 0;
  for (const Real value : x) sum += value * value;
  return std::sqrt(sum);
}

/// A system in host memory, and the seconds that it took to order it.
struct HostSystem {
  BenchMatrix matrix;
  std::vector<Real> b;
  std::optional<double> partition_s = {};
};

/// A system in the numbering of an ELL-WARP layout, on the device, its vectors of the type `Number`.
template <class Number>
struct System {
  System(CudaBackend& backend, const HostSystem& host_system, const EllWarpOptions& options)
      : host(&host_system),
        layout(ell_warp_layout(row_lengths(host->matrix.row_begin), host->matrix.column, options)),
        A(backend, layout),
        x(backend.allocate<Number>(host->b.size())) {
    const BenchMatrix& matrix = host->matrix;
    const std::vector<Real>& given_b = host->b;
    std::vector<Real> value(layout.shape.stored_entries());
    std::vector<Number> inverse(given_b.size()), permuted(given_b.size());
    std::vector<Index> diagonal(given_b.size());
    for (std::size_t e = 0; e < matrix.value.size(); ++e) value[layout.slot_of_entry[e]] = matrix.value[e];
    for (std::size_t i = 0; i < permuted.size(); ++i) {
      const Index row = layout.shape.row[i];
      permuted[i] = static_cast<Number>(given_b[row]);
      for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
        if (matrix.column[e] == row) {
          inverse[i] = static_cast<Number>(1 / matrix.value[e]);
          diagonal[i] = static_cast<Index>(layout.slot_of_entry[e]);
        }
    }
    backend.upload(std::span<const Real>(value), A.value());
    b = uploaded(backend, permuted);
    inverse_diagonal = uploaded(backend, inverse);
    diagonal_slot = uploaded(backend, diagonal);
  }

  const HostSystem* host;
  EllWarpLayout layout;
  EllWarpMatrix A;
  Buffer<Number> x, b, inverse_diagonal;
  Buffer<Index> diagonal_slot;
};

/// The values of a system that a solve multiplies by: its own or, as floats, rounded. Before each solve the diagonal is
/// rounded again, as in a run with quadrature: vertices.
template <class Value>
struct SolveValues {
  SolveValues(CudaBackend&, const System<Real>& system) : value(system.A.view().value) {}
  void renew(CudaBackend&) const {}
  const Real* data() const { return value; }

  const Real* value;
};
template <>
struct SolveValues<float> : RoundedValues<CudaBackend> {
  template <class Number>
  SolveValues(CudaBackend& backend, const System<Number>& system)
      : RoundedValues<CudaBackend>(backend, static_cast<Index>(system.b.size()), system.layout.shape.stored_entries(),
                                   system.A.view().value, system.diagonal_slot.data()) {}
};

template <class Value, class Number>
std::string with_precision(const char* method) {
  constexpr SolverPrecision precision = sizeof(Number) == sizeof(float)  ? SolverPrecision::single
                                        : sizeof(Value) == sizeof(float) ? SolverPrecision::mixed
                                                                         : SolverPrecision::double_precision;
  if constexpr (precision == SolverPrecision::double_precision) return method;
  return std::string(method) + "_" + std::string(name_of(precision));
}

template <class Value>
struct EllWarpProduct {
  EllWarpViewOf<Value> A;
  int block_size;
  template <class Number>
  void multiply_dot(CudaBackend& backend, const Number* p, Number* q, Real* pq) const {
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
  SolverBench(const BenchMatrix& matrix, int repeats, BenchOrder order)
      : matrix_(matrix), repeats_(repeats), order_(order), given_{matrix, std::vector<Real>(matrix.rows())} {
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    for (Real& value : given_.b) value = uniform(generator);
  }

  SolverReport run() {
    each_path<Real, Real>();
    each_path<float, Real>();
    each_path<float, float>();
    library();
    return std::move(report_);
  }

 private:
  template <class Value, class Number>
  void each_path() {
    in_graph<Value, Number>();
    constexpr Index in_parts_batch = entries_at_once_in_parts<Value>,
                    persistent_batch = entries_at_once_persistent<Value>;
    in_parts<Value, Number, in_parts_batch>("in_parts");
    persistent<Value, Number, persistent_batch>("persistent");
    if constexpr (sizeof(Value) == sizeof(float)) {  // twice as many entries of a row fetched together
      in_parts<Value, Number, 2 * in_parts_batch>("in_parts_wide");
      persistent<Value, Number, 2 * persistent_batch>("persistent_wide");
    }
    on_chip<Value, Number>();
  }

  /// `solve(config)` enqueues a solve of `system` or waits for it; it can be in a graph where `captured`. last_report()
  /// is that of the last one.
  template <class Value, class Number>
  void measure(const char* method, double setup_s, const System<Number>& system, bool captured,
               const std::function<void(const CgConfig&)>& solve, const std::function<CgReport()>& last_report) {
    SolverMeasurement m{.method = with_precision<Value, Number>(method),
                        .setup_s = setup_s,
                        .solve = {},
                        .bytes_a_value = sizeof(Value),
                        .bytes_a_number = sizeof(Number)};
    constexpr Real asked = tolerance<Number>;
    solve({asked, 1000});
    const CgReport report = last_report();
    m.iterations = report.iterations;
    m.true_residual = true_residual<Value>(system);
    m.correct = report.status == CgStatus::converged && m.true_residual <= 2 * asked;
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
      m.solve = timed({asked, 1000});
      m.true_residual = std::max(m.true_residual, true_residual<Value>(system));  // of what was captured, too
      m.correct = m.true_residual <= 2 * asked;
      const int few = m.iterations / 2, most = m.iterations - 1;
      if (most > few) m.iteration_s = (timed({asked, most}).median - timed({asked, few}).median) / (most - few);
    }
    report_.measurements.push_back(m);
  }

  /// The system in the order of its parts in windows of `window` rows.
  const HostSystem& in_windows(Index window) {
    if (order_ != BenchOrder::metis) return given_;
    const auto known = in_windows_.find(window);
    if (known != in_windows_.end()) return known->second;
    const Stopwatch partition;
    const std::vector<Index> order = metis_window_order({matrix_.row_begin, matrix_.column}, window);
    HostSystem system{in_order(matrix_, order), {}};
    for (const Index row : order) system.b.push_back(given_.b[row]);
    system.partition_s = partition.seconds();
    return in_windows_.emplace(window, std::move(system)).first->second;
  }

  /// How the system of the last measurement is cut.
  template <class Number>
  void add_parts(const System<Number>& system, const MatrixParts& parts) {
    SolverMeasurement& m = report_.measurements.back();
    m.parts = PartsMeasures{order_, parts.parts,
                            static_cast<double>(parts.halo_row.size()) / static_cast<double>(matrix_.rows()),
                            parts.longest_halo};
    m.partition_s = system.host->partition_s;
  }

  /// |b − A x| / |b|, with the values of A rounded to `Value`.
  template <class Value, class Number>
  double true_residual(const System<Number>& system) {
    const BenchMatrix& matrix = system.host->matrix;
    const std::vector<Real>& b = system.host->b;
    std::vector<Number> sorted(b.size());
    std::vector<Real> x(b.size()), r(b.size());
    backend_.download(static_cast<const Number*>(system.x.data()), std::span<Number>(sorted));
    for (std::size_t i = 0; i < x.size(); ++i) x[system.layout.shape.row[i]] = sorted[i];
    const std::vector<Value> value(matrix.value.begin(), matrix.value.end());
    const CsrViewOf<Value> A{matrix.rows(), matrix.row_begin.data(), matrix.column.data(), value.data()};
    for (Index row = 0; row < matrix.rows(); ++row) r[row] = b[row] - row_times_vector(A, row, x.data());
    return norm(r) / norm(b);
  }

  template <class Value, class Number>
  void in_graph() {
    const Stopwatch setup;
    const EllWarpChoice choice = choose_ell_warp(row_lengths(matrix_.row_begin), default_window, backend_.device());
    System<Number> system(backend_, given_, choice.options);
    const SolveValues<Value> values(backend_, system);
    const EllWarpProduct<Value> A{system.A.view(values.data()), choice.block_size};
    measure_cg("in_graph", setup, system, A, values);
  }

  template <class Value, class Number, Index Batch>
  void in_parts(const char* method) {
    const HostSystem& host = in_windows(default_window);
    const Stopwatch setup;
    System<Number> system(backend_, host, k1rs(default_window));
    const std::optional<MatrixParts> parts = matrix_parts(system.layout);
    if (!parts || !fits_any_block(*parts)) return;
    const SolveValues<Value> values(backend_, system);
    const PartsMatrix<CudaBackend, Value, Batch> A(backend_, system.layout, *parts, values.data());
    measure_cg(method, setup, system, A, values);
    add_parts(system, *parts);
  }

  template <class Value, class Number, Index Batch>
  void persistent(const char* method) {
    const HostSystem& host = in_windows(default_window);
    const Stopwatch setup;
    System<Number> system(backend_, host, k1rs(default_window));
    const std::optional<MatrixParts> parts = matrix_parts(system.layout);
    const std::optional<PersistentShape> shape =
        parts ? persistent_shape(*parts, backend_.device(), sizeof(Number)) : std::nullopt;
    if (!shape || !has_room_for<Value, Number, Batch>(backend_, *shape)) return;
    const SolveValues<Value> values(backend_, system);
    const auto n = static_cast<std::size_t>(matrix_.rows());
    const Buffer<Number> r = backend_.allocate<Number>(n);
    const Buffer<CgState> state = backend_.allocate<CgState>(1);
    const PersistentCg<CudaBackend, Value, Number, Batch> cg(backend_, system.layout, *parts, *shape, values.data(),
                                                             {system.inverse_diagonal.data()}, r.data(),
                                                             system.x.data(), state.data());
    backend_.synchronize();
    measure<Value>(
        method, setup.seconds(), system, false,
        [&](const CgConfig& config) {
          copy(system.b, r);
          values.renew(backend_);
          cg.solve(backend_, config);
        },
        [&] { return backend_.read(state.data()).report; });
    add_parts(system, *parts);
  }

  template <class Number>
  void copy(const Buffer<Number>& from, const Buffer<Number>& to) {
    cuda_check(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(Number), cudaMemcpyDeviceToDevice,
                               backend_.stream()));
  }

  template <class Matrix, class Value, class Number>
  void measure_cg(const char* method, const Stopwatch& setup, System<Number>& system, const Matrix& A,
                  const SolveValues<Value>& values) {
    const auto n = static_cast<std::size_t>(matrix_.rows());
    const Buffer<Number> r = backend_.allocate<Number>(n);
    const Buffer<CgState> state = backend_.allocate<CgState>(1);
    ConjugateGradient<CudaBackend, Matrix, JacobiPreconditionerOf<Number>, Number> cg(
        backend_, matrix_.rows(), A, {system.inverse_diagonal.data()}, r.data(), system.x.data(), state.data());
    backend_.synchronize();
    const auto solve = [&](const CgConfig& config) {
      copy(system.b, r);
      values.renew(backend_);
      cg.solve(backend_, config, {});
    };
    measure<Value>(method, setup.seconds(), system, false, solve, [&] { return backend_.read(state.data()).report; });
    if (!cg.repetition().is_made())
      report_.left_out.push_back({"the graph of " + with_precision<Value, Number>(method), cg.repetition().refusal()});
  }

  template <class Value, class Number>
  void on_chip() {
    const Index window = on_chip_window(matrix_.rows(), backend_.device());
    if (!expected_on_chip(row_lengths(matrix_.row_begin), backend_.device(), sizeof(Value), sizeof(Number)) &&
        order_ == BenchOrder::metis)
      return;  // nothing is cut that has no room
    const HostSystem& host = in_windows(window);
    const Stopwatch setup;
    System<Number> system(backend_, host, k1rs(window));
    const std::optional<MatrixParts> parts = matrix_parts(system.layout);
    const std::optional<OnChipShape> shape =
        parts ? on_chip_shape(system.layout.shape, *parts, backend_.device(), sizeof(Value), sizeof(Number))
              : std::nullopt;
    if (!shape || !has_room_for<Value, Number>(backend_, *shape)) return;
    const SolveValues<Value> values(backend_, system);
    OnChipCg<CudaBackend, Value, Number> cg(backend_, system.layout, *parts, *shape);
    const Buffer<CgReport> report = backend_.allocate<CgReport>(1);
    const auto solve = [&](const CgConfig& config) {
      values.renew(backend_);
      cg.solve(backend_, {values.data(), system.inverse_diagonal.data(), system.b.data(), system.x.data()}, config, {},
               report.data());
    };
    backend_.synchronize();
    measure<Value>("on_chip", setup.seconds(), system, true, solve, [&] { return backend_.read(report.data()); });
    add_parts(system, *parts);
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
    System<Real> system(backend_, given_, k1rs(default_window));
    LibraryCg cg(backend_, system.A.view(), matrix_.entries(), system.layout.shape.stored_entries(),
                 {system.inverse_diagonal.data()});
    const double setup_s = setup.seconds();
    CgReport report;
    measure<Real>(
        "library_host", setup_s, system, false,
        [&](const CgConfig& config) { report = cg.solve(system.b.data(), system.x.data(), config); },
        [&] { return report; });
    // As many iterations as the solves above needed; nobody looks at the norm.
    const int needed = report_.measurements.back().iterations;
    const auto solve = [&](const CgConfig& config) {
      cg.start(system.b.data(), system.x.data());
      for (int k = 0; k < std::min(needed, config.max_iterations); ++k) cg.iterate(system.x.data());
    };
    measure<Real>("library_graph", setup_s, system, true, solve, [&] { return CgReport{.iterations = needed}; });
  }

  CudaBackend backend_;
  const BenchMatrix& matrix_;
  int repeats_;
  BenchOrder order_;
  HostSystem given_;
  std::map<Index, HostSystem> in_windows_;  ///< by METIS; one for each window
  SolverReport report_;
};

}  // namespace

SolverReport measure_solvers(const BenchMatrix& matrix, int repeats, BenchOrder order) {
  return SolverBench(matrix, repeats, order).run();
}

}  // namespace cardiowarp
