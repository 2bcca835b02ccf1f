#pragma once
#include <string>
#include <string_view>

namespace cardiowarp {

/// Walks through all sections of a legacy `.vtk` file of an unstructured grid, ASCII or binary, version 1 to 5.1,
/// because VTK crashes or hangs on counts that do not fit, takes cell types modulo 256 and reads nothing behind a word
/// that it takes for no number. `text` is the whole content of `file`. Throws InputError "file:line: ..." (a byte
/// position in binary files) at the first thing out of place.
void check_legacy_vtk(const std::string& file, std::string_view text);

}  // namespace cardiowarp
