#pragma once
#include "app/config/config.hpp"
#include "app/process/exit_code.hpp"

namespace cardiowarp {

/// Runs the simulation and writes its results (docs/output.md). Everything that the input can be wrong in is checked
/// before the output directory is made. A signal of InterruptGuard ends it after the current step, with its files
/// closed and exit code `interrupted`. Throws InputError and DeviceError.
ExitCode run(const Config& config);

}  // namespace cardiowarp
