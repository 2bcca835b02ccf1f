#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/bench/degree_bench.hpp"
#include "app/bench/matrix_sources.hpp"
#include "app/bench/spmv.hpp"
#include "app/measure/provenance.hpp"
#include "app/measure/table.hpp"
#include "fem/mesh.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): of the library
class App;
class Option;
}  // namespace CLI

namespace cardiowarp {

/// The command `cardiowarp bench`. It times on the GPU the products of a matrix and a vector (spmv), the assembly of
/// the linear system (assembly), its solution (solver), a Newton iteration that has all of them (step), and assembly
/// and products of elements of other degrees (degrees). main() makes it and lets it run if it was chosen. It takes
/// meshes or matrices from the command line, prints a table, and writes CSV and JSON on request.
class BenchCommand {
 public:
  /// Adds the subcommand `bench` to `app`, which must not outlive this object.
  explicit BenchCommand(CLI::App& app);
  BenchCommand(const BenchCommand&) = delete;
  BenchCommand& operator=(const BenchCommand&) = delete;

  bool chosen() const;

  /// Throws InputError for a bad argument, mesh or matrix before anything is measured, DeviceError where there is no
  /// GPU and, at the end, where a result was wrong.
  void run() const;

 private:
  void run_spmv() const;
  /// The options of spmv with the block sizes of every choice where that is asked for and no others are named.
  SpmvBenchOptions spmv_options() const;
  /// Writes a table to which each matrix, or each mesh, adds rows, and prints it. No GPU is needed.
  void write_of_matrices(const std::filesystem::path& file, Table table, const std::vector<BenchMatrix>& matrices,
                         void (*add)(Table& table, const BenchMatrix& matrix)) const;
  void write_of_meshes(const char* option, const std::filesystem::path& file, Table table,
                       void (*add)(Table& table, const std::string& name, const Mesh& mesh)) const;
  /// Throws InputError where no mesh is named, or one that cannot be made.
  void require_meshes() const;
  void run_solver() const;
  void run_degrees() const;
  void write_files(const Table& all, const Provenance& provenance) const;
  void add_solver_options();
  void add_degree_options();
  /// Reads meshes of `elements`; `measure(name, mesh, table, copy)` adds rows to `all` and returns how many of them are
  /// wrong.
  template <class Measure>
  void run_on_meshes(MeshesOf elements, Table all, const std::vector<std::string>& printed,
                     const Measure& measure) const;

  CLI::App *bench_, *spmv_, *assembly_, *solver_, *step_, *orders_;
  MatrixSources sources_;
  CLI::Option* block_size_ = nullptr;
  std::vector<std::string> strategies_;
  std::vector<int> part_nodes_, part_kib_, part_threads_{512}, block_sizes_;
  std::string assembly_format_ = "auto";
  std::filesystem::path csv_, json_, row_lengths_, locality_, colors_, single_error_;
  SpmvBenchOptions options_;
  std::vector<std::string> preconditioners_{"jacobi"};  // of `bench solver`, with the next five
  std::vector<int> degrees_{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::string> precisions_inside_{"double"};
  std::vector<double> steps_ms_{0.1};
  DegreeOptions degree_options_;
  std::string quadrature_ = "vertices", backend_ = "gpu";
};

}  // namespace cardiowarp
