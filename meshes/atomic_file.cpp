#include "meshes/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "fem/input_error.hpp"
#include "meshes/file_kind.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_cannot(const char* verb, const fs::path& file, const std::string& reason) {
  throw InputError(fmt::format("cannot {} '{}': {}", verb, file.string(), reason));
}

std::string text_of(int system_error) { return std::generic_category().message(system_error); }

/// Whether there is a regular file of that name; throws where there is anything else.
bool regular_file_exists(const fs::path& file, const char* verb) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) {
    if (errno == ENOENT) return false;
    throw_cannot(verb, file, text_of(errno));
  }
  if (const std::string reason = why_no_regular_file(status.st_mode, " or nothing"); !reason.empty())
    throw_cannot(verb, file, reason);
  return true;
}

void remove_regular(const fs::path& file, const char* verb) {
  if (regular_file_exists(file, verb) && ::unlink(file.c_str()) != 0 && errno != ENOENT)
    throw_cannot(verb, file, text_of(errno));
}

/// `create_file` with messages of the system that name `meant`.
int create(const fs::path& file, const fs::path& meant) {
  remove_regular(file, "write");
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) throw_cannot_write(meant, errno);
  return descriptor;
}

fs::path neighbor_of(fs::path file) { return file += ".part"; }

/// The names of the temporaries that are there now, for remove_pending_files(); more than these are not removed.
constinit std::array<std::atomic<const char*>, 256> pending_names{};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads them");

void change_pending_name(const char* from, const char* to) {
  for (std::atomic<const char*>& name : pending_names)
    if (const char* expected = from; name.compare_exchange_strong(expected, to)) return;
}

}  // namespace

void throw_cannot_write(const fs::path& file, int system_error) {
  throw_cannot("write", file, text_of(system_error == 0 ? EIO : system_error));
}

void require_replaceable(const fs::path& file) { require_replaceable(file, neighbor_of(file)); }

void require_replaceable(const fs::path& file, const fs::path& temporary) {
  regular_file_exists(file, "write");
  regular_file_exists(temporary, "write");
}

int create_file(const fs::path& file) { return create(file, file); }

void write_all(int descriptor, std::string_view content, const fs::path& file) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw_cannot_write(file, written < 0 ? errno : 0);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

PendingFile::PendingFile(const fs::path& file) : PendingFile(file, neighbor_of(file)) {}

PendingFile::PendingFile(fs::path file, fs::path temporary) : file_(std::move(file)), temporary_(std::move(temporary)) {
  regular_file_exists(file_, "write");
  regular_file_exists(temporary_, "write");
  change_pending_name(nullptr, temporary_.c_str());  // first: a signal may come as soon as the file is there
  try {
    descriptor_ = create(temporary_, file_);
  } catch (const InputError&) {
    change_pending_name(temporary_.c_str(), nullptr);
    throw;
  }
}

PendingFile::~PendingFile() {
  if (descriptor_ < 0) return;
  if (is_in_place()) ::unlink(temporary_.c_str());
  change_pending_name(temporary_.c_str(), nullptr);
  ::close(descriptor_);
}

/// Whether the temporary's name still stands for the file that was created.
bool PendingFile::is_in_place() const {
  struct stat created {
  }, found{};
  return ::fstat(descriptor_, &created) == 0 && ::lstat(temporary_.c_str(), &found) == 0 &&
         created.st_dev == found.st_dev && created.st_ino == found.st_ino;
}

void PendingFile::commit() {
  regular_file_exists(file_, "write");
  if (!is_in_place())
    throw_cannot("write", file_, fmt::format("another program has replaced '{}'", temporary_.string()));
  int failed = ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  if (failed == 0 && std::rename(temporary_.c_str(), file_.c_str()) != 0) failed = errno;
  if (failed != 0) ::unlink(temporary_.c_str());
  change_pending_name(temporary_.c_str(), nullptr);
  if (failed != 0) throw_cannot_write(file_, failed);
}

void remove_pending_files() noexcept {
  for (const std::atomic<const char*>& pending : pending_names)
    if (const char* name = pending.load()) ::unlink(name);
}

void write_file_atomically(const fs::path& file, std::string_view content) {
  PendingFile pending(file);
  write_all(pending.descriptor(), content, file);
  pending.commit();
}

void remove_file(const fs::path& file) { remove_regular(file, "remove"); }

}  // namespace cardiowarp
