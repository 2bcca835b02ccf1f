#pragma once

namespace cardiowarp {

/// While this lives, SIGINT and SIGTERM ask the program to end after its step; a second one ends it at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool stop_requested() const;
};

}  // namespace cardiowarp
