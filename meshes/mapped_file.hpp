#pragma once
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "fem/input_error.hpp"

namespace cardiowarp {

/// A whole file as text without a copy in memory: a mesh file may have gigabytes.
class MappedFile {
 public:
  /// Throws InputError when the file is missing, not a regular file, unreadable or empty.
  explicit MappedFile(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw InputError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
    struct stat status {};
    const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    size_ = regular ? static_cast<std::size_t>(status.st_size) : 0;
    if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int error = errno;
    ::close(descriptor);
    if (!regular) throw InputError(fmt::format("{}: is not a regular file", file.string()));
    if (size_ == 0) throw InputError(fmt::format("{}: is empty", file.string()));
    if (data_ == MAP_FAILED)
      throw InputError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(error)));
  }
  ~MappedFile() { ::munmap(data_, size_); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = MAP_FAILED;
  std::size_t size_ = 0;
};

}  // namespace cardiowarp
