#pragma once
#include <string>

#include "app/command_line/command_line.hpp"

namespace cardiowarp {

/// The commands that tell about the program itself: `explain KEY` says what a key of the YAML file means, `completion
/// SHELL` prints a script by which a shell completes words, and `man PAGE` a manual page. All of it comes from the
/// descriptions of keys and options. main() makes it and lets it run if one of them was chosen.
class ExplainCommands {
 public:
  /// Adds the subcommands to `line`, which must not outlive this object.
  explicit ExplainCommands(CommandLine& line);
  ExplainCommands(const ExplainCommands&) = delete;
  ExplainCommands& operator=(const ExplainCommands&) = delete;

  bool is_chosen() const { return explain_.is_chosen() || completion_.is_chosen() || man_.is_chosen(); }

  /// Throws InputError for a key, a shell or a page that there is not, with the nearest name.
  void run() const;

 private:
  void explain() const;

  CommandLine& line_;
  Command explain_, completion_, man_;
  std::string key_, shell_, page_ = "cardiowarp";
  bool as_markdown_ = false;
};

}  // namespace cardiowarp
