#include "app/bench/bench_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>

#include "app/bench/assembly_bench.hpp"
#include "app/bench/color_counts.hpp"
#include "app/bench/degree_bench.hpp"
#include "app/bench/row_locality.hpp"
#include "app/bench/single_error.hpp"
#include "app/bench/solver_bench.hpp"
#include "app/bench/spmv_table.hpp"
#include "app/bench/step_bench.hpp"
#include "app/config/nearest_name.hpp"
#include "app/files/result_file.hpp"
#include "app/output/measured_here.hpp"
#include "app/process/standard_streams.hpp"
#include "app/simulation/gpu.hpp"
#include "fem/input_error.hpp"
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

}  // namespace

BenchCommand::BenchCommand(CLI::App& app)
    : bench_(app.add_subcommand(
          "bench", "Time the program's kernels on a GPU beside NVIDIA's libraries, where they are installed")),
      spmv_(bench_->add_subcommand("spmv",
                                   "Matrix times vector in every format, for the matrix of each mesh, file and name")),
      assembly_(bench_->add_subcommand("assembly", "Element loop and sums of the linear system of each mesh")),
      solver_(bench_->add_subcommand("solver", "Conjugate gradients for the matrix of each mesh and file")),
      step_(bench_->add_subcommand("step", "A Newton iteration with ten of conjugate gradients, phase by phase")),
      orders_(bench_->add_subcommand("degrees", "Assembly and products of elements of degree 1, 2 and 3")) {
  bench_->require_subcommand(1);
  for (CLI::App* command : {spmv_, solver_})
    command->add_option("--matrix", sources_.matrix_files, "Matrix Market files, plain or gzip")->type_name("FILE");
  add_solver_options();
  step_->add_option("--quadrature", quadrature_, "Of mass and reaction: vertices or centroid")->capture_default_str();
  spmv_
      ->add_option("--stand-in", sources_.stand_ins,
                   "Generated matrices of the classes circuit, qcd, webbase, .. or all; NAME:SEED varies one")
      ->type_name("NAME,NAME,..")
      ->delimiter(',')
      ->allow_extra_args(false);
  spmv_
      ->add_option("--unknowns", sources_.unknowns,
                   "Unknowns a node: of a mesh 1 is the monodomain model, 2 the bidomain model, 3 linear elasticity")
      ->type_name("N")
      ->capture_default_str();
  for (CLI::App* command : {spmv_, assembly_, solver_})
    command
        ->add_option(
            "--order", sources_.order,
            "Nodes of a mesh along a Hilbert curve, as in the mesh, along the curve and in parts those of METIS, by "
            "reverse Cuthill-McKee, or all in parts of METIS")
        ->type_name("hilbert|mesh|metis|rcm|metis_nodes")
        ->capture_default_str();
  for (CLI::App* command : {spmv_, assembly_, solver_, step_}) {
    command->add_option("MESH", sources_.meshes.files, one_of_suffixes(mesh_suffixes));
    command->add_option("--nodes", sources_.meshes.nodes, "Idealised hearts of about so many nodes, made for this")
        ->type_name("N,N,..")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option("--csv", csv_, "Write all measurements, a line each")->type_name("FILE");
    command->add_option("--json", json_, "Write all measurements, an object each")->type_name("FILE");
    command->add_option("--repeats", options_.repeats, "Measurements of each kind")->capture_default_str();
  }
  add_degree_options();
  assembly_->add_option("--strategy", strategies_, "Only these strategies, or all; default: the gathers")
      ->type_name("NAME,NAME,..|all")
      ->delimiter(',')
      ->allow_extra_args(false);
  const auto add_shape = [&](const char* name, std::vector<int>& values, const char* text) {
    assembly_->add_option(name, values, text)->type_name("N,N,..")->delimiter(',')->allow_extra_args(false);
  };
  add_shape("--part-nodes", part_nodes_, "shared_nz and shared_nz_general also in parts of so many nodes");
  add_shape("--part-kib", part_kib_, "shared_nz also in parts that take so many KiB of shared memory");
  add_shape("--part-threads", part_threads_, "Threads of these parts");
  add_shape("--block-size", block_sizes_, "All other loops also in blocks of at most so many threads");
  assembly_->add_option("--format", assembly_format_, "Of the matrix: a format of a run, or ell")
      ->type_name("NAME")
      ->capture_default_str();
  // By pointer: CLI11 compares names where it may not throw, so that a failed allocation would end the program.
  CLI::Option* const colors =
      assembly_
          ->add_option("--colors", colors_, "Write how many colors the elements of each mesh need, and measure nothing")
          ->type_name("FILE");
  assembly_
      ->add_option("--single-error", single_error_,
                   "Write the errors of matrices in single precision, and measure nothing")
      ->type_name("FILE")
      ->excludes(colors);
  const auto add_list = [&](const char* name, auto& values, const char* text) {
    return spmv_->add_option(name, values, text)
        ->type_name("N,N,..")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
  };
  spmv_->add_option("--format", options_.formats, "Only these formats")
      ->type_name("NAME,NAME,..")
      ->delimiter(',')
      ->allow_extra_args(false);
  block_size_ = add_list("--block-size", options_.block_sizes, "Threads a block");
  add_list("--threshold", options_.thresholds, "Entries a thread of K2 may have; default: several by the row lengths")
      ->default_str("");
  add_list("--products", options_.products, "Products measured together; 1: from cold caches");
  spmv_->add_option("--window", options_.window, "Rows sorted among themselves, 0: all")->capture_default_str();
  spmv_->add_flag("--every-choice", options_.every_choice,
                  "Blocks of 32, 64, .. 512 threads, every threshold from the shortest to the longest row, and each "
                  "choice by all numbers of products");
  CLI::Option* const row_lengths =
      spmv_
          ->add_option("--row-lengths", row_lengths_,
                       "Write how many rows of each matrix have each length, and measure nothing")
          ->type_name("FILE");
  spmv_
      ->add_option("--locality", locality_,
                   "Write how far apart each order and sorting of the rows reads x, and measure nothing")
      ->type_name("FILE")
      ->excludes(row_lengths);
  add_list("--parts", options_.parts, "k1rs_parts also in windows of which there are so many for each multiprocessor")
      ->default_str("");
}

