#pragma once
#include <string_view>

#include "app/measure/stopwatch.hpp"

namespace cardiowarp {

/// Says with `--log-level debug` how long the phases of a set-up take, one after the other. Each phase has a line,
/// `setup: <phase> <seconds> s, <seconds> s of processors`.
class SetupLog {
 public:
  /// Writes the line of a phase that ends now. It began when the phase before ended, or, if it is the first, when this
  /// object was made. The seconds of processors are those of all threads of this process together, and of the processes
  /// that it has started and that have ended. Throws a StopRequest where the program was asked to end a while ago
  /// (kernels/backend/stop_request.hpp), so that no set-up goes on for long after a signal.
  void ended(std::string_view phase);

 private:
  static double processor_seconds();

  Stopwatch watch_;
  double processors_ = processor_seconds();
};

}  // namespace cardiowarp
