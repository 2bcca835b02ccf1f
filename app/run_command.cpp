#include "app/run_command.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <system_error>

#include "app/check.hpp"
#include "app/config/config.hpp"
#include "app/config/explain.hpp"
#include "app/files/result_file.hpp"
#include "app/process/commit.hpp"
#include "app/process/standard_streams.hpp"
#include "app/process/wall_clock.hpp"
#include "app/run.hpp"
#include "app/simulation/flight.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// The number of steps that --look-every means.
int steps_between_looks(const std::string& text) {
  int steps = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
  if (error != std::errc{} || end != text.data() + text.size() || steps < 1 || steps > longest_flight)
    throw InputError(
        fmt::format("--look-every: expected a whole number of steps from 1 to {}, got '{}'", longest_flight, text));
  return steps;
}

void add_from(Command& command, std::optional<std::string>& from) {
  command.add_option("--from", from, "Begin with the state of a checkpoint, or of the newest in a folder of results",
                     {.type = "CHECKPOINT"});
}

}  // namespace

RunCommand::RunCommand(Command& program)
    : command_(program.add_command("run", "Run the simulation a YAML file describes")) {
  words_.add_to(command_);
  command_.add_option("--output", output_, "Instead of output.directory", {.type = "DIR"});
  command_.add_flag("--estimate-error", estimates_.in_time,
                    "Run once more with other steps, and write how wrong the maps are in time");
  command_.add_flag(
      "--estimate-mesh-error", estimates_.of_mesh,
      "Run once more on the refined mesh, 8 times the elements, and write how wrong the mesh makes the maps");
  command_.add_flag("--resume", resume_, "Go on from the newest checkpoint in the output directory");
  command_.add_option("--stop-after", stop_after_,
                      "End the run after so much wall clock time, with a checkpoint and exit code 5",
                      {.type = "DURATION"});
  command_.add_option("--look-every", look_every_,
                      "Let up to so many adaptive steps be made before the host looks at them, with the same results; "
                      "default: 8 on a GPU, 1 on a CPU",
                      {.type = "STEPS"});
  command_.add_option("--gpu-timeout", gpu_timeout_,
                      "End the run with exit code 4 where the GPU does not answer for so long; default: 10 min",
                      {.type = "DURATION"});
  add_from(command_, from_);
}

Config RunCommand::configuration() const {
  Config config = words_.configuration();
  if (!output_) return config;
  if (output_->empty()) throw InputError("--output: expected a directory, got ''");
  config.output.directory = canonical_path(*output_);
  return config;
}

ExitCode RunCommand::run() const {
  RunOptions options{.estimates = estimates_, .resume = resume_, .from = from_, .commit = commit()};
  if (stop_after_) options.stop_after_seconds = wall_clock_seconds("--stop-after", *stop_after_);
  if (look_every_) options.steps_in_flight = steps_between_looks(*look_every_);
  if (gpu_timeout_) options.gpu_timeout_seconds = wall_clock_seconds("--gpu-timeout", *gpu_timeout_);
  return cardiowarp::run(configuration(), options);
}

CheckCommand::CheckCommand(Command& program)
    : command_(program.add_command("check", "Validate a YAML file and its mesh, say what would run, write nothing")) {
  words_.add_to(command_);
  add_from(command_, from_);
  command_.add_flag_without("FILE", "--schema", schema_,
                            "Print the JSON schema of configurations, with which editors check them, and end");
}

void CheckCommand::run() const {
  if (schema_)
    write_report(key_schema());
  else
    check(words_.configuration(), {from_, commit()});
}

}  // namespace cardiowarp
