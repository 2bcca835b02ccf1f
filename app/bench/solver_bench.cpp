#include "app/bench/solver_bench.hpp"

#include <vector>

namespace cardiowarp {

std::int64_t cg_iteration_bytes(Index rows, std::int64_t nonzeros, std::size_t bytes_a_value,
                                std::size_t bytes_a_number) {
  const auto of_row = static_cast<std::int64_t>(11 * bytes_a_number);
  const auto of_entry = static_cast<std::int64_t>(bytes_a_value + sizeof(std::uint16_t));
  return of_entry * nonzeros + of_row * rows;
}

Table solver_table() {
  return {{"mesh",
           "rows",
           "nonzeros",
           "method",
           "order",
           "parts",
           "halo_rows_a_row",
           "longest_halo",
           "partition_s",
           "correct",
           "iterations",
           "true_residual",
           "setup_s",
           "median_us",
           "min_us",
           "max_us",
           "iteration_us",
           "iteration_bytes",
           "effective_gb_per_s",
           "percent_of_copy",
           "device"},
          {}};
}

void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SolverMeasurement>& measurements,
              const DeviceCopy& copy) {
  for (const SolverMeasurement& m : measurements) {
    const std::int64_t bytes = cg_iteration_bytes(matrix.rows(), matrix.entries(), m.bytes_a_value, m.bytes_a_number);
    std::vector<TableCell> row{matrix.name, std::int64_t{matrix.rows()}, matrix.entries(), m.method};
    if (m.parts)
      row.insert(row.end(), {name_of(m.parts->order), std::int64_t{m.parts->parts}, m.parts->halo_rows_a_row,
                             std::int64_t{m.parts->longest_halo}});
    else
      row.insert(row.end(), 4, TableCell());
    row.push_back(m.partition_s ? TableCell(*m.partition_s) : TableCell());
    row.insert(row.end(), {m.correct, std::int64_t{m.iterations}, m.true_residual, m.setup_s});
    const bool iterated = m.correct && m.iteration_s > 0;
    if (m.correct)
      row.insert(row.end(), {1e6 * m.solve.median, 1e6 * m.solve.shortest, 1e6 * m.solve.longest});
    else
      row.insert(row.end(), 3, TableCell());
    row.push_back(iterated ? TableCell(1e6 * m.iteration_s) : TableCell());
    row.emplace_back(bytes);
    if (iterated)
      row.insert(row.end(),
                 {1e-9 * static_cast<double>(bytes) / m.iteration_s, 100 * copy.seconds_of(bytes) / m.iteration_s});
    else
      row.insert(row.end(), 2, TableCell());
    row.emplace_back(copy.device);
    table.rows.push_back(std::move(row));
  }
}

}  // namespace cardiowarp
