#pragma once
#include <filesystem>

#include "app/command_line/configuration_words.hpp"
#include "app/compare/comparison.hpp"
#include "app/process/exit_code.hpp"

namespace cardiowarp {

/// The command `cardiowarp compare`. It computes one configuration on the CPU, on the GPU and, with `--petsc`, by
/// PETSc, holds the answers against each other and says how long each side took. main() makes it and lets it run if it
/// was chosen. A speed-up is stated only for sides that agree.
class CompareCommand {
 public:
  /// Adds the subcommand `compare` to `program`, which must not outlive this object.
  explicit CompareCommand(Command& program);
  CompareCommand(const CompareCommand&) = delete;
  CompareCommand& operator=(const CompareCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }

  /// Prints the comparison and writes the files asked for. `not_converged` where a step failed or the sides disagree.
  /// Throws InputError, DeviceError.
  ExitCode run() const;

 private:
  Command command_;
  ConfigurationWords words_;
  ComparisonOptions options_;
  std::filesystem::path csv_, json_, figure_;
};

}  // namespace cardiowarp
