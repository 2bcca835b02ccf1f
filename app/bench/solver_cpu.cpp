#include <string>
#include <type_traits>
#include <utility>

#include "app/bench/polynomial_bench.hpp"
#include "app/bench/solve_bench.hpp"
#include "app/bench/solver_bench.hpp"
#include "app/bench/ssor_bench.hpp"
#include "app/measure/stopwatch.hpp"
#include "kernels/backend/cpu_backend.hpp"
#include "kernels/sparse/csr_format.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/linear_solver.hpp"

namespace cardiowarp {
namespace {

/// The path `plain` in compressed rows, the format of the CPU.
template <class Value>
void plain(SolveBench<CpuBackend>& bench, const BenchMatrix& matrix, const SolverBenchOptions& options) {
  CpuBackend& backend = bench.backend();
  const Stopwatch setup;
  const BenchSystem<CpuBackend, FormatOf<MatrixFormat::csr>> system(backend, matrix, bench.b(), {});
  const SolveValues<CpuBackend, Value> values(backend, system);
  const auto A = product_of(system, values.data());
  const Buffer<Real> r = backend.allocate<Real>(bench.b().size());
  const Buffer<CgState> state = backend.allocate<CgState>(1);
  ConjugateGradient<CpuBackend, std::remove_const_t<decltype(A)>, JacobiPreconditioner> cg(
      backend, A, {system.inverse_diagonal.data()}, {matrix.rows(), r.data(), system.x.data(), state.data()});
  const double setup_s = setup.seconds();
  const std::string method = with_precision<Value>("plain");
  if (options.jacobi)
    bench.measure<Value>(
        {.method = method, .setup_s = setup_s, .solve = {}}, system,
        [&](const CgConfig& config) {
          backend.for_each(system.rows(), CopyVector<Real>{system.b.data(), r.data()});
          values.renew(backend);
          cg.solve(backend, config);
        },
        [&] { return state.data()->report; }, [&](const auto& call) { return bench.seconds_of(call); });
  if constexpr (std::is_same_v<Value, Real>)
    if (options.defect_correction) measure_defect_correction(bench, "defect_correction", system, A, setup_s);
  const SystemOnPath of{method, system, A, values, setup_s};
  measure_polynomials(bench, of, options, PolynomialCgByLoops{SolverPath::plain});
  measure_ssor(bench, of, options);
}

}  // namespace

SolverReport measure_solvers_on_cpu(const BenchMatrix& matrix, const SolverBenchOptions& options) {
  CpuBackend backend;
  SolveBench<CpuBackend> bench(backend, matrix, options.repeats);
  plain<Real>(bench, matrix, options);
  plain<float>(bench, matrix, options);
  return std::move(bench.report());
}

}  // namespace cardiowarp
