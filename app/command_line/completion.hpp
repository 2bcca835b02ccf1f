#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/command_line/description.hpp"

namespace cardiowarp {

/// The words that completion knows beside the commands and their options.
struct CompletionWords {
  std::vector<std::string> keys;  ///< full names of the keys of the YAML file, for `--set` and `explain`
  std::map<std::string, std::vector<std::string>> values;  ///< what options take: `--backend` auto, cpu, gpu
};

/// The shells that completion_script() knows.
const std::vector<std::string>& completion_shells();

/// A script by which a shell completes the words behind the name of the program: commands, options, names of files and
/// folders, and keys of the YAML file. Throws InputError for a shell that is not among completion_shells().
std::string completion_script(const CommandDescription& program, const CompletionWords& words,
                              const std::string& shell);

}  // namespace cardiowarp
