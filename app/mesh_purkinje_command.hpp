#pragma once
#include <filesystem>
#include <string>

#include "app/command_line/command_line.hpp"

namespace cardiowarp {

/// The command `cardiowarp mesh purkinje MESH --network '{grow: {ventricle: lv}, ..}'`. It writes the Purkinje network
/// that a stimulus with these keys has on the mesh as lines with arrival times, to be looked at, or read by
/// `network: {file: ..}`. MeshCommand makes it and lets it run if it was chosen.
class MeshPurkinjeCommand {
 public:
  /// Adds the subcommand `purkinje` to `mesh`, which must not outlive this object.
  explicit MeshPurkinjeCommand(Command& mesh);
  MeshPurkinjeCommand(const MeshPurkinjeCommand&) = delete;
  MeshPurkinjeCommand& operator=(const MeshPurkinjeCommand&) = delete;

  bool is_chosen() const { return purkinje_.is_chosen(); }

  /// Throws InputError with the argument and what is valid before anything is computed or written.
  void run() const;

 private:
  Command purkinje_;
  std::filesystem::path given_mesh_, output_;
  std::string keys_, coordinates_, length_unit_;
};

}  // namespace cardiowarp