void BenchCommand::add_solver_options() {
  const auto add_list = [&](const char* name, auto& values, const char* text, const char* type) {
    solver_->add_option(name, values, text)
        ->type_name(type)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
  };
  add_list("--preconditioner", preconditioners_,
           "jacobi, defect_correction, ssor, ssor_eisenstat, neumann, least_squares, chebyshev", "NAME,NAME,..");
  add_list("--degree", degrees_, "Degrees of the polynomials", "N,N,..");
  add_list("--inside", precisions_inside_, "Precisions in which polynomials are applied: double, single", "NAME,NAME");
  add_list("--step", steps_ms_, "Time steps of the matrices of meshes, in ms", "MS,MS,..");
  solver_->add_option("--quadrature", quadrature_, "Mass of the matrices of meshes: vertices (lumped) or centroid")
      ->capture_default_str();
  solver_->add_option("--backend", backend_, "gpu or cpu")->capture_default_str();
}

void BenchCommand::add_degree_options() {
  orders_->add_option("MESH", sources_.meshes.files,
                      "Linear meshes whose elements get the nodes of each degree: " + one_of_suffixes(mesh_suffixes));
  orders_
      ->add_option("--nodes", degree_options_.nodes,
                   "Boxes with about so many nodes of each degree, cut into cubes of six tetrahedra")
      ->type_name("N,N,..")
      ->delimiter(',')
      ->allow_extra_args(false);
  orders_->add_option("--degree", degree_options_.degrees, "Degrees of the elements")
      ->type_name("N,N,..")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  orders_->add_option("--csv", csv_, "Write all measurements, a line each")->type_name("FILE");
  orders_->add_option("--json", json_, "Write all measurements, an object each")->type_name("FILE");
  orders_->add_option("--repeats", options_.repeats, "Measurements of each kind")->capture_default_str();
  orders_->add_option("--backend", backend_, "gpu or cpu")->capture_default_str();
}

bool BenchCommand::chosen() const { return bench_->parsed(); }

