#pragma once
#include <filesystem>

namespace cardiowarp {

struct Mesh;
struct NamedText;

/// Reads an ASCII `.mesh` of MEDIT, as Mmg, TetGen, CGAL and FreeFEM write them: linear cells with their references as
/// tags; edges are passed over, and so are other sections, with a line. Throws InputError "file:line: ..." and on
/// sections of quadratic cells.
Mesh read_medit_file(const std::filesystem::path& file);

/// Reads the content of a file (text_rows.hpp has NamedText).
Mesh read_medit_text(const NamedText& file);

}  // namespace cardiowarp
