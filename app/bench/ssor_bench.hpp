#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/solve_bench.hpp"
#include "app/measure/stopwatch.hpp"
#include "fem/input_error.hpp"
#include "kernels/backend/backend.hpp"
#include "solver/preconditioners/ssor.hpp"
#include "solver/preconditioners/ssor_cg.hpp"

namespace cardiowarp {

// SSOR with colors in `bench solver`, in both ways (solver/preconditioners/ssor.hpp). A solve is timed as a time step
// with quadrature: vertices calls it: the diagonal of the matrix is copied before each, L and U before the first.

/// The rows of a system and the slots of its entries in the numbering of its format, which its vectors have.
struct NumberedRows {
  std::vector<Index> row_begin{0}, column;
  std::vector<std::int64_t> slot_of_entry;
};

template <Backend B, class Format, class Number>
NumberedRows rows_in_own_order(const BenchSystem<B, Format, Number>& system) {
  std::vector<Index> own_row(system.rows());  // of a row of the given matrix
  for (Index i = 0; i < system.rows(); ++i) own_row[system.given_row(i)] = i;
  NumberedRows rows;
  for (Index i = 0; i < system.rows(); ++i) {
    const Index given = system.given_row(i);
    for (Index e = system.pattern.row_begin[given]; e < system.pattern.row_begin[given + 1]; ++e) {
      rows.column.push_back(own_row[system.pattern.column[e]]);
      rows.slot_of_entry.push_back(system.entries.slot_of_entry[e]);
    }
    rows.row_begin.push_back(static_cast<Index>(rows.column.size()));
  }
  return rows;
}

/// Measures every way of SSOR that the options ask for.
template <Backend B, class System, class Matrix, class Value>
void measure_ssor(SolveBench<B>& bench, const SystemOnPath<System, Matrix, SolveValues<B, Value>>& of,
                  const SolverBenchOptions& options) {
  B& backend = bench.backend();
  const System& system = of.system;
  const SolveValues<B, Value>& values = of.values;
  for (const SsorKind kind : options.ssor) {
    const Stopwatch setup;
    const NumberedRows rows = rows_in_own_order(system);
    const SsorPlan plan = [&] {
      try {
        return ssor_plan(kind, {rows.row_begin, rows.column}, rows.slot_of_entry);
      } catch (const std::invalid_argument& refusal) {
        throw InputError(std::string("--preconditioner: ") + refusal.what());
      }
    }();
    const Buffer<Real> r = backend.template allocate<Real>(static_cast<std::size_t>(system.rows()));
    const Buffer<CgState> state = backend.template allocate<CgState>(1);
    const auto stored = static_cast<std::int64_t>(plan.halves.lower.column.size() + plan.halves.upper.column.size());
    SolverMeasurement m{.method = of.method, .solve = {}};
    m.ssor = SsorMeasures{kind, plan.halves.colors(), stored};
    const auto measure = [&](const auto& solve) {
      backend.synchronize();
      m.setup_s = of.setup_s + setup.seconds();
      bench.template measure<Value>(
          std::move(m), system,
          [&](const CgConfig& config) {
            backend.for_each(system.rows(), CopyVector<Real>{system.b.data(), r.data()});
            values.renew(backend);
            solve(config);
          },
          [&] { return backend.read(state.data()).report; }, [&](const auto& call) { return bench.seconds_of(call); });
    };
    if (kind == SsorKind::eisenstat) {
      EisenstatCg<B, Value> cg(backend, plan.halves, values.data(), true,
                               {system.rows(), r.data(), system.x.data(), state.data()});
      measure([&](const CgConfig& config) { cg.solve(backend, config); });
    } else {
      using Ssor = SsorPreconditioner<B, Value>;
      Ssor ssor(backend, system.rows(), plan.halves, values.data(), true);
      ConjugateGradient<B, Matrix, PreparedZ<Real>> cg(backend, of.A, ssor.preconditioner(),
                                                       {system.rows(), r.data(), system.x.data(), state.data()});
      measure([&](const CgConfig& config) {
        ssor.follow_matrix();
        cg.solve(backend, config);
      });
    }
  }
}

}  // namespace cardiowarp
