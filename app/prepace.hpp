#pragma once
#include <optional>
#include <string>

#include "app/process/exit_code.hpp"
#include "app/start_from.hpp"

namespace cardiowarp {

class Stopwatch;
struct Config;
struct Problem;

// The heart paced before a run, for `prepace` of the configuration. The whole heart of the configuration is computed
// from `initial` for `beats` periods under the stimuli that pace, with the methods and steps of the run and without
// output; what it is like at the end of the last beat is where the run begins. The state is kept in a cache
// (state_cache.hpp), by a checksum of all that it depends on: the mesh, the tissue, the stimuli that pace, how it is
// computed, on a CPU or a GPU, and by which program. Output, other stimuli and the end of the run are not among it, so
// that runs that differ in these find it there. A pacing that is ended leaves its progress there and goes on from it,
// bit for bit.

/// The facts on the run that asks for a pacing.
struct PrepaceRun {
  std::string commit;                        ///< of the program
  std::optional<double> stop_after_seconds;  ///< of `watch`: ends the pacing then, after a step
  const Stopwatch& watch;
};

/// The state after the last beat, or why there is none, which has been told.
struct Prepaced {
  std::optional<SourceState> source;
  ExitCode exit_code = ExitCode::done;
};

/// The state from the cache, or computed and then kept there; where it cannot be kept, a warning says so. `config` has
/// `prepace`. With `backend: auto` a GPU that cannot be used is replaced by the CPU before the first step, as for the
/// run. Throws InputError and DeviceError.
Prepaced prepaced_state(const Config& config, const Problem& problem, const PrepaceRun& run);

/// A line on what `run` would do: `60 beats of 800 ms by S1, not yet in the cache: FILE`.
std::string describe_prepace(const Config& config, const Problem& problem, const std::string& commit);

}  // namespace cardiowarp
