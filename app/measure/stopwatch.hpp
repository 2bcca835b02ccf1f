#pragma once
#include <chrono>

namespace cardiowarp {

/// Wall-clock time since the object was made, in seconds. A run, `compare` and `bench` measure with it what the host
/// does: set-up, output, whole runs. It does not wait for a GPU, so that work which a GPU has not finished is not in
/// its time; each backend has a stopwatch of its own for what it computes. It reads a clock that setting the time of
/// day does not move.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace cardiowarp
