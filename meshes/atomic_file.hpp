#pragma once
#include <filesystem>
#include <string_view>

namespace cardiowarp {

// Writes files so that a name never stands for half a file: the content goes to a neighbor with another name, which is
// renamed once it is complete. Meshes, frames, summaries and tables of measurements are written in this way;
// `probes.csv` alone grows under its own name. Only regular files are replaced; folders, links, FIFOs and devices are
// refused. Every failure is an InputError with the name of the file and the reason of the system.

/// Throws InputError `cannot write 'FILE': REASON`; `system_error` is an errno value, 0 counts as an I/O error.
[[noreturn]] void throw_cannot_write(const std::filesystem::path& file, int system_error);

/// Throws InputError, as writing `file` would, where something lies under its name or that of its temporary neighbor
/// `NAME.part` that is no regular file, or where the system knows no such name (too long, a loop of links).
void require_replaceable(const std::filesystem::path& file);
/// Throws as above, for a temporary with another name.
void require_replaceable(const std::filesystem::path& file, const std::filesystem::path& temporary);

/// Opens for writing a file that was not there before; a regular file of that name is removed first. Everything else
/// that has the name (folder, FIFO, socket, device, symbolic link) is refused: it is never followed, waited for or
/// replaced. Throws InputError.
int create_file(const std::filesystem::path& file);

/// Writes the whole of `content`. Throws InputError that names `file`.
void write_all(int descriptor, std::string_view content, const std::filesystem::path& file);

/// A file that appears under its name only when it is complete: it is written as `temporary()`, its neighbor
/// `NAME.part`, and renamed by `commit`. Without `commit` the temporary is removed. Only a regular file is replaced.
class PendingFile {
 public:
  /// Creates the empty temporary. Throws InputError when that is not possible.
  explicit PendingFile(const std::filesystem::path& file);
  /// `temporary` is another name in the same folder, for a library that goes by suffixes.
  PendingFile(std::filesystem::path file, std::filesystem::path temporary);
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  const std::filesystem::path& temporary() const { return temporary_; }
  int descriptor() const { return descriptor_; }

  /// Throws InputError when the system reports a late error (network file systems: at close), when another program has
  /// put something else under one of the two names, or when the file cannot be renamed.
  void commit();

 private:
  bool is_in_place() const;

  std::filesystem::path file_, temporary_;
  int descriptor_ = -1;
};

/// Removes the temporaries of all that are pending. A signal handler may call it that ends the program.
void remove_pending_files() noexcept;

/// Writes `content` to `file` by way of a temporary neighbor and a rename, so that `file` is either the old or the new
/// one, whole. Throws InputError with the name and the system's reason.
void write_file_atomically(const std::filesystem::path& file, std::string_view content);

/// Removes a regular file if it is there. Throws InputError when that fails or something else has that name.
void remove_file(const std::filesystem::path& file);

}  // namespace cardiowarp
