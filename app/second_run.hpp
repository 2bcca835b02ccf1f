#pragma once
#include <atomic>
#include <cstdint>
#include <future>
#include <optional>
#include <string>

#include "app/process/exit_code.hpp"
#include "app/simulation/beat_times.hpp"

// The runs that tell the errors of a run: one with other steps tells those of the steps in time, and one on a mesh with
// edges half as long, eight times the elements, those of the mesh (app/simulation/error_estimate.hpp). They follow the
// run, whose simulation is given up before, so that a device need not hold both. Where a machine has two equal GPUs,
// the one with other steps is made on the second of them while the run is made on the first.

namespace cardiowarp {

class InterruptGuard;
class Recorder;
struct Config;
struct Problem;
struct RunSummary;

/// The errors of a run that are to be estimated.
struct ErrorEstimates {
  bool in_time = false;
  bool of_mesh = false;

  bool any() const { return in_time || of_mesh; }
};

/// Throws InputError, in the name of the option, where there is nothing to estimate or no second run to do it with.
void require_estimates_possible(const Config& config, const ErrorEstimates& wanted);

/// The answer of a second run, unless it did not come to its end.
struct SecondAnswer {
  std::optional<BeatTimes> times;  ///< of the nodes of the first run
  std::int64_t steps = 0;
  double seconds = 0;
  ExitCode exit_code = ExitCode::done;
  std::string reason;  ///< where there are no times, the message that says why
};

/// The run with other steps, in a thread of its own and on another GPU while the run whose errors it tells is made.
class SecondRunBeside {
 public:
  /// Begins it on the GPU with that number. `problem` and `interrupts` have to outlive this.
  SecondRunBeside(const Config& config, const Problem& problem, const InterruptGuard& interrupts, int gpu);
  /// Stops it after its step.
  ~SecondRunBeside();
  SecondRunBeside(const SecondRunBeside&) = delete;
  SecondRunBeside& operator=(const SecondRunBeside&) = delete;

  /// Waits for its end; to be called once. Nothing, and a message, where its GPU could not be used or memory ran
  /// out: it can still be made where the first was.
  std::optional<SecondAnswer> answer();

 private:
  std::atomic<bool> is_given_up_ = false;
  std::future<SecondAnswer> answer_;  // last, as its thread uses the others
};

/// The GPU for a second run beside one on that backend; absent where no errors in time are wanted or there is none.
std::optional<int> gpu_for_second_run(const ErrorEstimates& wanted, const std::string& backend);

/// A run that has come to its end, with its maps and its summary.
struct FirstRun {
  const Config& config;
  const Problem& problem;
  Recorder& recorder;
  RunSummary& summary;
  const InterruptGuard& interrupts;
};

/// Runs the problem of `first` once more for each kind of error, and adds what that says to maps.vtu and summary.json;
/// `beside`, where it is given, is the run with other steps. Where a second run fails or is interrupted its errors are
/// left out, a message says so, and the exit code is that of such a run.
ExitCode add_estimates(const ErrorEstimates& wanted, const FirstRun& first, SecondRunBeside* beside = nullptr);

}  // namespace cardiowarp
