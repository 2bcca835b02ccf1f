#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/bench/graph_timer.cuh"
#include "app/bench/library_cg.cuh"
#include "app/bench/polynomial_bench.hpp"
#include "app/bench/solve_bench.hpp"
#include "app/bench/solver_bench.hpp"
#include "app/bench/ssor_bench.hpp"
#include "app/measure/stopwatch.hpp"
#include "app/simulation/window_order.hpp"
#include "assembly/options.hpp"
#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/ell_warp.cuh"
#include "kernels/sparse/ell_warp_choice.hpp"
#include "kernels/sparse/ell_warp_format.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/on_chip/on_chip_cg.cuh"
#include "solver/parts/parts_product.cuh"
#include "solver/persistent/persistent_cg.cuh"
#include "solver/rounded_values.hpp"

namespace cardiowarp {
namespace {

using Format = FormatOf<MatrixFormat::ell_warp>;
template <class Number>
using System = BenchSystem<CudaBackend, Format, Number>;
template <class Value>
using Values = SolveValues<CudaBackend, Value>;

/// What a matrix needs to be cut into parts of `window` rows.
MatrixOptions k1rs(Index window) {
  return {
      .format = MatrixFormat::ell_warp,
      .ell_warp = {
          .variant = EllWarpVariant::k1, .renumbering = EllWarpRenumbering::rows_and_columns_sorted, .window = window}};
}

class SolverBench {
 public:
  SolverBench(const BenchMatrix& matrix, const SolverBenchOptions& options)
      : matrix_(matrix), options_(options), bench_(backend_, matrix, options.repeats) {}

  SolverReport run() {
    each_path<Real, Real>();
    each_path<float, Real>();
    if (options_.jacobi) {  // the only preconditioner in single precision
      each_path<float, float>();
      library();
    }
    return std::move(bench_.report());
  }

 private:
  template <class Value, class Number>
  void each_path() {
    in_graph<Value, Number>();
    in_parts<Value, Number>();
    persistent<Value, Number>();
    if (options_.jacobi) on_chip<Value, Number>();
  }

  /// The matrix in the order of its parts in windows of some length: that of METIS.
  struct Cut {
    BenchMatrix matrix;
    std::vector<Real> b;
    std::vector<Index> order;  ///< [rows] row of the given matrix
    double seconds;
  };

  /// The cut in windows of `window` rows; nothing where the matrix stays in its order.
  const Cut* cut_in_windows(Index window) {
    if (options_.order != BenchOrder::metis) return nullptr;
    const auto known = cuts_.find(window);
    if (known != cuts_.end()) return &known->second;
    const Stopwatch partition;
    std::vector<Index> order = metis_window_order({matrix_.row_begin, matrix_.column}, window);
    Cut cut{in_order(matrix_, order), {}, std::move(order), 0};
    for (const Index row : cut.order) cut.b.push_back(bench_.b()[row]);
    cut.seconds = partition.seconds();
    return &cuts_.emplace(window, std::move(cut)).first->second;
  }

  /// The system in K1rs in windows of `window` rows.
  template <class Number>
  System<Number> system_in_windows(Index window, const Cut* cut) {
    if (cut == nullptr) return System<Number>(backend_, matrix_, bench_.b(), k1rs(window));
    System<Number> system(backend_, cut->matrix, cut->b, k1rs(window));
    for (Index& row : system.order) row = cut->order[row];
    return system;
  }

  /// How the system of the last measurement is cut.
  void add_parts(const MatrixParts& parts, const Cut* cut) {
    SolverMeasurement& m = bench_.report().measurements.back();
    m.parts = PartsMeasures{options_.order, parts.parts,
                            static_cast<double>(parts.halo_row.size()) / static_cast<double>(matrix_.rows()),
                            parts.longest_halo};
    if (cut != nullptr) m.partition_s = cut->seconds;
  }

  /// `solve(config)` enqueues a solve of `system` or waits for it; it can be in a graph where `captured`. last_report()
  /// is that of the last one.
  template <class Value, class Number>
  void measure(const char* method, double setup_s, const System<Number>& system, bool captured,
               const std::function<void(const CgConfig&)>& solve, const std::function<CgReport()>& last_report) {
    bench_.measure<Value>({.method = with_precision<Value, Number>(method), .setup_s = setup_s, .solve = {}}, system,
                          solve, last_report, [&](const auto& call) {
                            return captured ? spread_of(seconds_a_call(backend_, 10, options_.repeats, call))
                                            : bench_.seconds_of(call);
                          });
  }

