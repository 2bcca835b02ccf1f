#pragma once
#include <cstdint>
#include <string_view>

namespace cardiowarp {

/// Compares what a `.vtu` file says of itself with what is stored in it, because VTK reads past the end of an array
/// that is too short, ignores what an array has too many, drops cells beyond `NumberOfCells` and takes cell types
/// modulo 256, and breaks down at a word that is no number. `text` is the whole content of the file: ASCII, base64 or
/// appended, compressed or not. Throws InputError with the array and both numbers. Nothing is decompressed but the last
/// offset and cell types of more than 8 bits. Returns how many points there are.
std::uint64_t check_vtu(std::string_view text);

}  // namespace cardiowarp
