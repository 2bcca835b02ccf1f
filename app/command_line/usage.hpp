#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"

namespace cardiowarp {

// Words for who mistypes the command line. The parser says that something is missing or too much in terms of its own;
// here the words that were typed are looked at again, so that the message names the word, what is expected there, and
// what was most likely meant. Nothing here decides what is valid.

/// The help of the command that the words name, where they ask for it: `help run`, `run --help`, or `-h` anywhere, also
/// where an option would take it for its value.
std::optional<std::string> asked_help(const CommandDescription& program, const std::vector<std::string>& words);

/// The reason why the parser has refused words, in one line that ends with the help to look at.
std::string usage_message(const CommandDescription& program, const RefusedWords& refused,
                          const std::vector<std::string>& words);

/// Throws InputError where a word that was to name something is empty, as an unset variable of a shell makes it, and
/// where an option has taken the name of another one for its value, as `--output --resume` does.
void require_sensible_words(const CommandDescription& program);

}  // namespace cardiowarp
