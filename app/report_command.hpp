#pragma once
#include <filesystem>

#include "app/command_line/command_line.hpp"
#include "app/process/exit_code.hpp"

namespace cardiowarp {

/// The command `cardiowarp report DIR`: a page about a run (app/report/report.hpp).
class ReportCommand {
 public:
  /// Adds the subcommand `report` to `program`, which must not outlive this object.
  explicit ReportCommand(Command& program);
  ReportCommand(const ReportCommand&) = delete;
  ReportCommand& operator=(const ReportCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }

  /// Writes the page. Throws InputError where the results cannot be read or the page cannot be written.
  ExitCode run() const;

 private:
  Command command_;
  std::filesystem::path folder_, output_;
};

}  // namespace cardiowarp
