#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace cardiowarp {

// Says what a name in the file system stands for, so that a message can tell why it was refused. Readers ask
// why_no_regular_file() before they open a file, and writers name with file_kind() what is in their way. A repository
// that keeps large files with Git LFS has pointers in their places until they are fetched: a few lines of text, which
// every format would refuse in words that mislead.

/// The kind of thing that a name stands for by its mode of `stat`: "a regular file", "a directory", "a FIFO", "a
/// socket", "a device" or "a symbolic link".
const char* file_kind(mode_t mode);

/// Why `file` cannot be read as a regular file, or that it is a pointer of Git LFS; links are followed. Empty where it
/// can be tried. What is no regular file is not opened, so that nothing waits for the other end of a FIFO.
std::string why_no_regular_file(const std::filesystem::path& file);

/// `expected a regular file, got a FIFO` for a mode of `stat` that is another; else empty. `else_expected` follows the
/// first words: " or nothing".
std::string why_no_regular_file(mode_t mode, const char* else_expected = "");

/// A remark on a file whose text begins like a pointer of Git LFS; empty of any other.
std::string why_lfs_pointer(std::string_view text);

}  // namespace cardiowarp
