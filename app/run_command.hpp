#pragma once
#include <optional>
#include <string>

#include "app/command_line/configuration_words.hpp"
#include "app/process/exit_code.hpp"
#include "app/second_run.hpp"

namespace cardiowarp {

struct Config;

/// The command `cardiowarp run FILE.yaml`: its options, and the run that they ask for (app/run.hpp). main() makes it
/// and lets it run if it was chosen.
class RunCommand {
 public:
  /// Adds the subcommand `run` to `program`, which must not outlive this object.
  explicit RunCommand(Command& program);
  RunCommand(const RunCommand&) = delete;
  RunCommand& operator=(const RunCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }

  /// Throws InputError with the option and what is valid before anything is computed or written, DeviceError.
  ExitCode run() const;

 private:
  Config configuration() const;

  Command command_;
  ConfigurationWords words_;
  ErrorEstimates estimates_;
  bool resume_ = false;
  std::optional<std::string> output_, stop_after_, from_, gpu_timeout_, look_every_;
};

/// The command `cardiowarp check FILE.yaml` (app/check.hpp).
class CheckCommand {
 public:
  /// Adds the subcommand `check` to `program`, which must not outlive this object.
  explicit CheckCommand(Command& program);
  CheckCommand(const CheckCommand&) = delete;
  CheckCommand& operator=(const CheckCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }

  /// With --schema it prints the JSON schema of configurations instead. Throws InputError for what `run` would refuse.
  void run() const;

 private:
  Command command_;
  ConfigurationWords words_;
  std::optional<std::string> from_;
  bool schema_ = false;
};

}  // namespace cardiowarp
