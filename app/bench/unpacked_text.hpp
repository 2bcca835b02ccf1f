#pragma once
#include <filesystem>
#include <string>

namespace cardiowarp {

/// The content of a file, unpacked where it is gzip, whatever its name. Throws InputError `FILE: REASON` when it is
/// missing, unreadable, empty, its gzip data are cut short or corrupt, or what they unpack to is larger than 64 times
/// the file and 16 MiB more.
std::string read_unpacked(const std::filesystem::path& file);

}  // namespace cardiowarp
