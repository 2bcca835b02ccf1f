#include "meshes/mesh_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/mesh_format.hpp"
#include "meshes/pending_files.hpp"
#include "meshes/replaced_mesh.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace fs = std::filesystem;
namespace {

Mesh read_by_suffix(const fs::path& file, const VtkArrayNames& arrays) {
  if (const MeshFormat* format = mesh_format_of(file)) return format->read(file, arrays);
  throw InputError(fmt::format("{}: unknown mesh format '{}': expected {}", file.string(), suffix_of(file),
                               formats_in_words(false)));
}

/// Throws InputError where a number that the file has is beyond the range of a Real in mm.
void convert_to_millimetres(Mesh& mesh, Real millimetres, const fs::path& file) {
  const auto is_finite = [](const Vector3& p) {
    return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
  };
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    const Vector3 in_file = mesh.nodes[node];
    mesh.nodes[node] = millimetres * in_file;
    if (!is_finite(mesh.nodes[node]) && is_finite(in_file))
      throw InputError(fmt::format("{}: node {} is at ({}, {}, {}), in units of {} mm: too far away to be told in mm",
                                   file.string(), node, in_file.x, in_file.y, in_file.z, millimetres));
  }
}

/// The files that a mesh of this name consists of. The one that names the mesh comes last: where it stands, its
/// companions do.
std::vector<fs::path> files_of(const fs::path& mesh) {
  std::vector<fs::path> files;
  if (const MeshFormat* format = mesh_format_of(mesh))
    for (const std::string_view suffix : format->companions) files.push_back(fs::path(mesh).replace_extension(suffix));
  files.push_back(mesh);
  return files;
}

/// The name of a file beside `file` with its suffix in small letters, by which the libraries go.
fs::path beside(const fs::path& file, const char* what) {
  return file.parent_path() / fmt::format(".{}.{}{}", file.stem().string(), what, suffix_of(file));
}

fs::path temporary_of(const fs::path& file) { return beside(file, "part"); }

/// The files of a mesh that has fibers or not.
std::vector<PendingName> names_of(const fs::path& mesh, bool has_fibers) {
  std::vector<PendingName> names;
  for (const fs::path& each : files_of(mesh))
    names.push_back({each, temporary_of(each), beside(each, "old"), each.extension() != ".lon" || has_fibers});
  return names;
}

void write_by_suffix(const Mesh& mesh, const fs::path& file) {
  const MeshFormat* const format = mesh_format_of(file);
  if (format != nullptr && format->write != nullptr) return format->write(mesh, file);
  throw InputError(fmt::format("unknown mesh format '{}': expected {}", suffix_of(file), formats_in_words(true)));
}

/// What is to be done for them, where it is known.
std::string how_to_get_tetrahedra(const Mesh& mesh, const fs::path& file) {
  for (const std::string& remark : mesh.remarks)
    if (remark.find("are ghosts") != std::string::npos)
      return fmt::format(": {}, as they belong to other pieces: expected all pieces merged into one file", remark);
  const MeshFormat* const format = mesh_format_of(file);
  return format != nullptr && format->how_to_get_tetrahedra != nullptr ? format->how_to_get_tetrahedra(mesh) : "";
}

}  // namespace

bool has_mesh_suffix(const fs::path& file) { return mesh_format_of(file) != nullptr; }

std::string one_of_suffixes(std::span<const std::string_view> suffixes) {
  return fmt::format("{} or {}", fmt::join(suffixes.first(suffixes.size() - 1), ", "), suffixes.back());
}

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

LengthUnit standard_length_unit(const fs::path& file) {
  const MeshFormat* const format = mesh_format_of(file);
  return format != nullptr ? format->unit : LengthUnit::millimetre;
}

Mesh read_mesh(const fs::path& file, std::optional<LengthUnit> given, const VtkArrayNames& arrays) {
  try {
    Mesh mesh = read_by_suffix(file, arrays);
    if (mesh.tetrahedra.empty())
      throw InputError(fmt::format("{}: the mesh has no tetrahedra ({} nodes, {} triangles){}", file.string(),
                                   mesh.nodes.size(), mesh.triangles.size(), how_to_get_tetrahedra(mesh, file)));
    const LengthUnit unit = given.value_or(standard_length_unit(file));
    if (unit != LengthUnit::millimetre) convert_to_millimetres(mesh, millimetres_per(unit), file);
    return mesh;
  } catch (const std::bad_alloc&) {
    throw InputError(fmt::format("{}: needs more memory than there is", file.string()));
  }
}

bool replaces_mesh(const fs::path& written, const fs::path& read) {
  for (const fs::path& target : files_of(written))
    for (const fs::path& source : files_of(read)) {
      std::error_code absent;  // a file that is not there is not replaced
      if (fs::equivalent(target, source, absent)) return true;
    }
  return false;
}

void require_mesh_writable(const fs::path& file) {
  require_replaceable(names_of(file, true));
  const MeshFormat* const format = mesh_format_of(file);
  if (format != nullptr && format->make_ready_to_write != nullptr) format->make_ready_to_write();
}

void write_mesh(const Mesh& mesh, const fs::path& file) {
  require_mesh_writable(file);
  PendingFiles pending(names_of(file, !mesh.fibers.empty()));
  try {
    write_by_suffix(mesh, temporary_of(file));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: cannot be written: {}", file.string(), error.what()));
  }
  pending.commit();
}

MeshReport check_mesh_of(const fs::path& file, Mesh& mesh) {
  try {
    return check_mesh(mesh);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace cardiowarp
