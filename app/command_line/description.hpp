#pragma once
#include <string>
#include <vector>

namespace cardiowarp {

// The command line of the program, as plain values: every command with its options, what is said of them and, once
// words have been parsed, which were given. CommandLine (command_line.hpp) makes it of what the commands have asked
// for. Messages about mistyped words (usage.hpp), completion (completion.hpp) and the man page (man_page.hpp) are
// written from it, so that there is no second list of options.

struct OptionDescription {
  std::vector<std::string> names;  ///< with their dashes, `--output`; of a positional its only name, `FILE`
  std::string type;                ///< what stands for its value: `DIR`; empty where it takes none
  std::string text;                ///< what it does, without a period at its end
  bool is_positional = false;
  bool takes_value = true;
  std::vector<std::string> given = {};  ///< its values in the words that were parsed

  const std::string& name() const { return names.front(); }
};

struct CommandDescription {
  std::string name, text;
  std::string help;  ///< what `--help` prints
  std::vector<OptionDescription> options = {};
  std::vector<CommandDescription> commands = {};  ///< that follow it
  bool is_chosen = false;                         ///< whether the words that were parsed name it
};

}  // namespace cardiowarp
