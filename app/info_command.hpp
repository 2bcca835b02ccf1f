#pragma once
#include "app/command_line/command_line.hpp"

namespace cardiowarp {

/// The command `cardiowarp info`: version, commit, libraries and devices, or what scripts ask for instead. main() makes
/// it and lets it run if it was chosen.
class InfoCommand {
 public:
  /// Adds the subcommand `info` to `program`, which must not outlive this object.
  explicit InfoCommand(Command& program);
  InfoCommand(const InfoCommand&) = delete;
  InfoCommand& operator=(const InfoCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }
  void run() const;

 private:
  Command command_;
  bool only_csv_head_ = false, cell_models_ = false;
};

}  // namespace cardiowarp
