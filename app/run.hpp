#pragma once
#include "app/config.hpp"

namespace cardiowarp {

/// Exit codes of the program.
enum class ExitCode { done = 0, bad_input = 2, not_converged = 3, device_failure = 4, interrupted = 130 };

/// Runs the simulation and writes its results (docs/output.md). Everything that the input can be wrong in is checked
/// before the output directory is made. A signal of InterruptGuard ends it after the current step, with its files
/// closed and exit code `interrupted`. Throws InputError and DeviceError.
ExitCode run(const Config& config);

/// Validates configuration and mesh and prints what `run` would do; writes nothing.
void check(const Config& config);

}  // namespace cardiowarp
