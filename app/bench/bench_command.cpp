#include "app/bench/bench_command.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "app/atomic_file.hpp"
#include "fem/input_error.hpp"
#include "kernels/device_error.hpp"
#include "meshes/mesh_file.hpp"

namespace cardiowarp {
namespace {

/// What is printed; the files have all columns.
const std::vector<std::string> printed_columns{"format",
                                               "block_size",
                                               "threshold",
                                               "padding",
                                               "correct",
                                               "setup_s",
                                               "median_us",
                                               "min_us",
                                               "max_us",
                                               "gb_per_s",
                                               "percent_of_copy",
                                               "ratio_to_cusparse_csr_1",
                                               "ratio_to_best_cusparse",
                                               "in_l2"};

/// Refuses a file that could not be written, or is one of the meshes, before minutes are spent on its content.
void require_writable(const char* option, const std::filesystem::path& file,
                      const std::vector<std::filesystem::path>& meshes) {
  if (file.empty()) return;
  const auto folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::is_directory(folder))
    throw InputError(fmt::format("{}: no folder '{}'", option, folder.string()));
  if (std::filesystem::is_directory(file)) throw InputError(fmt::format("{}: '{}' is a folder", option, file.string()));
  for (const auto& mesh : meshes)
    if (std::filesystem::exists(file) && std::filesystem::exists(mesh) && std::filesystem::equivalent(file, mesh))
      throw InputError(fmt::format("{}: '{}' is a mesh to be read", option, file.string()));
}

BenchMatrix matrix_of_file(const std::filesystem::path& file) {
  Mesh mesh = read_mesh(file);
  check_mesh_of(file, mesh);
  return mesh_matrix(file.stem().string(), mesh);
}

}  // namespace

BenchCommand::BenchCommand(CLI::App& app)
    : bench_(app.add_subcommand("bench",
                                "Time the program's kernels on a GPU beside NVIDIA's libraries, which must be there")),
      spmv_(bench_->add_subcommand("spmv", "Matrix times vector in every format, for the matrix of each mesh")) {
  bench_->require_subcommand(1);
  spmv_->add_option("MESH", meshes_, ".msh, .vtu, .vtk or .pts")->required();
  spmv_->add_option("--csv", csv_, "Write all measurements, a line each")->type_name("FILE");
  spmv_->add_option("--json", json_, "Write all measurements, an object each")->type_name("FILE");
  const auto add_list = [&](const char* name, auto& values, const char* text) {
    spmv_->add_option(name, values, text)
        ->type_name("N,N,..")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
  };
  add_list("--block-size", options_.block_sizes, "Threads a block of the ELL-WARP kernels");
  add_list("--threshold", options_.thresholds, "Entries a thread of K2 may have");
  spmv_->add_option("--window", options_.window, "Rows sorted among themselves, 0: all")->capture_default_str();
  spmv_->add_option("--repeats", options_.repeats, "Measurements of each product")->capture_default_str();
}

bool BenchCommand::chosen() const { return bench_->parsed(); }

void BenchCommand::run() const {
  require_valid(options_);
  require_writable("--csv", csv_, meshes_);
  require_writable("--json", json_, meshes_);
  std::vector<BenchMatrix> matrices;
  for (const auto& file : meshes_) matrices.push_back(matrix_of_file(file));

  const DeviceCopy copy = measure_copy(options_.repeats);
  Table all = spmv_table(copy);
  fmt::print("{}\n",
             aligned_text(with_columns(all, {"device", "format", "median_us", "min_us", "max_us", "gb_per_s"})));
  int wrong = 0;
  for (const BenchMatrix& matrix : matrices) {
    const std::vector<SpmvMeasurement> measurements = measure_products(matrix, options_);
    for (const SpmvMeasurement& m : measurements) wrong += m.correct ? 0 : 1;
    add_rows(all, matrix, measurements, measurements, copy);
    if (!csv_.empty()) write_file_atomically(csv_, csv_text(all));
    if (!json_.empty()) write_file_atomically(json_, json_text(all));

    Table best{all.columns, {}};
    add_rows(best, matrix, best_of_each_format(measurements), measurements, copy);
    fmt::print("{}: {} nodes, {} nonzeros; the best of each format\n{}\n", matrix.name, matrix.rows(), matrix.entries(),
               aligned_text(with_columns(best, printed_columns)));
    std::fflush(stdout);
  }
  if (wrong > 0)
    throw DeviceError(fmt::format("{} products are wrong: not timed, 'no' in the column 'correct'", wrong));
}

}  // namespace cardiowarp
