#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/mesh_coordinates_command.hpp"
#include "app/mesh_fibers_command.hpp"
#include "app/mesh_purkinje_command.hpp"
#include "app/mesh_quality_command.hpp"
#include "meshes/mesh_file.hpp"

namespace cardiowarp {

/// The command `cardiowarp mesh biventricle | slab | fill | refine | convert | quality | fibers | coordinates`. It
/// makes an idealized heart or a slab, fills a closed surface, refines a mesh, takes parts of one or makes fibers,
/// writes the mesh and prints a summary. main() makes it and lets it run if it was chosen. A mesh that would not fit
/// into the memory of this machine is refused before it is made.
class MeshCommand {
 public:
  /// Adds the subcommand `mesh` to `program`, which must not outlive this object.
  explicit MeshCommand(Command& program);
  MeshCommand(const MeshCommand&) = delete;
  MeshCommand& operator=(const MeshCommand&) = delete;

  bool is_chosen() const { return mesh_.is_chosen(); }

  /// Throws InputError with the argument and what is valid before anything is made or written.
  void run() const;

 private:
  void make_biventricle() const;
  void make_slab() const;
  void fill() const;
  void refine(const std::filesystem::path& input) const;
  void convert(const std::filesystem::path& input) const;
  /// The file to be written, `standard` unless --output names one. `input` is what is read, empty for none. Throws
  /// InputError where it cannot be written or would replace the input.
  std::filesystem::path output_or(const std::filesystem::path& standard, const std::filesystem::path& input = {}) const;
  /// The unit of the input.

  Command mesh_, biventricle_, slab_, fill_, refine_, convert_;
  MeshQualityCommand quality_;
  MeshFibersCommand fibers_;
  MeshCoordinatesCommand coordinates_;
  MeshPurkinjeCommand purkinje_;
  std::string edge_, size_, length_unit_, keep_, drop_, below_, in_;
  std::filesystem::path input_, output_;
  std::vector<std::filesystem::path> surfaces_;
  bool unstructured_ = false, merges_nodes_ = false, takes_largest_part_ = false;
  int levels_ = 1, order_ = 1;
};

}  // namespace cardiowarp