void BenchCommand::run() const {
  if (assembly_->parsed()) {
    const AssemblyBenchOptions options{
        options_.repeats, strategies_,  part_nodes_,      part_kib_,
        part_threads_,    block_sizes_, assembly_format_, parse_bench_order(sources_.order)};
    require_valid(options);
    if (!colors_.empty()) return write_of_meshes("--colors", colors_, color_table(), add_colors);
    if (!single_error_.empty())
      return write_of_meshes("--single-error", single_error_, single_error_table(), add_single_errors);
    run_on_meshes(MeshesOf::linear_or_quadratic_tetrahedra, assembly_table(), assembly_columns,
                  [&](const std::string& name, const Mesh& mesh, Table& all, const DeviceCopy& copy) {
                    const AssemblyReport report = measure_assembly(name, mesh, options);
                    add_rows(all, report, copy);
                    print_left_out(report.left_out);
                    return count_wrong(report.measurements);
                  });
  } else if (solver_->parsed()) {
    run_solver();
  } else if (orders_->parsed()) {
    run_degrees();
  } else if (step_->parsed()) {
    require_one_of("--quadrature", quadrature_, {"vertices", "centroid"});
    const Quadrature quadrature = quadrature_ == "vertices" ? Quadrature::vertices : Quadrature::centroid;
    run_on_meshes(MeshesOf::linear_tetrahedra, step_table(), step_columns,
                  [&](const std::string& name, const Mesh& mesh, Table& all, const DeviceCopy& copy) {
                    const StepMeasurement measurement = measure_step(name, mesh, quadrature, options_.repeats);
                    add_rows(all, measurement, copy);
                    return count_wrong(std::vector{measurement});
                  });
  } else {
    run_spmv();
  }
}

SpmvBenchOptions BenchCommand::spmv_options() const {
  SpmvBenchOptions options = options_;
  if (options.every_choice && block_size_->count() == 0) options.block_sizes = every_block_size();
  return options;
}

void BenchCommand::write_of_matrices(const std::filesystem::path& file, Table table,
                                     const std::vector<BenchMatrix>& matrices,
                                     void (*add)(Table& table, const BenchMatrix& matrix)) const {
  for (const BenchMatrix& matrix : matrices) add(table, matrix);
  write_file_atomically(file, csv_text(table, measured_here()));
  print_report("{}", aligned_text(table));
}

void BenchCommand::write_of_meshes(const char* option, const std::filesystem::path& file, Table table,
                                   void (*add)(Table& table, const std::string& name, const Mesh& mesh)) const {
  require_meshes();
  require_writable(option, file, sources_.meshes.files);
  for (const auto& [name, mesh] : read_meshes(sources_.meshes)) add(table, name, mesh);
  write_file_atomically(file, csv_text(table, measured_here()));
  print_report("{}", aligned_text(table));
}

void BenchCommand::require_meshes() const {
  if (sources_.meshes.empty())
    throw InputError(
        fmt::format("bench {}: expected a MESH or --nodes N, got none", bench_->get_subcommands().front()->get_name()));
  require_valid(options_);
  require_valid(sources_.meshes);
}

void BenchCommand::run_spmv() const {
  SpmvBenchOptions options = spmv_options();
  require_valid(options);
  require_valid(sources_);
  options.order = parse_bench_order(sources_.order);
  require_unlike({{"--csv", csv_}, {"--json", json_}, {"--row-lengths", row_lengths_}, {"--locality", locality_}});
  require_writable("--csv", csv_, sources_.files());
  require_writable("--json", json_, sources_.files());
  require_writable("--row-lengths", row_lengths_, sources_.files());
  require_writable("--locality", locality_, sources_.files());
  if (!row_lengths_.empty())
    return write_of_matrices(row_lengths_, row_lengths_table(), read_matrices(sources_), add_row_lengths);
  if (!locality_.empty()) return write_of_matrices(locality_, locality_table(), read_matrices(sources_), add_locality);
  if (!sources_.meshes.nodes.empty()) gpu_device();  // throws before minutes are spent on making them
  const std::vector<BenchMatrix> matrices = read_matrices(sources_);

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
    write_files(all, provenance);
    print_best(matrix, report, tuning_products(options), copy);
  }
  if (wrong > 0)
    throw DeviceError(fmt::format("{} products are wrong: not timed, 'no' in the column 'correct'", wrong));
}

