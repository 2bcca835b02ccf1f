#include "app/process/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/process/exit_code.hpp"

namespace cardiowarp {
namespace {

bool pipe_signal_was_ignored = false, size_signal_was_ignored = false;
int report_error = 0;  // errno of the first write that failed

void keep_error(int error) noexcept {
  if (report_error == 0) report_error = error == 0 ? EIO : error;
}

bool was_ignored(int signal) {
  struct sigaction before {};
  return sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
}

}  // namespace

void hold_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() gives the lowest number that is free, this one. Not for writing: a report is not lost without a word.
    if (open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY) != descriptor)
      std::_Exit(static_cast<int>(ExitCode::device_failure));  // the next file would become the stream
  }
  pipe_signal_was_ignored = was_ignored(SIGPIPE);
  size_signal_was_ignored = was_ignored(SIGXFSZ);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
}

void let_go_of_standard_streams() {
  if (!pipe_signal_was_ignored) ::signal(SIGPIPE, SIG_DFL);
  if (!size_signal_was_ignored) ::signal(SIGXFSZ, SIG_DFL);
}

void write_report(std::string_view text) noexcept {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) keep_error(errno);
}

void flush_report() noexcept {
  errno = 0;
  if (std::fflush(stdout) != 0) keep_error(errno);
}

int end_report(int exit_code) noexcept {
  flush_report();
  if (report_error == 0) return exit_code;
  if (report_error != EPIPE || pipe_signal_was_ignored) {
    std::fprintf(stderr, "error: cannot write to standard output: %s\n", std::strerror(report_error));
  } else if (exit_code == static_cast<int>(ExitCode::done)) {
    ::signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  return exit_code == static_cast<int>(ExitCode::done) ? static_cast<int>(ExitCode::bad_input) : exit_code;
}

void write_message(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void print_error(std::string_view message) noexcept {
  std::fprintf(stderr, "error: %.*s\n", static_cast<int>(message.size()), message.data());
}

}  // namespace cardiowarp
