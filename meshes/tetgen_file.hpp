#pragma once
#include <filesystem>

namespace cardiowarp {

struct Mesh;
struct NamedText;

/// Reads a mesh of TetGen by the name of its `.ele` or `.node` file, both of which are needed: tetrahedra whose first
/// attribute is their tag, and from `.face`, where there is one, the triangles with a boundary marker other than 0,
/// which is theirs. Nodes count from 0 or 1, as the first row of `.node` does. Throws InputError "file:line: ...".
Mesh read_tetgen_files(const std::filesystem::path& file);

/// Reads the contents of the files (text_rows.hpp has NamedText); `faces` is null where there is no `.face`.
Mesh read_tetgen_texts(const NamedText& nodes, const NamedText& elements, const NamedText* faces);

}  // namespace cardiowarp
