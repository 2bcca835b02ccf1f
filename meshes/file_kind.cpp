#include "meshes/file_kind.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace cardiowarp {
namespace {

constexpr std::string_view lfs_pointer = "version https://git-lfs.github.com/spec";

/// As much of a file's beginning as a pointer of Git LFS has in common with others; empty where it cannot be read.
std::string beginning_of(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {};
  std::array<char, lfs_pointer.size()> bytes;
  const ssize_t read = ::pread(descriptor, bytes.data(), bytes.size(), 0);
  ::close(descriptor);
  return {bytes.data(), read > 0 ? static_cast<std::size_t>(read) : 0};
}

}  // namespace

const char* file_kind(mode_t mode) {
  if (S_ISREG(mode)) return "a regular file";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISLNK(mode)) return "a symbolic link";
  return "a device";
}

std::string why_no_regular_file(mode_t mode, const char* else_expected) {
  return S_ISREG(mode) ? "" : fmt::format("expected a regular file{}, got {}", else_expected, file_kind(mode));
}

std::string why_no_regular_file(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::generic_category().message(errno);
  if (std::string reason = why_no_regular_file(status.st_mode); !reason.empty()) return reason;
  return why_lfs_pointer(beginning_of(file));
}

std::string why_lfs_pointer(std::string_view text) {
  if (!text.starts_with(lfs_pointer)) return {};
  return "it is a pointer of Git LFS, and the content that it stands for has not been fetched: `git lfs pull` in its "
         "repository does that";
}

}  // namespace cardiowarp
