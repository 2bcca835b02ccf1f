#pragma once
#include "app/command_line/configuration_words.hpp"
#include "app/process/exit_code.hpp"

namespace cardiowarp {

/// The command `cardiowarp serve FILE.yaml`, with which another program advances a simulation in time and looks at its
/// arrays: the Python module starts it (python/cardiowarp). Nothing is written to disk. main() makes it and lets it run
/// if it was chosen.
///
/// The other program writes requests to standard input, a line of JSON each, and reads replies from standard output: a
/// line of JSON each, behind which as many bytes of an array follow as its key `bytes` says. The first reply, which
/// needs no request, says that the simulation is at time 0:
///   {"nodes": N, "elements": N, "states": ["recovery"], "probes": [..], "end_ms": 600, "backend": "cpu", "device": ""}
/// `{"advance": 12.5}` makes steps until the time in ms is reached, or the end of the configured time:
///   {"time_ms": 12.5, "steps": 31, "finished": false}
/// Arrays are then those of that time, or of the end of the last step where the time scheme knows nothing between
/// steps; maps have no activation or end of an action potential that is later.
/// `{"array": "potential"}`, NAME being `points` [nodes × 3] mm, `tetrahedra` [elements × 4], `potential` [nodes] mV,
/// `activation_time` and `apd90` [nodes] ms, `probes` [probes] mV, or `state:NAME` [elements]:
///   {"dtype": "<f8", "shape": [N], "bytes": 8 N}
/// What goes wrong ends the program without a reply, with an exit code and a message on standard error as everywhere.
/// The end of standard input ends it, too, and so does, in the midst of steps, the end of who reads its output.
class ServeCommand {
 public:
  /// Adds the subcommand `serve` to `program`, which must not outlive this object.
  explicit ServeCommand(Command& program);
  ServeCommand(const ServeCommand&) = delete;
  ServeCommand& operator=(const ServeCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }

  /// Returns when there are no more requests, or when a step failed, which is then told. Throws InputError, also for a
  /// request that is none, and DeviceError.
  ExitCode run() const;

 private:
  Command command_;
  ConfigurationWords words_;
};

}  // namespace cardiowarp
