#pragma once
#include <filesystem>
#include <string>

#include "app/command_line/command_line.hpp"

namespace cardiowarp {

/// The command `cardiowarp mesh coordinates MESH --output FILE.vtu`. It computes the coordinates of the ventricles and
/// writes the mesh with them, so that they can be looked at or used elsewhere; with `--from HEART.vtu --array NAME`
/// also with an array of another heart, carried by the coordinates. MeshCommand makes it and lets it run if it was
/// chosen.
class MeshCoordinatesCommand {
 public:
  /// Adds the subcommand `coordinates` to `mesh`, which must not outlive this object.
  explicit MeshCoordinatesCommand(Command& mesh);
  MeshCoordinatesCommand(const MeshCoordinatesCommand&) = delete;
  MeshCoordinatesCommand& operator=(const MeshCoordinatesCommand&) = delete;

  bool is_chosen() const { return coordinates_.is_chosen(); }

  /// Throws InputError with the argument and what is valid before anything is computed or written.
  void run() const;

 private:
  Command coordinates_;
  std::filesystem::path given_mesh_, output_, from_;
  std::string keys_, length_unit_, arrays_, keys_of_source_;
};

}  // namespace cardiowarp
