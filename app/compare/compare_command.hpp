#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/compare/comparison.hpp"
#include "app/process/exit_code.hpp"

namespace cardiowarp {

/// `cardiowarp compare`: one configuration on the CPU and on the GPU.
class CompareCommand {
 public:
  /// Adds its options to the subcommand `app`, which must not outlive this object.
  explicit CompareCommand(CLI::App& app);
  CompareCommand(const CompareCommand&) = delete;
  CompareCommand& operator=(const CompareCommand&) = delete;

  bool chosen() const { return app_.parsed(); }

  /// Prints the comparison and writes the files asked for. `not_converged` where a step failed or the sides disagree.
  /// Throws InputError, DeviceError.
  ExitCode run(const Config& config) const;

 private:
  CLI::App& app_;
  ComparisonOptions options_;
  std::filesystem::path csv_, json_, figure_;
};

}  // namespace cardiowarp
