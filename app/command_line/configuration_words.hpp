#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"

namespace cardiowarp {

struct Config;
struct Override;

/// The words of a command line that make a configuration: the YAML file, `--set` and `--backend`. `run`, `check` and
/// `compare` have them.
class ConfigurationWords {
 public:
  /// Adds FILE and the options to `command`.
  void add_to(Command& command);

  /// The configuration that the words make. Throws InputError.
  Config configuration() const;

  const std::filesystem::path& file() const { return file_; }
  /// The values that `--set` and `--backend` replace. Throws InputError.
  std::vector<Override> overrides() const;

 private:
  std::filesystem::path file_;
  std::vector<std::string> settings_;  ///< key.path=value
  std::optional<std::string> backend_;
};

}  // namespace cardiowarp
