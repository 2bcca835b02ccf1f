#pragma once
#include <string>
#include <vector>

#include "app/process/exit_code.hpp"
#include "app/study/study_words.hpp"

namespace cardiowarp {

/// The commands `cardiowarp restitution FILE.yaml`, which measures the wave of a stimulus at several intervals or
/// periods, and `cardiowarp erp FILE.yaml`, which looks for the effective refractory period alone.
class RestitutionCommand {
 public:
  enum class Kind { restitution, erp };

  /// Adds the subcommand `restitution` or `erp` to `program`, which must not outlive this object.
  RestitutionCommand(Command& program, Kind kind);
  RestitutionCommand(const RestitutionCommand&) = delete;
  RestitutionCommand& operator=(const RestitutionCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }

  /// Writes the folders of the runs, `restitution.csv` and `restitution.svg`. Throws InputError before anything is run.
  ExitCode run() const;

 private:
  Kind kind_;
  Command command_;
  StudyWords words_;
  std::string stimulus_;
  std::vector<double> intervals_ms_, periods_ms_;
};

}  // namespace cardiowarp
