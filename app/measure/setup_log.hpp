#pragma once
#include <string_view>

#include "app/measure/stopwatch.hpp"

namespace cardiowarp {

/// Says with `--log-level debug` how long the phases of a set-up take, one after the other:
/// `setup: <phase> <seconds> s, <seconds> s of processors`. docs/benchmarks/setup.py reads these lines.
class SetupLog {
 public:
  /// Of the phase that began when this was made or the last one ended. The processors are those of all threads and of
  /// processes that have ended.
  void ended(std::string_view phase);

 private:
  static double processor_seconds();

  Stopwatch watch_;
  double processors_ = processor_seconds();
};

}  // namespace cardiowarp
