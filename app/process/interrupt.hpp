#pragma once
#include <array>
#include <csignal>

namespace cardiowarp {

/// While this lives, the signals SIGINT, SIGTERM and SIGHUP do not end the program at once. They ask it to end after
/// the step that it computes, or in the midst of a step that takes long (kernels/backend/stop_request.hpp). A second
/// SIGINT, or a second SIGTERM, ends it at once; a second SIGHUP does not, as a terminal that is closed often sends
/// two. A signal that the program was started to ignore, as `nohup` does with SIGHUP, stays ignored.
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

/// While this lives, each of the guard's signals ends the program at once, with a message and exit code 130. It is made
/// for long work that never asks stop_requested() and leaves nothing half done, such as a set-up.
class InterruptPause {
 public:
  /// `message` is the line that is written; the caller keeps it until the program ends.
  InterruptPause(const InterruptGuard& guard, const char* message);
  ~InterruptPause();
  InterruptPause(const InterruptPause&) = delete;
  InterruptPause& operator=(const InterruptPause&) = delete;

 private:
  std::array<struct sigaction, InterruptGuard::signals_.size()> guarded_{};
};

}  // namespace cardiowarp
