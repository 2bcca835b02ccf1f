#include "app/bench/solver_bench.hpp"

#include <vector>

namespace cardiowarp {

Table solver_table() {
  return {{"mesh", "rows", "nonzeros", "method", "correct", "iterations", "true_residual", "setup_s", "median_us",
           "min_us", "max_us", "iteration_us", "device"},
          {}};
}

void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SolverMeasurement>& measurements,
              const DeviceCopy& copy) {
  for (const SolverMeasurement& m : measurements) {
    std::vector<TableCell> row{matrix.name, std::int64_t{matrix.rows()}, matrix.entries(), m.method,
                               m.correct,   std::int64_t{m.iterations},  m.true_residual,  m.setup_s};
    if (m.correct)
      row.insert(row.end(), {1e6 * m.solve.median, 1e6 * m.solve.shortest, 1e6 * m.solve.longest, 1e6 * m.iteration_s});
    else
      row.insert(row.end(), 4, TableCell());
    row.emplace_back(copy.device);
    table.rows.push_back(std::move(row));
  }
}

}  // namespace cardiowarp
