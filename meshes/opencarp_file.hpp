#pragma once
#include <filesystem>

#include "fem/mesh.hpp"

namespace cardiowarp {

/// Reads openCARP's text files: `points` (`.pts`), beside it `.elem` (`Tt` tetrahedra; `Tr` triangles as surfaces;
/// lines are passed over) and, where there is one, `.lon` (first of one or two vectors a row, one row for every row of
/// `.elem`). `#` starts a comment. Coordinates stay in the file's unit. Throws InputError "file:line: expected ...".
Mesh read_opencarp_files(const std::filesystem::path& points);

/// Writes `points` in µm with its `.elem` and, where the mesh has fibres, `.lon`. Names have no place in these files.
void write_opencarp_files(const Mesh& mesh, const std::filesystem::path& points);

}  // namespace cardiowarp
