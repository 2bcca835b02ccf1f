#pragma once
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>

namespace cardiowarp::test {

/// Within its scope no file of this process grows beyond `bytes`: a write fails in the middle, as on a full disk (with
/// EFBIG in place of ENOSPC), also for root.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::system_error(errno, std::generic_category(), "setrlimit");
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace cardiowarp::test
