#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/process/exit_code.hpp"
#include "app/study/study_words.hpp"
#include "app/study/sweep_axes.hpp"

namespace cardiowarp {

/// The command `cardiowarp sweep FILE.yaml`: runs of the file with other values of some keys.
class SweepCommand {
 public:
  /// Adds the subcommand `sweep` to `program`, which must not outlive this object.
  explicit SweepCommand(Command& program);
  SweepCommand(const SweepCommand&) = delete;
  SweepCommand& operator=(const SweepCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }

  /// Writes the folders of the runs, `sweep.csv` and `sweep.svg`. The exit code of the first run that failed. Throws
  /// InputError before anything is run.
  ExitCode run() const;

 private:
  SweepTable runs() const;

  Command command_;
  StudyWords words_;
  std::vector<std::string> over_;
  std::filesystem::path table_;
  std::optional<int> random_;
  std::optional<std::int64_t> seed_;
};

}  // namespace cardiowarp