void BenchCommand::run_solver() const {
  if (sources_.meshes.empty() && sources_.matrix_files.empty())
    throw InputError("bench solver: expected a MESH, --nodes N or --matrix FILE, got none");
  require_one_of("--backend", backend_, {"gpu", "cpu"});
  require_one_of("--quadrature", quadrature_, {"vertices", "centroid"});
  require_valid(options_);
  require_valid(sources_.meshes);
  for (const double step : steps_ms_)
    if (!(step >= 1e-6 && step <= 1e6))
      throw InputError(fmt::format("--step: expected time steps of 1e-6 to 1e6 ms, got {}", step));
  SolverBenchOptions options{
      .on_cpu = backend_ == "cpu", .repeats = options_.repeats, .order = parse_bench_order(sources_.order)};
  set_preconditioners(options, preconditioners_, degrees_, precisions_inside_);
  require_writable("--csv", csv_, sources_.files());
  require_writable("--json", json_, sources_.files());
  if (!options.on_cpu && !sources_.meshes.nodes.empty())
    gpu_device();  // throws before minutes are spent on making them
  const std::vector<BenchMatrix> matrices = read_systems(sources_, steps_ms_, quadrature_ == "vertices");
  const Provenance provenance = measured_here();
  const DeviceCopy copy =
      options.on_cpu ? DeviceCopy{.device = provenance.processor, .seconds = {}} : measure_copy(options_.repeats);
  Table all = solver_table();
  std::ptrdiff_t wrong = 0;
  for (const BenchMatrix& matrix : matrices) {
    const SolverReport report = measure_solvers(matrix, options);
    add_rows(all, matrix, report.measurements, copy);
    wrong += count_wrong(report.measurements);
    print_left_out(report.left_out);
    write_files(all, provenance);
  }
  print_report("{}", aligned_text(with_columns(all, solver_columns)));
  require_correct(wrong);
}

void BenchCommand::run_degrees() const {
  if (sources_.meshes.files.empty() && degree_options_.nodes.empty())
    throw InputError("bench degrees: expected a MESH or --nodes N, got none");
  require_one_of("--backend", backend_, {"gpu", "cpu"});
  require_valid(options_);
  DegreeOptions options = degree_options_;
  options.on_cpu = backend_ == "cpu";
  options.repeats = options_.repeats;
  require_valid(options);
  require_writable("--csv", csv_, sources_.meshes.files);
  require_writable("--json", json_, sources_.meshes.files);
  const Provenance provenance = measured_here();
  const std::string device = options.on_cpu ? provenance.processor : measure_copy(options.repeats).device;
  const std::vector<NamedMesh> meshes = read_meshes(sources_.meshes);
  Table all = degree_table();
  std::ptrdiff_t wrong = 0;
  const auto measure = [&](const std::string& name, const Mesh& mesh, int degree) {
    const std::vector<DegreeMeasurement> measured = measure_degree(degree, mesh, options);
    wrong += std::count_if(measured.begin(), measured.end(), [](const auto& m) { return !m.correct.value_or(true); });
    add_rows(all, name, measured, device);
    write_files(all, provenance);
  };
  for (const auto& [name, mesh] : meshes)
    for (const int degree : options.degrees) measure(name, mesh, degree);
  for (const int nodes : options.nodes)
    for (const int degree : options.degrees)
      measure(fmt::format("box_{}", nodes), box_for_degree(degree, nodes), degree);
  print_report("{}", aligned_text(with_columns(all, degree_columns)));
  require_correct(wrong);
}

void BenchCommand::write_files(const Table& all, const Provenance& provenance) const {
  if (!csv_.empty()) write_file_atomically(csv_, csv_text(all, provenance));
  if (!json_.empty()) write_file_atomically(json_, json_text(all));
}

template <class Measure>
void BenchCommand::run_on_meshes(MeshesOf elements, Table all, const std::vector<std::string>& printed,
                                 const Measure& measure) const {
  require_meshes();
  require_writable("--csv", csv_, sources_.meshes.files);
  require_writable("--json", json_, sources_.meshes.files);
  if (!sources_.meshes.nodes.empty()) gpu_device();  // throws before minutes are spent on making them
  const std::vector<NamedMesh> meshes = read_meshes(sources_.meshes, elements);
  const Provenance provenance = measured_here();
  const DeviceCopy copy = measure_copy(options_.repeats);
  std::ptrdiff_t wrong = 0;
  for (const auto& [name, mesh] : meshes) {
    wrong += measure(name, mesh, all, copy);
    write_files(all, provenance);
  }
  print_report("{}", aligned_text(with_columns(all, printed)));
  require_correct(wrong);
}

}  // namespace cardiowarp
