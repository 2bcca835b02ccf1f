#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/checkpoint/checksum.hpp"

namespace cardiowarp {

// By what a run that goes on knows the files again that it has written: their length and a checksum of all their bytes,
// 16 bytes for each file, which are kept in its checkpoints. A file is read once for it, at some gigabytes a second
// where the system still has it in memory.

/// The marks by which the content of a file is known again.
struct FileMark {
  std::uint64_t bytes = 0, checksum = 0;

  bool operator==(const FileMark&) const = default;
};

/// The mark of bytes that come one piece after the other, whatever the lengths of the pieces.
class ByteSum {
 public:
  void add(std::string_view bytes);
  FileMark mark() const;

 private:
  Checksum words_;              ///< of all whole words
  std::array<char, 8> rest_{};  ///< what is not yet one
  std::uint64_t bytes_ = 0;
};

/// The mark of a whole file. Throws InputError that names it.
FileMark mark_of(const std::filesystem::path& file);

/// Why `file` is not the regular file with the content of `mark`; empty where it is.
std::string why_changed(const std::filesystem::path& file, const FileMark& mark);

}  // namespace cardiowarp
