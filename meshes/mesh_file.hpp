#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fem/mesh_check.hpp"
#include "kernels/backend/types.hpp"
#include "meshes/length_unit.hpp"
#include "meshes/mesh_format.hpp"
#include "meshes/vtk_file.hpp"

namespace cardiowarp {

struct Mesh;

// Mesh files of every format behind two functions: read_mesh() and write_mesh() go by the suffix of a file, and the
// rest of the program does not know which library or parser is behind it. The formats are listed in mesh_formats.cpp;
// the lists of suffixes here, which messages, help texts and searches for meshes are made from, are made from that.
// check_mesh_of() follows reading.

/// The suffixes of the files that read_mesh() reads.
inline const std::vector<std::string_view> mesh_suffixes = suffixes_of_formats(false);
/// The suffixes of the files that write_mesh() writes.
inline const std::vector<std::string_view> written_mesh_suffixes = suffixes_of_formats(true);

/// Whether a file has the suffix of a mesh that can be read, in small letters or capitals.
bool has_mesh_suffix(const std::filesystem::path& file);

/// `.msh, .vtu or .pts`, for texts.
std::string one_of_suffixes(std::span<const std::string_view> suffixes);

Real millimetres_per(LengthUnit unit);

/// The unit of a file's coordinates where nobody says which: µm in openCARP's `.pts`, mm in every other.
LengthUnit standard_length_unit(const std::filesystem::path& file);

/// Reads a tetrahedral mesh by its suffix, in small letters or capitals: Gmsh `.msh` (2 to 2.2 and 4.1, ASCII and
/// binary), VTK `.vtu` and `.vtk`, openCARP
/// `.pts` (with `.elem` and, where present, `.lon` beside it). Coordinates are converted to mm, without a unit from the
/// standard one. Nodes and elements come in the file's order (Gmsh: ascending tags). `arrays` are of VTK files. The
/// mesh is not yet checked: `check_mesh` follows. A process of its own reads VTK files (see reading_process.hpp).
/// Throws InputError naming the file and the reason (missing, unknown suffix, truncated, no tetrahedra, wrong counts, a
/// crash of the library that reads it).
Mesh read_mesh(const std::filesystem::path& file, std::optional<LengthUnit> unit = {},
               const VtkArrayNames& arrays = {});

/// `check_mesh` of what was read from `file`, with the file's name in its messages.
MeshReport check_mesh_of(const std::filesystem::path& file, Mesh& mesh);

/// Throws InputError where `write_mesh` could not replace what has the name of one of its files.
void require_mesh_writable(const std::filesystem::path& file);

/// Writes `.msh` (4.1 binary), `.vtu` (appended, compressed) or openCARP `.pts` in mm (µm for openCARP), with tags,
/// names, surface triangles and fibers as far as the format can hold them. The file appears complete or not at all.
/// Throws InputError for an unknown suffix, a file that cannot be written, or something under its name that is no
/// regular file.
void write_mesh(const Mesh& mesh, const std::filesystem::path& file);

}  // namespace cardiowarp
