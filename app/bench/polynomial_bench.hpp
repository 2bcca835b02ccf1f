#pragma once
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "app/bench/defect_correction.hpp"
#include "app/bench/solve_bench.hpp"
#include "app/measure/stopwatch.hpp"
#include "kernels/backend/backend.hpp"
#include "solver/cg/conjugate_gradient.hpp"
#include "solver/polynomial_cg.hpp"
#include "solver/preconditioners/polynomial_preconditioner.hpp"

namespace cardiowarp {

// The polynomial preconditioners in `bench solver`: for one system and one way to multiply, every kind and degree that
// is asked for, each with the bounds of the spectrum that a run would find. A solve is timed as a time step calls it,
// with the test whether the bounds still hold; finding the bounds is timed apart.

template <Backend B, class System, class Matrix, class MakeCg>
class PolynomialBench {
 public:
  /// `A` multiplies the system as ConjugateGradient and PolynomialPreconditioner ask, and has to outlive this;
  /// `make_cg` makes what iterates, as for a PolynomialSolver. `setup_s` is what it took to make system and matrix.
  PolynomialBench(SolveBench<B>& bench, std::string method, const System& system, const Matrix& A,
                  const MakeCg& make_cg, double setup_s)
      : bench_(bench),
        method_(std::move(method)),
        system_(system),
        matrix_(A),
        make_cg_(make_cg),
        setup_s_(setup_s),
        r_(bench.backend().template allocate<Real>(static_cast<std::size_t>(system.rows()))),
        state_(bench.backend().template allocate<CgState>(1)),
        unlike_(bench.backend().template allocate<CgState>(1)),
        same_(bench.backend().template allocate<CgState>(1)) {
    CgState failed{};
    failed.report.status = CgStatus::iteration_limit;
    bench.backend().upload(std::span<const CgState>(&failed, 1), unlike_.data());
  }

  /// `values` are renewed before each solve, as SolveValues are; the polynomial has vectors of `Number`.
  template <class Number, class Value>
  void measure(const PolynomialOptions& options, const SolveValues<B, Value>& values) {
    B& backend = bench_.backend();
    const Stopwatch setup;
    const ValuesInside<B, Value, Number> inside(backend, system_.with(values.data()), system_.diagonal_slot.data());
    const auto products = matrix_.with(inside.data());
    using Preconditioner = PolynomialPreconditioner<B, std::remove_const_t<decltype(products)>, Number>;
    Preconditioner M(backend, system_.rows(), products, options, system_.inverse_diagonal.data());
    auto cg = make_cg_(backend, matrix_, std::as_const(M),
                       CgVectors<Real>{system_.rows(), r_.data(), system_.x.data(), state_.data()});
    backend.synchronize();
    SolverMeasurement m{.method = method_, .polynomial = options, .setup_s = setup_s_ + setup.seconds(), .solve = {}};
    M.follow_matrix(unlike_.data());
    m.bounds_s = bench_.seconds_of([&] { M.follow_matrix(unlike_.data()); }).median;
    m.bounds = M.bounds();
    bench_.template measure<Value>(
        std::move(m), system_,
        [&](const CgConfig& config) {
          backend.for_each(system_.rows(), CopyVector<Real>{system_.b.data(), r_.data()});
          values.renew(backend);
          inside.renew(backend);
          M.follow_matrix(same_.data());
          cg.solve(backend, config, {});
        },
        [&] { return backend.read(state_.data()).report; }, [&](const auto& call) { return bench_.seconds_of(call); });
  }

 private:
  SolveBench<B>& bench_;
  std::string method_;
  const System& system_;
  const Matrix& matrix_;
  MakeCg make_cg_;
  double setup_s_;
  Buffer<Real> r_;
  Buffer<CgState> state_;
  Buffer<CgState> unlike_, same_;  ///< of a solve that failed, after which bounds are renewed, and of one that did not
};

/// Measures defect correction with an inner solver in single precision (defect_correction.hpp).
template <Backend B, class System, class Matrix>
void measure_defect_correction(SolveBench<B>& bench, const std::string& method, const System& system, const Matrix& A,
                               double setup_s) {
  B& backend = bench.backend();
  const Stopwatch setup;
  DefectCorrection<B, Matrix> correction(backend, system.rows(), system.entries.slots, A, system.value,
                                         system.inverse_diagonal.data());
  backend.synchronize();
  int outer = 0;
  bench.template measure<Real>(
      {.method = method, .setup_s = setup_s + setup.seconds(), .solve = {}, .is_single_inside = true}, system,
      [&](const CgConfig& config) { correction.solve(backend, system.b.data(), system.x.data(), config); },
      [&] {
        const DefectState state = correction.state(backend);
        outer = state.outer;
        return state.report;
      },
      [&](const auto& call) { return bench.seconds_of(call); });
  bench.report().measurements.back().outer_iterations = outer;
}

/// Measures every polynomial of the options.
template <Backend B, class System, class Matrix, class Values, class MakeCg>
void measure_polynomials(SolveBench<B>& bench, const SystemOnPath<System, Matrix, Values>& of,
                         const SolverBenchOptions& options, const MakeCg& make_cg) {
  if (options.polynomials.empty()) return;
  PolynomialBench<B, System, Matrix, MakeCg> polynomials(bench, of.method, of.system, of.A, make_cg, of.setup_s);
  for (const PolynomialOptions& polynomial : options.polynomials)
    if (polynomial.precision == PolynomialPrecision::single)
      polynomials.template measure<float>(polynomial, of.values);
    else
      polynomials.template measure<Real>(polynomial, of.values);
}

}  // namespace cardiowarp
