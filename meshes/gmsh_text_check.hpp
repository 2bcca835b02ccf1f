#pragma once
#include <string>
#include <string_view>

namespace cardiowarp {

// Checks of text that Gmsh is about to read. Gmsh takes a word that is no number for 0 in a `.bdf`, and reads what is
// there of a file that is cut off, in both cases without a word.

/// Throws InputError "file:line: ..." where the rows of nodes or elements of a Nastran file (`.bdf`, `.nas`) have what
/// is no number, where ENDDATA is missing at its end, or where it includes another file.
void check_nastran_text(const std::string& file, std::string_view text);

/// Throws InputError "file:line: ..." where a dataset of an I-DEAS file (`.unv`) has no end, where one of nodes or
/// elements has what is no number, or where there are none of either.
void check_unv_text(const std::string& file, std::string_view text);

}  // namespace cardiowarp
