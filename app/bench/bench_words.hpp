#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/bench/options.hpp"
#include "app/command_line/command_line.hpp"

namespace cardiowarp {

/// The values of the words of `cardiowarp bench`, not checked yet.
struct BenchValues {
  enum class Part { spmv, assembly, solver, step, degrees };

  Part part = Part::spmv;
  MatrixSources sources;
  int repeats = 20;
  SpmvBenchOptions spmv;
  bool has_block_sizes = false;  ///< whether those of spmv were named
  AssemblyBenchOptions assembly{.part_threads = {512}};
  DegreeOptions degrees;
  // Of `bench solver`; `bench step` takes the quadrature, too, and `bench degrees` the backend.
  std::vector<std::string> preconditioners{"jacobi"};
  std::vector<int> polynomial_degrees{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::string> precisions_inside{"double"};
  std::vector<double> steps_ms{0.1};
  std::string quadrature = "vertices", backend = "gpu";
  /// Files to write; empty where none is asked for.
  std::filesystem::path csv, json, row_lengths, locality, colors, single_error;
};

/// The command `bench` of a command line, with all that may follow it. Two programs have it: `cardiowarp`, which
/// answers
/// --help and mistyped words and then starts `cardiowarp-bench` (app/bench_launcher.hpp), and `cardiowarp-bench`, which
/// measures what values() say (bench_command.hpp).
class BenchWords {
 public:
  /// Adds the command to `program`, which must not outlive this object.
  explicit BenchWords(Command& program);
  BenchWords(const BenchWords&) = delete;
  BenchWords& operator=(const BenchWords&) = delete;

  bool is_chosen() const { return bench_.is_chosen(); }
  /// The values of the words that were parsed.
  BenchValues values() const;

 private:
  void add_sources();
  void add_spmv_options();
  void add_assembly_options();
  void add_solver_options();
  void add_degree_options();

  Command bench_, spmv_, assembly_, solver_, step_, degrees_;
  BenchValues values_;
};

}  // namespace cardiowarp
