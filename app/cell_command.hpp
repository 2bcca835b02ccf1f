#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cell_source.hpp"
#include "app/command_line/command_line.hpp"
#include "app/process/exit_code.hpp"

namespace cardiowarp {

/// The command `cardiowarp cell MODEL`. It prints the states and parameters of a model of the program or of a CellML
/// file, lets a single cell beat, and writes the potential and the states of the last beats, or measures restitution.
/// main() makes it and lets it run if it was chosen.
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
  bool is_restitution() const { return !protocol_.empty(); }
  int beats() const { return beats_.value_or(is_restitution() ? 10 : 1); }
  void require_arguments() const;
  std::vector<const char*> files() const;
  CellPulse pulse_for(const CellSource& source, double period_ms) const;
  void beat(const CellSource& source, const CellPulse& pulse, double period_ms) const;
  void measure_restitution(const CellSource& source, const CellPulse& pulse, double period_ms) const;

  Command command_;
  CellWishes wishes_;
  std::filesystem::path output_;
  std::string amplitude_, duration_, period_ = "1000 ms", protocol_;
  std::vector<double> intervals_ms_;
  std::optional<int> beats_;
};

}  // namespace cardiowarp
