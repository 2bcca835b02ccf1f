#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "app/process/exit_code.hpp"

namespace cardiowarp {

/// The command `cardiowarp laplace MESH --at surface=value ..`. It solves Laplace's equation with prescribed values on
/// some surfaces and no flux through the others, prints how the solve went, and writes the field with its gradient.
/// main() makes it and lets it run if it was chosen.
class LaplaceCommand {
 public:
  /// Adds the subcommand `laplace` to `app`, which must not outlive this object.
  explicit LaplaceCommand(CLI::App& app);
  LaplaceCommand(const LaplaceCommand&) = delete;
  LaplaceCommand& operator=(const LaplaceCommand&) = delete;

  bool chosen() const;

  /// Throws InputError with the argument and what is valid before anything is computed or written.
  ExitCode run() const;

 private:
  CLI::App* laplace_;
  std::filesystem::path mesh_, output_;
  std::vector<std::string> at_;
  std::string length_unit_, backend_ = "auto";
};

}  // namespace cardiowarp
