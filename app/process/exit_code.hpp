#pragma once

namespace cardiowarp {

// The number that the program gives back to the shell, so that a script knows how it ended.
//    0    everything was done
//    2    bad input, or a result that could not be written
//    3    a step did not converge, or the two sides of a comparison disagree
//    4    a GPU or a library failed or is missing, or memory ran out
//    5    --stop-after ended a run, which --resume goes on with
//    130  a signal ended a run or a comparison early
// `run` and `compare` return one of these, and main() makes one of an error that any command throws. An internal error
// ends the program with 1, which is not among them.

enum class ExitCode { done = 0, bad_input = 2, not_converged = 3, device_failure = 4, stopped = 5, interrupted = 130 };

}  // namespace cardiowarp
