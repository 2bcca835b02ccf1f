#pragma once
#include <filesystem>
#include <string>

namespace cardiowarp {

/// The content of a file, unpacked where it is gzip, whatever its name. Throws InputError `FILE: REASON` when it is
/// missing, unreadable, empty, or its gzip data are cut short or corrupt.
std::string read_unpacked(const std::filesystem::path& file);

}  // namespace cardiowarp
