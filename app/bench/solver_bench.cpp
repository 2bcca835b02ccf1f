#include "app/bench/solver_bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

constexpr std::int64_t of_entry(std::size_t bytes_a_value) {
  return static_cast<std::int64_t>(bytes_a_value + sizeof(std::uint16_t));
}

/// The name of a value in a list of names and values.
template <class Names, class Value>
std::string name_in(const Names& names, Value value) {
  return std::string(
      std::find_if(names.begin(), names.end(), [&](const auto& named) { return named.second == value; })->first);
}

template <class Names>
std::vector<std::string> all_names(const Names& names) {
  std::vector<std::string> all;
  for (const auto& [name, value] : names) all.emplace_back(name);
  return all;
}

void require_names(const char* option, const std::vector<std::string>& words, const std::vector<std::string>& names) {
  for (const std::string& word : words)
    if (std::find(names.begin(), names.end(), word) == names.end())
      throw InputError(
          fmt::format("{}: expected {}, got '{}'{}", option, fmt::join(names, ", "), word, suggestion(word, names)));
}

}  // namespace

void set_preconditioners(SolverBenchOptions& options, const std::vector<std::string>& words,
                         const std::vector<int>& degrees, const std::vector<std::string>& precisions) {
  for (const int degree : degrees)
    if (!PolynomialOptions{.degree = degree}.is_valid())
      throw InputError(
          fmt::format("--degree: expected degrees of 1 to {}, got {}", PolynomialOptions::highest_degree, degree));
  std::vector<std::string> names = all_names(polynomial_kinds);
  for (const char* other : {"ssor_eisenstat", "ssor", "defect_correction", "jacobi"})
    names.insert(names.begin(), other);
  require_names("--preconditioner", words, names);
  require_names("--inside", precisions, all_names(polynomial_precisions));
  options.jacobi = options.defect_correction = false;
  options.polynomials.clear();
  options.ssor.clear();
  for (const std::string& word : words) {
    if (word == "jacobi") options.jacobi = true;
    if (word == "defect_correction") options.defect_correction = true;
    if (word == "ssor") options.ssor.push_back(SsorKind::sweeps);
    if (word == "ssor_eisenstat") options.ssor.push_back(SsorKind::eisenstat);
    for (const auto& [name, kind] : polynomial_kinds)
      if (word == name)
        for (const std::string& precision : precisions)
          for (const int degree : degrees)
            options.polynomials.push_back(
                {kind, degree,
                 precision == "single" ? PolynomialPrecision::single : PolynomialPrecision::double_precision});
  }
}

std::int64_t cg_iteration_bytes(Index rows, std::int64_t nonzeros, std::size_t bytes_a_value,
                                std::size_t bytes_a_number) {
  const auto of_row = static_cast<std::int64_t>(11 * bytes_a_number);
  return of_entry(bytes_a_value) * nonzeros + of_row * rows;
}

std::int64_t polynomial_iteration_bytes(Index rows, std::int64_t nonzeros, const PolynomialOptions& options,
                                        std::size_t bytes_a_value) {
  // In single precision the first z takes 8 a row more, to scale and to round r, and conjugate gradients read 8 less.
  const bool is_single = options.precision == PolynomialPrecision::single;
  const std::int64_t of_product = of_entry(is_single ? sizeof(float) : bytes_a_value) * nonzeros;
  const std::int64_t of_rows = rows;
  return cg_iteration_bytes(rows, nonzeros, bytes_a_value) + 24 * of_rows +
         options.degree * (of_product + (is_single ? 32 : 64) * of_rows);
}

std::int64_t ssor_iteration_bytes(Index rows, std::int64_t nonzeros, std::int64_t stored, SsorKind kind,
                                  std::size_t bytes_a_value) {
  constexpr std::int64_t index = sizeof(Index);
  const auto of_value = static_cast<std::int64_t>(bytes_a_value);
  if (kind == SsorKind::eisenstat) return (of_value + index) * stored + 208 * std::int64_t{rows};
  // The path `plain` without 1 / D: M is read where D⁻¹ r would be; and the sweeps.
  return (of_value + index) * nonzeros + (4 + index) * stored + (104 + 80) * std::int64_t{rows};
}

