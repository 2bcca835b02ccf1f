#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/process/exit_code.hpp"
#include "cellml/single_cell.hpp"

namespace cardiowarp {

/// The command `cardiowarp cell FILE`. It reads a cell model from a CellML file, prints its states, their kinds and its
/// parameters, lets a single cell beat, and writes the potential and the states of the last beats, or measures
/// restitution. main() makes it and lets it run if it was chosen.
class CellCommand {
 public:
  /// Adds the subcommand `cell` to `program`, which must not outlive this object.
  explicit CellCommand(Command& program);
  CellCommand(const CellCommand&) = delete;
  CellCommand& operator=(const CellCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }

  /// Throws InputError with the argument or the place in the file before anything is computed or written.
  ExitCode run() const;

 private:
  bool is_restitution() const;
  void require_arguments() const;
  CellPulse pulse_for(const CellMlModel& model, double period_ms) const;
  void beat(const CellMlModel& model, const CellPulse& pulse, double period_ms) const;
  void measure_restitution(const CellMlModel& model, const CellPulse& pulse, double period_ms) const;

  Command command_;
  std::filesystem::path file_, output_;
  std::vector<std::string> settings_;  ///< name=value
  std::string potential_, stimulus_current_, amplitude_, duration_, period_ = "1000 ms", protocol_;
  std::vector<double> intervals_ms_;
  int beats_ = 1;
};

}  // namespace cardiowarp
