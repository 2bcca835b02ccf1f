#pragma once
#include <filesystem>
#include <string>

#include "app/command_line/command_line.hpp"

namespace cardiowarp {

/// The command `cardiowarp mesh quality MESH [--worst 10] [--output FILE.vtu]`. It prints how good the shapes of the
/// elements are, lists the worst ones with their places, and writes the shape of each as a cell array to be looked at.
/// MeshCommand makes it and lets it run if it was chosen.
class MeshQualityCommand {
 public:
  /// Adds the subcommand `quality` to `mesh`, which must not outlive this object.
  explicit MeshQualityCommand(Command& mesh);
  MeshQualityCommand(const MeshQualityCommand&) = delete;
  MeshQualityCommand& operator=(const MeshQualityCommand&) = delete;

  bool is_chosen() const { return quality_.is_chosen(); }

  /// Throws InputError with the argument and what is valid before anything is computed or written.
  void run() const;

 private:
  Command quality_;
  std::filesystem::path given_mesh_, output_;
  std::string length_unit_;
  int worst_ = 10;
};

}  // namespace cardiowarp