  template <class Value, class Number>
  void in_graph() {
    const Stopwatch setup;
    const EllWarpChoice choice = choose_ell_warp(row_lengths(matrix_.row_begin), default_window, backend_.device());
    const System<Number> system(
        backend_, matrix_, bench_.b(),
        {.format = MatrixFormat::ell_warp, .ell_warp = choice.options, .block_size = choice.block_size});
    const Values<Value> values(backend_, system);
    const auto A = product_of(system, values.data());
    const double setup_s = measure_cg("in_graph", setup, system, A, values);
    if constexpr (std::is_same_v<Number, Real>) {
      const SystemOnPath of{with_precision<Value>("in_graph"), system, A, values, setup_s};
      measure_polynomials(bench_, of, options_, PolynomialCgByLoops{SolverPath::plain});
      measure_ssor(bench_, of, options_);
    }
    if constexpr (std::is_same_v<Value, Real>)
      if (options_.defect_correction) measure_defect_correction(bench_, "defect_correction", system, A, setup_s);
  }

  template <class Value, class Number>
  void in_parts() {
    const Cut* const cut = cut_in_windows(default_window);
    const Stopwatch setup;
    const auto system = system_in_windows<Number>(default_window, cut);
    const std::optional<MatrixParts> parts = matrix_parts(system.layout);
    if (!parts || !fits_any_block(*parts)) return;
    const Values<Value> values(backend_, system);
    const PartsMatrix<CudaBackend, Value> A(backend_, system.layout, *parts, values.data());
    const double setup_s = measure_cg("in_parts", setup, system, A, values);
    if (options_.jacobi) add_parts(*parts, cut);
    if constexpr (std::is_same_v<Number, Real>)
      measure_polynomials(bench_, SystemOnPath{with_precision<Value>("in_parts"), system, A, values, setup_s}, options_,
                          PolynomialCgByLoops{SolverPath::in_parts});
  }

  template <class Value, class Number>
  void persistent() {
    const Cut* const cut = cut_in_windows(default_window);
    const Stopwatch setup;
    const auto system = system_in_windows<Number>(default_window, cut);
    const std::optional<MatrixParts> parts = matrix_parts(system.layout);
    const std::optional<PersistentShape> shape =
        parts ? persistent_shape(*parts, backend_.device(), sizeof(Number)) : std::nullopt;
    if (!shape || !has_room_for<Value, Number>(backend_, *shape)) return;
    const Values<Value> values(backend_, system);
    const PartsMatrix<CudaBackend, Value> A(backend_, system.layout, *parts, values.data());
    backend_.synchronize();
    const double setup_s = setup.seconds();
    if (options_.jacobi) {
      in_one_launch("persistent", setup_s, system, A, values, *shape);
      add_parts(*parts, cut);
      PersistentShape lean = *shape;
      lean.kept_z = lean.kept_p = 0;
      if (shape->kept_z > 0) {
        in_one_launch("persistent_lean", setup_s, system, A, values, lean);
        add_parts(*parts, cut);
      }
    }
    if constexpr (std::is_same_v<Number, Real>)
      for (const PolynomialPrecision inside : {PolynomialPrecision::double_precision, PolynomialPrecision::single}) {
        SolverBenchOptions of_precision = options_;
        std::erase_if(of_precision.polynomials, [&](const auto& polynomial) { return polynomial.precision != inside; });
        if (has_room_for_polynomial<Value>(backend_, *shape, inside))
          measure_polynomials(bench_, SystemOnPath{with_precision<Value>("persistent"), system, A, values, setup_s},
                              of_precision, PolynomialCgInOneLaunch{*shape});
      }
  }

  /// Conjugate gradients with Jacobi on the path `persistent`.
  template <class Value, class Number>
  void in_one_launch(const char* method, double setup_s, const System<Number>& system,
                     const PartsMatrix<CudaBackend, Value>& A, const Values<Value>& values,
                     const PersistentShape& shape) {
    const Buffer<Number> r = backend_.allocate<Number>(static_cast<std::size_t>(matrix_.rows()));
    const Buffer<CgState> state = backend_.allocate<CgState>(1);
    const PersistentCg<CudaBackend, Value, Number> cg(backend_, A, shape, {system.inverse_diagonal.data()},
                                                      {matrix_.rows(), r.data(), system.x.data(), state.data()});
    measure<Value>(
        method, setup_s, system, false,
        [&](const CgConfig& config) {
          copy(system.b, r);
          values.renew(backend_);
          cg.solve(backend_, config);
        },
        [&] { return backend_.read(state.data()).report; });
  }

