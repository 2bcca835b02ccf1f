#pragma once
#include <string>
#include <vector>

#include "app/command_line/description.hpp"
#include "app/config/key_description.hpp"

namespace cardiowarp {

/// The page cardiowarp(1) in the language of man: all commands with their options, and the exit codes. `version` is
/// that of the program.
std::string man_page_of_program(const CommandDescription& program, const std::string& version);

/// The page cardiowarp.yaml(5): all keys of the YAML file with what they take and their defaults.
std::string man_page_of_keys(const std::vector<KeyDescription>& sections, const std::string& version);

}  // namespace cardiowarp
