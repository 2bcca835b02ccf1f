#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/process/exit_code.hpp"

namespace cardiowarp {

/// The command `cardiowarp laplace MESH --at surface=value ..`. It solves Laplace's equation with prescribed values on
/// some surfaces and no flux through the others, prints how the solve went, and writes the field with its gradient.
/// main() makes it and lets it run if it was chosen.
class LaplaceCommand {
 public:
  /// Adds the subcommand `laplace` to `program`, which must not outlive this object.
  explicit LaplaceCommand(Command& program);
  LaplaceCommand(const LaplaceCommand&) = delete;
  LaplaceCommand& operator=(const LaplaceCommand&) = delete;

  bool is_chosen() const { return laplace_.is_chosen(); }

  /// Throws InputError with the argument and what is valid before anything is computed or written.
  ExitCode run() const;

 private:
  Command laplace_;
  std::filesystem::path given_mesh_, output_;
  std::vector<std::string> at_;
  std::string length_unit_, backend_ = "auto";
  bool first_wins_ = false;
};

}  // namespace cardiowarp
