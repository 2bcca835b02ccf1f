#include "app/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "fem/input_error.hpp"

namespace cardiowarp {

void throw_cannot_write(const std::filesystem::path& file, int system_error) {
  const int reason = system_error == 0 ? EIO : system_error;
  throw InputError(fmt::format("cannot write '{}': {}", file.string(), std::generic_category().message(reason)));
}

PendingFile::PendingFile(std::filesystem::path file) : file_(std::move(file)), temporary_(file_) {
  temporary_ += ".part";
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw_cannot_write(file_, errno);
}

PendingFile::~PendingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void PendingFile::commit() {
  if (::close(std::exchange(descriptor_, -1)) != 0) throw_cannot_write(file_, errno);
  if (std::rename(temporary_.c_str(), file_.c_str()) != 0) throw_cannot_write(file_, errno);
  temporary_.clear();
}

void write_file_atomically(const std::filesystem::path& file, std::string_view content) {
  PendingFile pending(file);
  while (!content.empty()) {
    const ssize_t written = ::write(pending.descriptor(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw_cannot_write(file, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  pending.commit();
}

void remove_file(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (error) throw_cannot_write(file, error.value());
}

}  // namespace cardiowarp
