#pragma once

namespace cardiowarp {

/// Exit codes of the program.
enum class ExitCode { done = 0, bad_input = 2, not_converged = 3, device_failure = 4, interrupted = 130 };

}  // namespace cardiowarp
