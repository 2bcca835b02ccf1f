#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace cardiowarp {

// The file of a checkpoint: named sections of bytes, each with a checksum. The file is written whole or not at all, and
// what was cut off or changed afterwards is found when it is read. StateArchive and those who use it know the meaning
// of the sections. Numbers are as the machine has them, little end first.
//
//   magic        8 bytes   "CWCKPT\r\n"
//   version      4         of the format and of what the sections mean
//   byte order   4         0x01020304
//   table bytes  8
//   data bytes   8         of all sections
//   checksum     8         of the 32 bytes before
//   table                  for each section: bytes 8, checksum 8, length of the name 4, name
//   checksum     8         of the table
//   data                   the sections, one after the other
//
// A file takes its sections' bytes and some 50 more for each. Reading needs as much host memory, and never more than
// the file is long, whatever it says.

using CheckpointSections = std::map<std::string, std::vector<std::byte>>;

inline constexpr std::uint32_t checkpoint_version = 3;

/// Writes the file by way of a temporary neighbor that is synchronized with the disk before it is renamed; the folder
/// is synchronized after that. Throws InputError; an older file of that name is then as it was.
void write_checkpoint_file(const std::filesystem::path& file, const CheckpointSections& sections);

/// Throws InputError that names the file, and says what is wrong with it.
CheckpointSections read_checkpoint_file(const std::filesystem::path& file);

}  // namespace cardiowarp
