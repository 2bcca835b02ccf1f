#pragma once
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "fem/input_error.hpp"
#include "meshes/byte_order_mark.hpp"
#include "meshes/file_kind.hpp"

namespace cardiowarp {

/// A whole file as text, mapped into memory: the system brings in what is read of it, and nothing is copied, as a mesh
/// file may have gigabytes. The readers of mesh files walk through text(), which is valid as long as the object lives
/// and has no byte order mark.
class MappedFile {
 public:
  /// Throws InputError when the file is missing, not a regular file, unreadable, empty, a pointer of Git LFS or a text
  /// in UTF-16.
  explicit MappedFile(const std::filesystem::path& file) {
    const auto fail = [&](const std::string& reason) {
      throw InputError(fmt::format("{}: cannot be read: {}", file.string(), reason));
    };
    if (const std::string reason = why_no_regular_file(file); !reason.empty()) fail(reason);
    const int descriptor =
        ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // waits for no FIFO put there since
    if (descriptor >= 0 && ::fstat(descriptor, &status_) == 0) size_ = static_cast<std::size_t>(status_.st_size);
    if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int error = errno;
    const bool empty = descriptor >= 0 && size_ == 0;
    if (descriptor >= 0) ::close(descriptor);
    if (empty) throw InputError(fmt::format("{}: is empty", file.string()));
    if (data_ == MAP_FAILED) fail(std::strerror(error));
    const std::string reason = why_utf_16(text());
    const bool has_only_a_mark = text().empty();
    if (reason.empty() && !has_only_a_mark) return;
    ::munmap(data_, size_);
    if (has_only_a_mark) throw InputError(fmt::format("{}: is empty", file.string()));
    fail(reason);
  }
  ~MappedFile() { ::munmap(data_, size_); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view text() const { return without_byte_order_mark({static_cast<const char*>(data_), size_}); }
  bool has_byte_order_mark() const { return text().size() < size_; }

  /// Whether `file` names the file that is mapped, unchanged. No other can have its inode as long as it is mapped.
  bool is_still(const std::filesystem::path& file) const {
    struct stat now {};
    return ::stat(file.c_str(), &now) == 0 && now.st_dev == status_.st_dev && now.st_ino == status_.st_ino &&
           now.st_mtim.tv_sec == status_.st_mtim.tv_sec && now.st_mtim.tv_nsec == status_.st_mtim.tv_nsec;
  }

 private:
  struct stat status_ {};
  void* data_ = MAP_FAILED;
  std::size_t size_ = 0;
};

}  // namespace cardiowarp