SolverReport measure_solvers(const BenchMatrix& matrix, const SolverBenchOptions& options) {
  return options.on_cpu ? measure_solvers_on_cpu(matrix, options) : measure_solvers_on_gpu(matrix, options);
}

Table solver_table() {
  return {{"mesh",
           "step_ms",
           "rows",
           "nonzeros",
           "method",
           "preconditioner",
           "degree",
           "inside",
           "order",
           "parts",
           "halo_rows_a_row",
           "longest_halo",
           "partition_s",
           "correct",
           "iterations",
           "outer_iterations",
           "products",
           "true_residual",
           "setup_s",
           "bounds_us",
           "lower_bound",
           "upper_bound",
           "median_us",
           "min_us",
           "max_us",
           "iteration_us",
           "iteration_bytes",
           "effective_gb_per_s",
           "percent_of_copy",
           "colors",
           "node_order",
           "device"},
          {}};
}

void add_rows(Table& table, const BenchMatrix& matrix, const std::vector<SolverMeasurement>& measurements,
              const DeviceCopy& copy) {
  const auto cell_of = [](const auto& optional) { return optional ? TableCell(double{*optional}) : TableCell(); };
  for (const SolverMeasurement& m : measurements) {
    const std::int64_t bytes =
        m.ssor ? ssor_iteration_bytes(matrix.rows(), matrix.entries(), m.ssor->stored, m.ssor->kind, m.bytes_a_value)
        : m.polynomial ? polynomial_iteration_bytes(matrix.rows(), matrix.entries(), *m.polynomial, m.bytes_a_value)
        : m.is_single_inside ? cg_iteration_bytes(matrix.rows(), matrix.entries(), sizeof(float), sizeof(float))
                             : cg_iteration_bytes(matrix.rows(), matrix.entries(), m.bytes_a_value, m.bytes_a_number);
    std::vector<TableCell> row{matrix.name, cell_of(matrix.step_ms), std::int64_t{matrix.rows()}, matrix.entries(),
                               m.method};
    if (m.polynomial)
      row.insert(row.end(), {name_in(polynomial_kinds, m.polynomial->kind), std::int64_t{m.polynomial->degree},
                             name_in(polynomial_precisions, m.polynomial->precision)});
    else
      row.insert(row.end(), {std::string(!m.ssor                            ? "jacobi"
                                         : m.ssor->kind == SsorKind::sweeps ? "ssor"
                                                                            : "ssor_eisenstat"),
                             TableCell(), m.is_single_inside ? TableCell(std::string("single")) : TableCell()});
    if (m.parts)
      row.insert(row.end(), {name_of(m.parts->order), std::int64_t{m.parts->parts}, m.parts->halo_rows_a_row,
                             std::int64_t{m.parts->longest_halo}});
    else
      row.insert(row.end(), 4, TableCell());
    row.push_back(cell_of(m.partition_s));
    row.insert(row.end(), {m.correct, std::int64_t{m.iterations},
                           m.outer_iterations ? TableCell(std::int64_t{*m.outer_iterations}) : TableCell(),
                           m.products(), m.true_residual, m.setup_s});
    row.push_back(m.bounds_s ? TableCell(1e6 * *m.bounds_s) : TableCell());
    row.push_back(m.bounds ? TableCell(m.bounds->lower) : TableCell());
    row.push_back(m.bounds ? TableCell(m.bounds->upper) : TableCell());
    const bool iterated = m.correct && m.iteration_s > 0;
    if (m.correct)
      row.insert(row.end(), {1e6 * m.solve.median, 1e6 * m.solve.shortest, 1e6 * m.solve.longest});
    else
      row.insert(row.end(), 3, TableCell());
    row.push_back(iterated ? TableCell(1e6 * m.iteration_s) : TableCell());
    row.emplace_back(bytes);
    row.push_back(iterated ? TableCell(1e-9 * static_cast<double>(bytes) / m.iteration_s) : TableCell());
    row.push_back(iterated && copy.bytes > 0 ? TableCell(100 * copy.seconds_of(bytes) / m.iteration_s) : TableCell());
    row.push_back(m.ssor ? TableCell(std::int64_t{m.ssor->colors}) : TableCell());
    row.push_back(matrix.node_order.empty() ? TableCell() : TableCell(matrix.node_order));
    row.emplace_back(copy.device);
    table.rows.push_back(std::move(row));
  }
}

}  // namespace cardiowarp
