#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "app/process/exit_code.hpp"
#include "app/second_run.hpp"

namespace cardiowarp {

struct Config;

/// The options of `cardiowarp run`.
struct RunOptions {
  ErrorEstimates estimates = {};
  bool resume = false;                          ///< goes on from the newest checkpoint in the output directory
  std::optional<double> stop_after_seconds{};   ///< of wall clock from the start: ends it then, after a step
  std::optional<std::filesystem::path> from{};  ///< a checkpoint, or a folder of results: begins with its state
  std::string commit{};                         ///< of the program, by which what `prepace` keeps is known
  double gpu_timeout_seconds = 600;             ///< that a GPU may take to answer
  int steps_in_flight = 0;                      ///< before the host looks, at most; 0: as many as suit the machine
};

/// Runs the simulation and writes its results (docs/output.md). Everything that the input can be wrong in is checked
/// before the output directory is made. A signal of InterruptGuard ends it after the current step, with its files
/// closed, a checkpoint and exit code `interrupted`; the end of its wall clock time does so with `stopped`. Throws
/// InputError and DeviceError; a GPU that does not answer ends the program (app/device_failure.hpp).
///
/// A run that came to its end is followed by a second one for each kind of `options.estimates`, which adds the
/// estimated errors to the maps and to the summary. The one for the errors in time is made beside the run where there
/// is another GPU for it. The files of the first are complete before anything is added, and stay so if a second one is
/// interrupted or fails, which only its exit code and a warning tell.
ExitCode run(const Config& config, const RunOptions& options = {});

}  // namespace cardiowarp
