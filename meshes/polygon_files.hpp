#pragma once
#include <filesystem>
#include <string>

namespace cardiowarp {

struct Mesh;
struct NamedText;

// Surfaces of triangles in PLY and OBJ files, read by this program: VTK takes a word that is no number in them for 0,
// passes over faces with a missing point without an error, and crashes where a PLY file is cut off. The results are
// meshes of triangles alone, in the unit of the file; points that no triangle has are among their nodes.

/// Reads a PLY file, ASCII or binary in either byte order: the vertices' x, y and z, and the faces' vertex_indices (or
/// vertex_index); further properties and elements are passed over. Throws InputError "file:line: ...", of binary files
/// with the byte, and on faces that are no triangles.
Mesh read_ply_text(const NamedText& file);

/// Reads the vertices and faces of an OBJ file, whose numbers count from 1, or backwards from the last vertex where
/// they are negative; everything else is passed over. Throws InputError "file:line: ..." and on faces that are no
/// triangles.
Mesh read_obj_text(const NamedText& file);

/// Reads a file by its suffix, `.ply` or `.obj`; messages call it `name`.
Mesh read_polygon_file(const std::filesystem::path& file, const std::string& name);

}  // namespace cardiowarp
