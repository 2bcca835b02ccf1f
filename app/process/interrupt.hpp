#pragma once
#include <array>
#include <csignal>

namespace cardiowarp {

/// While this lives, SIGINT, SIGTERM and SIGHUP ask the program to end after its step, or in the midst of one that
/// lasts (kernels/backend/stop_request.hpp). A second SIGINT, or a second
/// SIGTERM, ends it at once; a second SIGHUP does not, as a terminal that is closed often sends two. One that the
/// program was started to ignore, as `nohup` does, stays ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool stop_requested() const;

 private:
  friend class InterruptPause;

  static constexpr std::array signals_{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals_.size()> before_{};
};

/// While this lives, a signal that the guard would hear ends the program at once, with a message and exit code 130. For
/// long work that looks at no guard and leaves nothing half done, such as a set-up.
class InterruptPause {
 public:
  /// `message` is a line, which lives as long as the program does.
  InterruptPause(const InterruptGuard& guard, const char* message);
  ~InterruptPause();
  InterruptPause(const InterruptPause&) = delete;
  InterruptPause& operator=(const InterruptPause&) = delete;

 private:
  std::array<struct sigaction, InterruptGuard::signals_.size()> guarded_{};
};

}  // namespace cardiowarp