  template <class Number>
  void copy(const Buffer<Number>& from, const Buffer<Number>& to) {
    cuda_check(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(Number), cudaMemcpyDeviceToDevice,
                               backend_.stream()));
  }

  /// Conjugate gradients with Jacobi, where they are asked for. The seconds of the set-up.
  template <class Matrix, class Value, class Number>
  double measure_cg(const char* method, const Stopwatch& setup, const System<Number>& system, const Matrix& A,
                    const Values<Value>& values) {
    const auto n = static_cast<std::size_t>(matrix_.rows());
    const Buffer<Number> r = backend_.allocate<Number>(n);
    const Buffer<CgState> state = backend_.allocate<CgState>(1);
    ConjugateGradient<CudaBackend, Matrix, JacobiPreconditionerOf<Number>, Number> cg(
        backend_, A, {system.inverse_diagonal.data()}, {matrix_.rows(), r.data(), system.x.data(), state.data()});
    backend_.synchronize();
    const auto solve = [&](const CgConfig& config) {
      copy(system.b, r);
      values.renew(backend_);
      cg.solve(backend_, config, {});
    };
    const double setup_s = setup.seconds();
    if (options_.jacobi) {
      measure<Value>(method, setup_s, system, false, solve, [&] { return backend_.read(state.data()).report; });
      if (!cg.repetition().is_made())
        bench_.report().left_out.push_back(
            {"the graph of " + with_precision<Value, Number>(method), cg.repetition().refusal()});
    }
    return setup_s;
  }

  template <class Value, class Number>
  void on_chip() {
    const Index window = on_chip_window(matrix_.rows(), backend_.device());
    const bool expected =
        expected_on_chip(row_lengths(matrix_.row_begin), backend_.device(), sizeof(Value), sizeof(Number));
    if (!expected && options_.order == BenchOrder::metis) return;  // nothing is cut that has no room
    const Cut* const cut = cut_in_windows(window);
    const Stopwatch setup;
    const auto system = system_in_windows<Number>(window, cut);
    const std::optional<MatrixParts> parts = matrix_parts(system.layout);
    const std::optional<OnChipShape> shape =
        parts ? on_chip_shape(system.layout.shape, *parts, backend_.device(), sizeof(Value), sizeof(Number))
              : std::nullopt;
    if (!shape || !has_room_for<Value, Number>(backend_, *shape)) return;
    const Values<Value> values(backend_, system);
    const Buffer<CgReport> report = backend_.allocate<CgReport>(1);
    const OnChipCg<CudaBackend, Value, Number> cg(
        backend_, system.layout, *parts, *shape,
        {values.data(), system.inverse_diagonal.data(), system.b.data(), system.x.data()}, report.data());
    const auto solve = [&](const CgConfig& config) {
      values.renew(backend_);
      cg.solve(backend_, config);
    };
    backend_.synchronize();
    measure<Value>("on_chip", setup.seconds(), system, true, solve, [&] { return backend_.read(report.data()); });
    add_parts(*parts, cut);
  }

  void library() {
    try {
      cublas_library();
      cusparse_library();
    } catch (const MissingLibrary& missing) {
      for (const char* method : {"library_host", "library_graph"})
        bench_.report().left_out.push_back({method, missing.what()});
      return;
    }
    const Stopwatch setup;
    const System<Real> system(backend_, matrix_, bench_.b(), k1rs(default_window));
    LibraryCg cg(backend_, system.A.slices(system.value), matrix_.entries(), system.layout.shape.stored_entries(),
                 {system.inverse_diagonal.data()});
    const double setup_s = setup.seconds();
    CgReport report;
    measure<Real>(
        "library_host", setup_s, system, false,
        [&](const CgConfig& config) { report = cg.solve(system.b.data(), system.x.data(), config); },
        [&] { return report; });
    // As many iterations as the solves above needed; nobody looks at the norm.
    const int needed = bench_.report().measurements.back().iterations;
    const auto solve = [&](const CgConfig& config) {
      cg.start(system.b.data(), system.x.data());
      for (int k = 0; k < std::min(needed, config.max_iterations); ++k) cg.iterate(system.x.data());
    };
    measure<Real>("library_graph", setup_s, system, true, solve, [&] { return CgReport{.iterations = needed}; });
  }

  CudaBackend backend_;
  const BenchMatrix& matrix_;
  const SolverBenchOptions& options_;
  SolveBench<CudaBackend> bench_;
  std::map<Index, Cut> cuts_;  ///< one for each window
};

}  // namespace

SolverReport measure_solvers_on_gpu(const BenchMatrix& matrix, const SolverBenchOptions& options) {
  return SolverBench(matrix, options).run();
}

}  // namespace cardiowarp
