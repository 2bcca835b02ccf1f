#include "meshes/mesh_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>
#include <system_error>

#include "fem/input_error.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/msh_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "meshes/vtk_file.hpp"

namespace cardiowarp {
namespace fs = std::filesystem;
namespace {

Mesh read_by_suffix(const fs::path& file) {
  const std::string suffix = file.extension().string();
  if (suffix == ".msh") return read_msh_file(file);
  if (suffix == ".vtu" || suffix == ".vtk") return read_vtk_file(file);
  if (suffix == ".pts") return read_opencarp_files(file);
  throw InputError(
      fmt::format("{}: unknown mesh format '{}': expected .msh (Gmsh), .vtu or .vtk (VTK) or .pts (openCARP)",
                  file.string(), suffix));
}

/// Files of a mesh while they are being written: each has a temporary name in the same folder, gets its own name in
/// `publish`, and is removed if it does not come to that.
class UnfinishedFiles {
 public:
  explicit UnfinishedFiles(fs::path file) : file_(std::move(file)) {}
  ~UnfinishedFiles() {
    std::error_code ignored;
    for (const auto& suffix : suffixes()) fs::remove(temporary(suffix), ignored);
  }
  UnfinishedFiles(const UnfinishedFiles&) = delete;
  UnfinishedFiles& operator=(const UnfinishedFiles&) = delete;

  fs::path temporary() const { return temporary(file_.extension()); }

  /// A companion that this mesh does not have is removed, so that none is left of an earlier mesh.
  void publish() const {
    for (const auto& suffix : suffixes()) {
      const fs::path from = temporary(suffix), to = fs::path(file_).replace_extension(suffix);
      std::error_code error;
      if (fs::exists(from))
        fs::rename(from, to, error);
      else
        fs::remove(to, error);
      if (error) throw InputError(fmt::format("{}: {}", to.string(), error.message()));
    }
  }

 private:
  std::vector<fs::path> suffixes() const {
    // The file that names the mesh comes last: where it stands, its companions do.
    if (file_.extension() == ".pts") return {".elem", ".lon", ".pts"};
    return {file_.extension()};
  }
  fs::path temporary(const fs::path& suffix) const {
    return file_.parent_path() / fmt::format(".{}.part{}", file_.stem().string(), suffix.string());
  }

  fs::path file_;
};

void write_by_suffix(const Mesh& mesh, const fs::path& file) {
  const std::string suffix = file.extension().string();
  if (suffix == ".msh") return write_gmsh_file(mesh, file);
  if (suffix == ".vtu") return write_vtu_file(mesh, file);
  if (suffix == ".pts") return write_opencarp_files(mesh, file);
  throw InputError(
      fmt::format("unknown mesh format '{}': expected .msh (Gmsh), .vtu (VTK) or .pts (openCARP)", suffix));
}

/// The libraries say little about why a file cannot be made.
void require_writable(const fs::path& file) {
  if (!std::ofstream(file)) throw InputError(std::strerror(errno));
}

}  // namespace

Real millimetres_per(LengthUnit unit) {
  switch (unit) {
    case LengthUnit::metre:
      return 1000;
    case LengthUnit::centimetre:
      return 10;
    case LengthUnit::millimetre:
      return 1;
    case LengthUnit::micrometre:
      return 0.001;
  }
  return 1;
}

Mesh read_mesh(const fs::path& file, LengthUnit unit) {
  try {
    Mesh mesh = read_by_suffix(file);
    if (mesh.tetrahedra.empty())
      throw InputError(fmt::format("{}: the mesh has no tetrahedra ({} nodes, {} triangles)", file.string(),
                                   mesh.nodes.size(), mesh.triangles.size()));
    if (unit != LengthUnit::millimetre)
      for (Vector3& p : mesh.nodes) p = millimetres_per(unit) * p;
    return mesh;
  } catch (const std::bad_alloc&) {
    throw InputError(fmt::format("{}: needs more memory than there is", file.string()));
  }
}

void write_mesh(const Mesh& mesh, const fs::path& file) {
  try {
    const UnfinishedFiles files(file);
    require_writable(files.temporary());
    write_by_suffix(mesh, files.temporary());
    files.publish();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: cannot be written: {}", file.string(), error.what()));
  }
}

MeshReport check_mesh_of(const fs::path& file, Mesh& mesh) {
  try {
    return check_mesh(mesh);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace cardiowarp
