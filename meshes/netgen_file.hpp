#pragma once
#include <filesystem>

namespace cardiowarp {

struct Mesh;
struct NamedText;

/// Reads a `.vol` of Netgen: linear cells, of which solids have the number of their material as tag and surfaces that
/// of their boundary condition, with the names of both. Numbers that have one name are one group. Throws InputError
/// "file:line: ..." and on cells of order 2.
Mesh read_netgen_file(const std::filesystem::path& file);

/// Reads the content of a file (text_rows.hpp has NamedText).
Mesh read_netgen_text(const NamedText& file);

}  // namespace cardiowarp
