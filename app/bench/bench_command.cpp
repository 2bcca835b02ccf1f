#include "app/bench/bench_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>

#include "app/bench/assembly_bench.hpp"
#include "app/bench/color_counts.hpp"
#include "app/bench/degree_bench.hpp"
#include "app/bench/matrix_sources.hpp"
#include "app/bench/row_locality.hpp"
#include "app/bench/single_error.hpp"
#include "app/bench/solver_bench.hpp"
#include "app/bench/spmv_table.hpp"
#include "app/bench/step_bench.hpp"
#include "app/files/result_file.hpp"
#include "app/output/measured_here.hpp"
#include "app/process/standard_streams.hpp"
#include "app/simulation/gpu.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"
#include "kernels/backend/device_error.hpp"
#include "meshes/atomic_file.hpp"
#include "meshes/mesh_file.hpp"

namespace cardiowarp {
namespace {

/// What is printed of the best choice of each format; the files have all columns.
const std::vector<std::string> product_columns{"format",
                                               "block_size",
                                               "threshold",
                                               "lanes",
                                               "values_per_thread",
                                               "slice_rows",
                                               "parts",
                                               "padding",
                                               "by_rule",
                                               "correct",
                                               "setup_s",
                                               "median_us",
                                               "min_us",
                                               "max_us",
                                               "gb_per_s",
                                               "percent_of_copy",
                                               "effective_gb_per_s",
                                               "gflops",
                                               "ratio_to_cusparse_csr_1",
                                               "ratio_to_best_cusparse"};
const std::vector<std::string> assembly_columns{"mesh",
                                                "nodes",
                                                "elements",
                                                "format",
                                                "strategy",
                                                "block_size",
                                                "correct",
                                                "setup_s",
                                                "elements_us",
                                                "elements_over_dummy",
                                                "assembly_us",
                                                "median_us",
                                                "giga_elements_per_s",
                                                "percent_of_copy"};
const std::vector<std::string> solver_columns{
    "mesh",       "step_ms",  "rows",      "method",    "preconditioner", "degree",          "inside", "correct",
    "iterations", "products", "bounds_us", "median_us", "iteration_us",   "percent_of_copy", "setup_s"};
const std::vector<std::string> step_columns{"mesh",    "nodes",         "quadrature", "format", "solver",
                                            "part",    "correct",       "median_us",  "min_us", "max_us",
                                            "roof_us", "ratio_to_roof", "in_l2"};
const std::vector<std::string> degree_columns{"mesh",      "degree",  "nodes",     "elements",        "operation",
                                              "method",    "correct", "median_us", "elements_a_part", "evaluations",
                                              "ns_a_node", "gb_per_s"};
const std::vector<std::string> reordering_columns{"format",         "median_us", "reorder_gpu_us",
                                                  "reorder_cpu_us", "alpha_gpu", "alpha_cpu"};

void print_left_out(const std::vector<LeftOut>& left_out) {
  for (const LeftOut& what : left_out) print_report("{} is left out: {}\n", what.name, what.reason);
}

/// The best choice of each format by `products` products, what its reordering costs, and each effect apart.
void print_best(const BenchMatrix& matrix, const SpmvReport& report, int products, const DeviceCopy& copy) {
  const std::vector<SpmvMeasurement> best = best_of_each_format(report.measurements, products);
  const auto text = [&](const std::vector<SpmvMeasurement>& shown, const std::vector<std::string>& columns) {
    Table table{spmv_table(copy).columns, {}};
    add_rows(table, matrix, shown, report.measurements, copy);
    return aligned_text(with_columns(table, columns));
  };
  print_report("{}: {} rows, {} nonzeros, {}; the best of each format\n{}", matrix.name, matrix.rows(),
               matrix.entries(),
               products == 1 ? "one product at a time" : fmt::format("{} products together", products),
               text(best, product_columns));
  print_left_out(report.left_out);

  std::vector<SpmvMeasurement> reordered;
  for (const SpmvMeasurement& m : best)
    if (m.reordering) reordered.push_back(m);
  print_report("\nreordering of values, and after how many products it pays against cusparse_csr_1\n{}",
               text(reordered, reordering_columns));
  print_report("\neffects one by one\n{}\n", aligned_text(effects_table(report.measurements, products)));
  flush_report();
}

template <class Measurements>
std::ptrdiff_t count_wrong(const Measurements& measurements) {
  return std::count_if(measurements.begin(), measurements.end(), [](const auto& m) { return !m.correct; });
}

void require_correct(std::ptrdiff_t wrong) {
  if (wrong > 0) throw DeviceError(fmt::format("{} results are wrong: not timed, 'no' in the column 'correct'", wrong));
}

void require_one_of(const char* option, const std::string& word, const std::vector<std::string>& valid) {
  if (std::find(valid.begin(), valid.end(), word) == valid.end())
    throw InputError(
        fmt::format("{}: expected {}, got '{}'{}", option, fmt::join(valid, " or "), word, suggestion(word, valid)));
}

/// Writes the measurements so far into the files asked for.
void write_files(const BenchValues& values, const Table& all, const Provenance& provenance) {
  if (!values.csv.empty()) write_file_atomically(values.csv, csv_text(all, provenance));
  if (!values.json.empty()) write_file_atomically(values.json, json_text(all));
}

/// Throws InputError where a file cannot be written, or would replace one that is read.
void require_writable_tables(const BenchValues& values, const std::vector<std::filesystem::path>& inputs) {
  require_writable("--csv", values.csv, inputs);
  require_writable("--json", values.json, inputs);
}

const char* name_of(BenchValues::Part part) {
  using enum BenchValues::Part;
  return part == assembly  ? "assembly"
         : part == solver  ? "solver"
         : part == step    ? "step"
         : part == degrees ? "degrees"
                           : "spmv";
}

/// Throws InputError where no mesh is named, or one that cannot be made.
void require_meshes(const BenchValues& values) {
  if (values.sources.meshes.empty())
    throw InputError(fmt::format("bench {}: expected a MESH or --nodes N, got none", name_of(values.part)));
  require_valid(SpmvBenchOptions{.repeats = values.repeats});
  require_valid(values.sources.meshes);
}

/// Writes a table to which each matrix adds rows, and prints it. No GPU is needed.
void write_of_matrices(const std::filesystem::path& file, Table table, const std::vector<BenchMatrix>& matrices,
                       void (*add)(Table& table, const BenchMatrix& matrix)) {
  for (const BenchMatrix& matrix : matrices) add(table, matrix);
  write_file_atomically(file, csv_text(table, measured_here()));
  print_report("{}", aligned_text(table));
}

/// Writes a table to which each mesh adds rows, and prints it. No GPU is needed. `option` names the file.
void write_of_meshes(const BenchValues& values, const char* option, const std::filesystem::path& file, Table table,
                     void (*add)(Table& table, const std::string& name, const Mesh& mesh)) {
  require_meshes(values);
  require_writable(option, file, values.sources.meshes.files);
  for (const auto& [name, mesh] : read_meshes(values.sources.meshes)) add(table, name, mesh);
  write_file_atomically(file, csv_text(table, measured_here()));
  print_report("{}", aligned_text(table));
}

/// Reads meshes of `elements`; `measure(name, mesh, table, copy)` adds rows to `all` and returns how many of them are
/// wrong.
template <class Measure>
void run_on_meshes(const BenchValues& values, MeshesOf elements, Table all, const std::vector<std::string>& printed,
                   const Measure& measure) {
  require_meshes(values);
  require_writable_tables(values, values.sources.meshes.files);
  if (!values.sources.meshes.nodes.empty()) gpu_device();  // throws before minutes are spent on making them
  const std::vector<NamedMesh> meshes = read_meshes(values.sources.meshes, elements);
  const Provenance provenance = measured_here();
  const DeviceCopy copy = measure_copy(values.repeats);
  std::ptrdiff_t wrong = 0;
  for (const auto& [name, mesh] : meshes) {
    wrong += measure(name, mesh, all, copy);
    write_files(values, all, provenance);
  }
  print_report("{}", aligned_text(with_columns(all, printed)));
  require_correct(wrong);
}

void run_assembly(const BenchValues& values) {
  AssemblyBenchOptions options = values.assembly;
  options.order = parse_bench_order(values.sources.order);
  require_valid(options);
  if (!values.colors.empty()) return write_of_meshes(values, "--colors", values.colors, color_table(), add_colors);
  if (!values.single_error.empty())
    return write_of_meshes(values, "--single-error", values.single_error, single_error_table(), add_single_errors);
  run_on_meshes(values, MeshesOf::linear_or_quadratic_tetrahedra, assembly_table(), assembly_columns,
                [&](const std::string& name, const Mesh& mesh, Table& all, const DeviceCopy& copy) {
                  const AssemblyReport report = measure_assembly(name, mesh, options);
                  add_rows(all, report, copy);
                  print_left_out(report.left_out);
                  return count_wrong(report.measurements);
                });
}

void run_step(const BenchValues& values) {
  require_one_of("--quadrature", values.quadrature, {"vertices", "centroid"});
  const Quadrature quadrature = values.quadrature == "vertices" ? Quadrature::vertices : Quadrature::centroid;
  run_on_meshes(values, MeshesOf::linear_tetrahedra, step_table(), step_columns,
                [&](const std::string& name, const Mesh& mesh, Table& all, const DeviceCopy& copy) {
                  const StepMeasurement measurement = measure_step(name, mesh, quadrature, values.repeats);
                  add_rows(all, measurement, copy);
                  return count_wrong(std::vector{measurement});
                });
}

void run_spmv(const BenchValues& values) {
  SpmvBenchOptions options = values.spmv;
  if (options.every_choice && !values.has_block_sizes) options.block_sizes = every_block_size();
  require_valid(options);
  require_valid(values.sources);
  options.order = parse_bench_order(values.sources.order);
  require_unlike({{"--csv", values.csv},
                  {"--json", values.json},
                  {"--row-lengths", values.row_lengths},
                  {"--locality", values.locality}});
  require_writable_tables(values, values.sources.files());
  require_writable("--row-lengths", values.row_lengths, values.sources.files());
  require_writable("--locality", values.locality, values.sources.files());
  if (!values.row_lengths.empty())
    return write_of_matrices(values.row_lengths, row_lengths_table(), read_matrices(values.sources), add_row_lengths);
  if (!values.locality.empty())
    return write_of_matrices(values.locality, locality_table(), read_matrices(values.sources), add_locality);
  if (!values.sources.meshes.nodes.empty()) gpu_device();  // throws before minutes are spent on making them
  const std::vector<BenchMatrix> matrices = read_matrices(values.sources);

  const Provenance provenance = measured_here();
  const DeviceCopy copy = measure_copy(options.repeats);
  Table all = spmv_table(copy);
  print_report("{}\n",
               aligned_text(with_columns(all, {"device", "format", "median_us", "min_us", "max_us", "gb_per_s"})));
  int wrong = 0;
  for (const BenchMatrix& matrix : matrices) {
    const SpmvReport report = measure_products(matrix, options);
    for (const SpmvMeasurement& m : report.measurements) wrong += m.correct ? 0 : 1;
    add_rows(all, matrix, report.measurements, report.measurements, copy);
    write_files(values, all, provenance);
    print_best(matrix, report, tuning_products(options), copy);
  }
  if (wrong > 0)
    throw DeviceError(fmt::format("{} products are wrong: not timed, 'no' in the column 'correct'", wrong));
}

void run_solver(const BenchValues& values) {
  if (values.sources.meshes.empty() && values.sources.matrix_files.empty())
    throw InputError("bench solver: expected a MESH, --nodes N or --matrix FILE, got none");
  require_one_of("--backend", values.backend, {"gpu", "cpu"});
  require_one_of("--quadrature", values.quadrature, {"vertices", "centroid"});
  require_valid(SpmvBenchOptions{.repeats = values.repeats});
  require_valid(values.sources.meshes);
  for (const double step : values.steps_ms)
    if (!(step >= 1e-6 && step <= 1e6))
      throw InputError(fmt::format("--step: expected time steps of 1e-6 to 1e6 ms, got {}", step));
  SolverBenchOptions options{
      .on_cpu = values.backend == "cpu", .repeats = values.repeats, .order = parse_bench_order(values.sources.order)};
  set_preconditioners(options, values.preconditioners, values.polynomial_degrees, values.precisions_inside);
  require_writable_tables(values, values.sources.files());
  if (!options.on_cpu && !values.sources.meshes.nodes.empty())
    gpu_device();  // throws before minutes are spent on making them
  const std::vector<BenchMatrix> matrices =
      read_systems(values.sources, values.steps_ms, values.quadrature == "vertices");
  const Provenance provenance = measured_here();
  const DeviceCopy copy =
      options.on_cpu ? DeviceCopy{.device = provenance.processor, .seconds = {}} : measure_copy(values.repeats);
  Table all = solver_table();
  std::ptrdiff_t wrong = 0;
  for (const BenchMatrix& matrix : matrices) {
    const SolverReport report = measure_solvers(matrix, options);
    add_rows(all, matrix, report.measurements, copy);
    wrong += count_wrong(report.measurements);
    print_left_out(report.left_out);
    write_files(values, all, provenance);
  }
  print_report("{}", aligned_text(with_columns(all, solver_columns)));
  require_correct(wrong);
}

void run_degrees(const BenchValues& values) {
  if (values.sources.meshes.files.empty() && values.degrees.nodes.empty())
    throw InputError("bench degrees: expected a MESH or --nodes N, got none");
  require_one_of("--backend", values.backend, {"gpu", "cpu"});
  require_valid(SpmvBenchOptions{.repeats = values.repeats});
  DegreeOptions options = values.degrees;
  options.on_cpu = values.backend == "cpu";
  options.repeats = values.repeats;
  require_valid(options);
  require_writable_tables(values, values.sources.meshes.files);
  const Provenance provenance = measured_here();
  const std::string device = options.on_cpu ? provenance.processor : measure_copy(options.repeats).device;
  const std::vector<NamedMesh> meshes = read_meshes(values.sources.meshes);
  Table all = degree_table();
  std::ptrdiff_t wrong = 0;
  const auto measure = [&](const std::string& name, const Mesh& mesh, int degree) {
    const std::vector<DegreeMeasurement> measured = measure_degree(degree, mesh, options);
    wrong += std::count_if(measured.begin(), measured.end(), [](const auto& m) { return !m.correct.value_or(true); });
    add_rows(all, name, measured, device);
    write_files(values, all, provenance);
  };
  for (const auto& [name, mesh] : meshes)
    for (const int degree : options.degrees) measure(name, mesh, degree);
  for (const int nodes : options.nodes)
    for (const int degree : options.degrees)
      measure(fmt::format("box_{}", nodes), box_for_degree(degree, nodes), degree);
  print_report("{}", aligned_text(with_columns(all, degree_columns)));
  require_correct(wrong);
}

}  // namespace

void run_bench(const BenchValues& values) {
  using enum BenchValues::Part;
  switch (values.part) {
    case spmv:
      return run_spmv(values);
    case assembly:
      return run_assembly(values);
    case solver:
      return run_solver(values);
    case step:
      return run_step(values);
    case degrees:
      return run_degrees(values);
  }
}

}  // namespace cardiowarp
