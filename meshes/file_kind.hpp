#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

namespace cardiowarp {

// Says what a name in the file system stands for, so that a message can tell why it was refused. Readers ask
// why_no_regular_file() before they open a file, and writers name with file_kind() what is in their way.

/// What a mode of `stat` says that a name stands for: "a regular file", "a directory", "a FIFO", "a socket", "a device"
/// or "a symbolic link".
const char* file_kind(mode_t mode);

/// Why `file` cannot be read as a regular file; links are followed. Empty where it can be tried. Nothing is opened, so
/// that nothing waits for the other end of a FIFO.
std::string why_no_regular_file(const std::filesystem::path& file);

}  // namespace cardiowarp
