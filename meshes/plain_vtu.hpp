#pragma once
#include <filesystem>
#include <optional>
#include <string_view>

#include "meshes/vtk_file.hpp"

namespace cardiowarp {

struct Mesh;

/// The mesh of a `.vtu` file that is plain, just as read_vtk_file() reads it, but by the threads of the team and
/// without VTK. Plain is what programs write by default: one piece, arrays appended or inline in binary form, zlib's
/// compression or none, tetrahedra and triangles of one order beside points and lines, no ghost cells, no groups of
/// elements, fibers of cells. Nothing where the file is anything else, also where something in it is wrong or its
/// arrays take more than half of the memory that a file of its size may (limits_for()), as the mesh takes about as much
/// again: VTK then reads it or says what is the matter. Throws InputError where the file cannot be opened.
std::optional<Mesh> read_plain_vtu(const std::filesystem::path& file, const VtkArrayNames& names);

/// The mesh of a file with this text, which has no byte order mark, as read_plain_vtu() gives it.
std::optional<Mesh> plain_vtu_mesh(std::string_view text, const VtkArrayNames& names);

}  // namespace cardiowarp
