#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/compare/comparison.hpp"
#include "app/process/exit_code.hpp"

namespace cardiowarp {

/// The command `cardiowarp compare`. It computes one configuration on the CPU, on the GPU and, with `--petsc`, by
/// PETSc, holds the answers against each other and says how long each side took. main() makes it and lets it run if it
/// was chosen. A speed-up is stated only for sides that agree.
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
