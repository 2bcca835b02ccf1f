#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "fem/mesh.hpp"
#include "meshes/length_unit.hpp"

namespace cardiowarp {

// Surfaces of triangles in files, for `cardiowarp mesh fill`: VTK's `.vtp` and STL are read by VTK, PLY and OBJ by
// polygon_files.hpp, all in a process of their own, since files may be damaged in any way.

/// A mesh of triangles alone, in mm; their tags are empty where the file has no classes.
using Surface = Mesh;

/// The surface in one file, with its array `class` as tags; or that of several files, joined where their points lie at
/// one place (to a thousandth of the shortest edge), with the number of its file, from 1, as the tag of each triangle
/// and the file's name as that of the surface. Points of `.ply` and `.obj` at one place become one, too. Points that no
/// triangle uses are left out. Throws InputError, beginning with `where`.
Surface read_surfaces(std::span<const std::filesystem::path> files, LengthUnit unit, const std::string& where);

}  // namespace cardiowarp
