#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/gmsh_file.hpp"
#include "meshes/medit_file.hpp"
#include "meshes/mesh_format.hpp"
#include "meshes/msh_file.hpp"
#include "meshes/netgen_file.hpp"
#include "meshes/opencarp_file.hpp"
#include "meshes/plain_vtu.hpp"
#include "meshes/reading_process.hpp"
#include "meshes/suffix.hpp"
#include "meshes/tetgen_file.hpp"

namespace cardiowarp {
namespace fs = std::filesystem;
namespace {

/// The files that a library reads, which may fail in any way, are read by a process of its own. The readers of the
/// others, plain `.vtu` files among them, are this program's, check all that they read, and so can use all threads and
/// spare a copy of the mesh.
Mesh read_vtk(const fs::path& file, const VtkArrayNames& arrays) {
  if (std::optional<Mesh> mesh = read_plain_vtu(file, arrays)) return std::move(*mesh);
  std::error_code absent;  // which the reader says
  const std::uintmax_t bytes = fs::file_size(file, absent);
  return read_in_own_process(file.string(), limits_for(absent ? 0 : bytes),
                             [&] { return read_vtk_file(file, arrays); });
}

/// What Gmsh wants for them.
std::string how_gmsh_saves_tetrahedra(const Mesh& mesh) {
  if (mesh.triangles.empty()) return ": mesh the volume in Gmsh (gmsh -3)";
  return ": Gmsh saves nothing but physical groups where there is one, so put the volume into one, too (Physical "
         "Volume(\"tissue\") = {1};), or save all elements (Mesh.SaveAll = 1;), and mesh in three dimensions (gmsh -3)";
}

void write_linear_opencarp_files(const Mesh& mesh, const fs::path& file) {
  if (mesh.is_quadratic()) throw InputError("openCARP's .pts has no quadratic tetrahedra: expected .msh or .vtu");
  write_opencarp_files(mesh, file);
}

constexpr std::array<std::string_view, 2> opencarp_companions{".elem", ".lon"};

Mesh read_tetgen(const fs::path& file, const VtkArrayNames&) { return read_tetgen_files(file); }
Mesh read_by_gmsh(const fs::path& file, const VtkArrayNames&) { return read_with_gmsh(file); }

constexpr std::array<std::string_view, 2> companions_of_ele{".node", ".face"}, companions_of_node{".ele", ".face"};

constexpr std::array<MeshFormat, 11> mesh_formats{{
    {.suffix = ".msh",
     .owner = "Gmsh",
     .read = [](const fs::path& file, const VtkArrayNames&) { return read_msh_file(file); },
     .write = write_gmsh_file,
     .make_ready_to_write = load_gmsh,
     .how_to_get_tetrahedra = how_gmsh_saves_tetrahedra},
    {.suffix = ".vtu", .owner = "VTK", .read = read_vtk, .write = write_vtu_file, .has_named_arrays = true},
    {.suffix = ".vtk", .owner = "VTK", .read = read_vtk, .has_named_arrays = true},
    {.suffix = ".pts",
     .owner = "openCARP",
     .unit = LengthUnit::micrometre,
     .read = [](const fs::path& file, const VtkArrayNames&) { return read_opencarp_files(file); },
     .write = write_linear_opencarp_files,
     .companions = opencarp_companions,
     .fibers_beside = ".lon"},
    {.suffix = ".ele", .owner = "TetGen", .read = read_tetgen, .companions = companions_of_ele},
    {.suffix = ".node", .owner = "TetGen", .read = read_tetgen, .companions = companions_of_node},
    {.suffix = ".mesh",
     .owner = "MEDIT",
     .read = [](const fs::path& file, const VtkArrayNames&) { return read_medit_file(file); }},
    {.suffix = ".vol",
     .owner = "Netgen",
     .read = [](const fs::path& file, const VtkArrayNames&) { return read_netgen_file(file); }},
    {.suffix = ".unv", .owner = "I-DEAS", .read = read_by_gmsh},
    {.suffix = ".bdf", .owner = "Nastran", .read = read_by_gmsh},
    {.suffix = ".nas", .owner = "Nastran", .read = read_by_gmsh},
}};
static_assert(std::ranges::all_of(mesh_formats, [](const MeshFormat& format) {
  return !format.suffix.empty() && !format.owner.empty() && format.read != nullptr;
}));

const char* name_of(LengthUnit unit) {
  switch (unit) {
    case LengthUnit::metre:
      return "m";
    case LengthUnit::centimetre:
      return "cm";
    case LengthUnit::micrometre:
      return "um";
    default:
      return "mm";
  }
}

}  // namespace

const MeshFormat* mesh_format_of(const fs::path& file) {
  const auto* const found = std::ranges::find(mesh_formats, suffix_of(file), &MeshFormat::suffix);
  return found != mesh_formats.end() ? found : nullptr;
}

std::string formats_in_words(bool written) {
  std::vector<std::string> groups;  // an owner's suffixes, `.vtu or .vtk (VTK)`
  std::string suffixes;
  for (std::size_t i = 0; i < mesh_formats.size(); ++i) {
    const MeshFormat& format = mesh_formats[i];
    if (!written || format.write != nullptr)
      suffixes += fmt::format("{}{}", suffixes.empty() ? "" : " or ", format.suffix);
    if (i + 1 < mesh_formats.size() && mesh_formats[i + 1].owner == format.owner) continue;
    if (!suffixes.empty()) groups.push_back(fmt::format("{} ({})", suffixes, format.owner));
    suffixes.clear();
  }
  const std::string last = groups.back();
  groups.pop_back();
  return groups.empty() ? last : fmt::format("{} or {}", fmt::join(groups, ", "), last);
}

bool has_named_arrays(const fs::path& file) {
  const MeshFormat* const format = mesh_format_of(file);
  return format != nullptr && format->has_named_arrays;
}

std::string formats_with_named_arrays() {
  std::vector<std::string_view> suffixes;
  for (const MeshFormat& format : mesh_formats)
    if (format.has_named_arrays) suffixes.push_back(format.suffix);
  return fmt::format("{}", fmt::join(suffixes, " or "));
}

std::string formats_with_fibers() {
  std::vector<std::string> words;
  for (const MeshFormat& format : mesh_formats) {
    if (format.write == nullptr) continue;
    if (format.has_named_arrays) words.emplace_back(format.suffix);
    if (!format.fibers_beside.empty()) words.push_back(fmt::format("{} with {}", format.suffix, format.fibers_beside));
  }
  return fmt::format("{}", fmt::join(words, " or "));
}

std::string standard_units_in_words() {
  std::string words = name_of(LengthUnit::millimetre);
  for (const MeshFormat& format : mesh_formats)
    if (format.unit != LengthUnit::millimetre) words += fmt::format(", of {} {}", format.suffix, name_of(format.unit));
  return words;
}

std::vector<std::string_view> suffixes_of_formats(bool written) {
  std::vector<std::string_view> suffixes;
  for (const MeshFormat& format : mesh_formats)
    if (!written || format.write != nullptr) suffixes.push_back(format.suffix);
  return suffixes;
}

}  // namespace cardiowarp
