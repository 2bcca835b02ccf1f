#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace cardiowarp {

struct Mesh;

/// Reads `.msh` 2, 2.1, 2.2 and 4.1, ASCII and binary, whole or partitioned: nodes and elements by ascending tag,
/// physical groups as tags and names (the lowest of an element's groups is its tag, the others are further ones; in no
/// group it has 0), triangles only where they are in a group. Coordinates stay in the file's unit. Sections that mean
/// nothing here are passed over, and a remark of the mesh names them.
///
/// Gmsh itself is left out of this: it reads damaged and truncated files without complaint or crashes on them, and it
/// executes the scripts that it finds beside a mesh. Every section that means something here is checked as it is read;
/// throws InputError "file:line: ..." (a byte position in binary files) at the first thing out of place, on volume
/// elements other than tetrahedra of 4 or of 10 nodes, on surface elements other than triangles of 3 or 6 nodes and on
/// two groups of one name.
Mesh read_msh_file(const std::filesystem::path& file);

/// Reads the whole content of a `.msh` file that is in memory already; messages call it `file`.
Mesh read_msh_text(const std::string& file, std::string_view text);

}  // namespace cardiowarp
