#include "app/files/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "fem/input_error.hpp"
#include "meshes/file_kind.hpp"

namespace cardiowarp {
namespace {

[[noreturn]] void fail(int system_error) { throw InputError(std::generic_category().message(system_error)); }

/// A device may do something when it is opened, so that the name is looked at before.
int open_regular(const std::filesystem::path& file, RegularFile::Access access) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) fail(errno);
  if (const std::string reason = why_no_regular_file(status.st_mode); !reason.empty()) throw InputError(reason);
  const int mode = access == RegularFile::Access::reading ? O_RDONLY : O_RDWR;
  const int descriptor = ::open(file.c_str(), mode | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(errno);
  return descriptor;
}

}  // namespace

RegularFile::RegularFile(const std::filesystem::path& file, Access access) : descriptor_(open_regular(file, access)) {
  struct stat status {};
  const int system_error = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  const std::string reason = system_error == 0 ? why_no_regular_file(status.st_mode) : "";
  if (system_error != 0 || !reason.empty()) {
    ::close(release());
    if (system_error != 0) fail(system_error);
    throw InputError(reason);
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

RegularFile::~RegularFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int RegularFile::release() { return std::exchange(descriptor_, -1); }

void RegularFile::read(std::uint64_t bytes, const std::function<void(std::string_view)>& take) const {
  std::array<char, std::size_t{1} << 16> piece;
  for (std::uint64_t at = 0; at < bytes;) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), bytes - at));
    const ssize_t got = ::pread(descriptor_, piece.data(), wanted, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (got == 0) return;
    take({piece.data(), static_cast<std::size_t>(got)});
    at += static_cast<std::uint64_t>(got);
  }
}

std::string content_or_nothing(const std::filesystem::path& file) {
  std::string content;
  try {
    const RegularFile open(file);
    open.read(open.bytes(), [&](std::string_view piece) { content += piece; });
  } catch (const InputError&) {
    return "";
  }
  return content;
}

}  // namespace cardiowarp
