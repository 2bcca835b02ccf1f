#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/process/exit_code.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The command `cardiowarp export FILE --field NAME --output FILE`: an array of `maps.vtu`, of a frame or of all frames
/// as text for others, or in openCARP's formats. main() makes it and lets it run if it was chosen.
class ExportCommand {
 public:
  /// Adds the subcommand `export` to `program`, which must not outlive this object.
  explicit ExportCommand(Command& program);
  ExportCommand(const ExportCommand&) = delete;
  ExportCommand& operator=(const ExportCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }

  /// Throws InputError with the argument and what is valid before anything is written.
  ExitCode run() const;

 private:
  Command command_;
  std::filesystem::path input_, output_;
  std::string field_;
};

/// The head of an `.igb` file: 1024 bytes of text that end with a form feed. `times_ms` are those of the frames, at
/// least one; the format knows the first and the last alone.
std::string igb_head(std::size_t nodes, const std::vector<Real>& times_ms, const std::string& unit);

}  // namespace cardiowarp
