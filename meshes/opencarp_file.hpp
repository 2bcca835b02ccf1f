#pragma once
#include <filesystem>

namespace cardiowarp {

struct Mesh;
struct NamedText;

/// Reads openCARP's text files: `points` (`.pts`), beside it `.elem` (`Tt` tetrahedra; `Tr` triangles as surfaces;
/// lines are passed over) and, where there is one, `.lon` (first of one or two vectors a row, one row for every row of
/// `.elem`). `#` starts a comment. Coordinates stay in the file's unit. Throws InputError "file:line: expected ...".
Mesh read_opencarp_files(const std::filesystem::path& points);

/// The mesh file that a user means by `given`: where no file has that name, openCARP's `.pts` with this base name, as
/// openCARP is given its meshes. `heart` and `heart.` are `heart.pts` where that is there; otherwise `given`.
std::filesystem::path mesh_file_named(const std::filesystem::path& given);

/// Reads the contents of the three files (text_rows.hpp has NamedText); `fibers` is null where there is no `.lon`.
Mesh read_opencarp_texts(const NamedText& points, const NamedText& elements, const NamedText* fibers);

/// Writes `points` in µm with its `.elem` and, where the mesh has fibers, `.lon`. Names have no place in these files.
void write_opencarp_files(const Mesh& mesh, const std::filesystem::path& points);

}  // namespace cardiowarp
