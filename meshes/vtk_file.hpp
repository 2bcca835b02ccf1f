#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace cardiowarp {

struct Mesh;

// Meshes in the file formats of VTK: `.vtu` and `.vtk` are read, `.vtu` is written. read_mesh() and write_mesh() come
// here by the suffix of a file (mesh_file.hpp). Such a file may hold any arrays, so that the caller can name those with
// the tags and the fibers. The mesh that comes back has not been checked. A file that cannot be read or written is an
// InputError.

/// Arrays of a VTK file to take the tags and fibers from; where a name is empty, the usual ones are looked for.
struct VtkArrayNames {
  std::string tags, fibers;
  std::vector<std::string> values = {};  ///< arrays of one component to take as they are, by their names
};

/// The arrays that tags and fibers are taken from where no name is given, the first that is there.
std::vector<std::string> usual_tag_arrays();
std::vector<std::string> usual_fiber_arrays();

/// Whether a file has one of the suffixes that read_vtk_file() reads. In such files arrays have names.
bool is_vtk_file(const std::filesystem::path& file);

/// Reads an unstructured grid, VTK XML (`.vtu`) or legacy (`.vtk`, ASCII and binary). Coordinates stay in the file's
/// unit. Tags come from a cell array, usually the first among `region`, `tag`, `gmsh:physical`, `medit:ref`, `elemTag`,
/// `CellEntityIds`, fibers from a cell or else a point array, usually `fiber`, `fibre`, `fibers` or `fibres`, region
/// names from the field data that `write_vtu_file` leaves. A fiber of four points is their mean direction, of length 1:
/// each counts alike, turned to the side of the first that is not zero, as f and −f are one fiber. Triangles are
/// surfaces; points and lines are passed over; other cells are an InputError. A name that no array has leaves tags 0,
/// fibers empty: `Mesh::arrays` tells.
Mesh read_vtk_file(const std::filesystem::path& file, const VtkArrayNames& arrays = {});

/// Writes `.vtu`, appended and zlib-compressed: tetrahedra, then triangles (with a zero `fiber`), cell arrays `region`
/// and, where the mesh has fibers, `fiber`; names in field data.
void write_vtu_file(const Mesh& mesh, const std::filesystem::path& file);

}  // namespace cardiowarp
