#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshes/length_unit.hpp"
#include "meshes/vtk_file.hpp"

namespace cardiowarp {

struct Mesh;

/// The properties of a format of mesh files, by the suffix of their names. To add a format, write its reader and its
/// line in mesh_formats.cpp, which has the functions that are called here; messages, help texts, and read_mesh() and
/// write_mesh() (mesh_file.hpp) go by that list.
struct MeshFormat {
  std::string_view suffix;                   ///< in small letters
  std::string_view owner;                    ///< whose format it is, for messages
  LengthUnit unit = LengthUnit::millimetre;  ///< of coordinates where nobody says which
  Mesh (*read)(const std::filesystem::path& file, const VtkArrayNames& arrays);
  void (*write)(const Mesh& mesh, const std::filesystem::path& file) = nullptr;  ///< null: it is only read
  void (*make_ready_to_write)() = nullptr;  ///< to be called before a file is begun; null: nothing is to be done
  /// Advice to a user so that a file has tetrahedra, where a mesh has none; null: nothing more can be said.
  std::string (*how_to_get_tetrahedra)(const Mesh& mesh) = nullptr;
  /// The suffixes of the files that come with the one that names the mesh, and before it.
  std::span<const std::string_view> companions = {};
  bool has_named_arrays = false;        ///< users choose its arrays of tags, fibers and parameters by their names
  std::string_view fibers_beside = {};  ///< the suffix of the companion that has the fibers, where one has
};

/// The format of a file, by its suffix in small letters or capitals; null where no format has it.
const MeshFormat* mesh_format_of(const std::filesystem::path& file);

/// `.msh (Gmsh), .vtu or .vtk (VTK) or .pts (openCARP)`: the formats that are read, or those that are written.
std::string formats_in_words(bool written);

/// Whether a file is of a format whose arrays have names.
bool has_named_arrays(const std::filesystem::path& file);

/// `.vtu or .vtk`: the formats whose arrays have names.
std::string formats_with_named_arrays();

/// `.vtu or .pts with .lon`: the formats that are written and have fibers.
std::string formats_with_fibers();

/// `mm, of .pts um`: the units of coordinates where nobody says which.
std::string standard_units_in_words();

/// The suffixes of all formats, or of those that are written.
std::vector<std::string_view> suffixes_of_formats(bool written);

}  // namespace cardiowarp
