#pragma once
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"

namespace cardiowarp {

/// The command `cardiowarp tune MODEL`. It prints the diffusivities that give fronts the velocities asked for, on
/// cables with the edges asked for, as a run with `velocity` finds them (app/start/find_diffusivity.hpp). It needs no
/// mesh.
class TuneCommand {
 public:
  /// Adds the subcommand `tune` to `program`, which must not outlive this object.
  explicit TuneCommand(Command& program);
  TuneCommand(const TuneCommand&) = delete;
  TuneCommand& operator=(const TuneCommand&) = delete;

  bool is_chosen() const { return command_.is_chosen(); }

  /// Throws InputError for a model, a file or a number that cannot be meant. A velocity that edges cannot carry has a
  /// warning and no diffusivity.
  void run() const;

 private:
  Command command_;
  std::string model_, set_;
  std::vector<double> velocities_, edges_mm_ = {0};
};

}  // namespace cardiowarp
