#pragma once
#include <filesystem>
#include <string>

#include "app/command_line/command_line.hpp"

namespace cardiowarp {

/// The command `cardiowarp mesh fibers MESH [--rule '{endocardium: 60 deg, ..}']`. It makes fibers by rule and writes
/// the mesh with them, so that they can be looked at, or read by `fibers.source: mesh`. MeshCommand makes it and lets
/// it run if it was chosen.
class MeshFibersCommand {
 public:
  /// Adds the subcommand `fibers` to `mesh`, which must not outlive this object.
  explicit MeshFibersCommand(Command& mesh);
  MeshFibersCommand(const MeshFibersCommand&) = delete;
  MeshFibersCommand& operator=(const MeshFibersCommand&) = delete;

  bool is_chosen() const { return fibers_.is_chosen(); }

  /// Throws InputError with the argument and what is valid before anything is computed or written.
  void run() const;

 private:
  Command fibers_;
  std::filesystem::path given_mesh_, output_;
  std::string rule_, length_unit_;
};

}  // namespace cardiowarp
