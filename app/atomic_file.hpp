#pragma once
#include <filesystem>
#include <string_view>

namespace cardiowarp {

/// Throws InputError `cannot write 'FILE': REASON`; `system_error` is an errno value, 0 counts as an I/O error.
[[noreturn]] void throw_cannot_write(const std::filesystem::path& file, int system_error);

/// A file that appears under its name only when it is complete: it is written as `temporary()`, its neighbour
/// `NAME.part`, and renamed by `commit`. Without `commit` the temporary is removed.
class PendingFile {
 public:
  /// Creates the empty temporary. Throws InputError when that is not possible.
  explicit PendingFile(std::filesystem::path file);
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  const std::filesystem::path& temporary() const { return temporary_; }
  int descriptor() const { return descriptor_; }

  /// Throws InputError when the system reports a late error (network file systems: at close) or cannot rename.
  void commit();

 private:
  std::filesystem::path file_, temporary_;
  int descriptor_ = -1;
};

/// Writes `content` to `file` by way of a temporary neighbour and a rename, so that `file` is either the old or the new
/// one, whole. Throws InputError with the name and the system's reason.
void write_file_atomically(const std::filesystem::path& file, std::string_view content);

/// Removes `file` if it is there. Throws InputError when that fails.
void remove_file(const std::filesystem::path& file);

}  // namespace cardiowarp
