#pragma once
#include <array>
#include <csignal>

namespace cardiowarp {

/// While this lives, SIGINT, SIGTERM and SIGHUP end the program at once, as they would without it, but first the
/// temporaries of files that are being written (meshes/atomic_file.hpp) are removed. It is for commands that make one
/// result and keep nothing of it when they are ended. A signal that the program was started to ignore stays ignored.
class RemovedAtSignal {
 public:
  RemovedAtSignal();
  ~RemovedAtSignal();
  RemovedAtSignal(const RemovedAtSignal&) = delete;
  RemovedAtSignal& operator=(const RemovedAtSignal&) = delete;

 private:
  static constexpr std::array signals_{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals_.size()> before_{};
};

}  // namespace cardiowarp
