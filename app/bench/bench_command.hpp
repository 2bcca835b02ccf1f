#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

#include "app/bench/matrix_sources.hpp"
#include "app/bench/spmv.hpp"

namespace cardiowarp {

/// `cardiowarp bench spmv`: times the products of a matrix and a vector on the GPU.
class BenchCommand {
 public:
  /// Adds the subcommand `bench` to `app`, which must not outlive this object.
  explicit BenchCommand(CLI::App& app);
  BenchCommand(const BenchCommand&) = delete;
  BenchCommand& operator=(const BenchCommand&) = delete;

  bool chosen() const;

  /// Throws InputError for a bad argument, mesh or matrix before anything is measured, DeviceError where there is no
  /// GPU and, at the end, where a product was wrong.
  void run() const;

 private:
  CLI::App *bench_, *spmv_;
  MatrixSources sources_;
  std::filesystem::path csv_, json_;
  SpmvBenchOptions options_;
};

}  // namespace cardiowarp
