#pragma once
#include <filesystem>
#include <string_view>

namespace cardiowarp {

/// Compares what a `.vtu` file says of itself with what is stored in it, because VTK reads past the end of an array
/// that is too short, ignores what an array has too many, drops cells beyond `NumberOfCells` and takes cell types
/// modulo 256. `text` is the whole content of `file`: ASCII, base64 or appended, compressed or not. Throws InputError
/// with the array and both numbers. Nothing is decompressed but the last offset and cell types of more than 8 bits.
void check_vtu(const std::filesystem::path& file, std::string_view text);

}  // namespace cardiowarp
