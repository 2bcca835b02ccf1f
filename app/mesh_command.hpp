#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace cardiowarp {

/// The command `cardiowarp mesh biventricle | slab | fill | refine`. It makes an idealised heart or a slab, fills a
/// closed surface or refines a mesh, writes the mesh and prints a summary. main() makes it and lets it run if it was
/// chosen. A mesh that would not fit into the memory of this machine is refused before it is made.
class MeshCommand {
 public:
  /// Adds the subcommand `mesh` to `app`, which must not outlive this object.
  explicit MeshCommand(CLI::App& app);
  MeshCommand(const MeshCommand&) = delete;
  MeshCommand& operator=(const MeshCommand&) = delete;

  bool chosen() const;

  /// Throws InputError with the argument and what is valid before anything is made or written.
  void run() const;

 private:
  CLI::App *mesh_, *biventricle_, *slab_, *fill_, *refine_;
  std::string edge_, size_, length_unit_;
  std::filesystem::path input_, output_;
  bool unstructured_ = false;
  int levels_ = 1, order_ = 1;
};

}  // namespace cardiowarp
