#pragma once
#include <optional>
#include <string>

#include "app/command_line/configuration_words.hpp"
#include "app/study/study_runs.hpp"

namespace cardiowarp {

/// The options of the commands that make many runs of a YAML file: the file itself, `--output`, `--jobs`, `--resume`.
class StudyWords {
 public:
  /// Adds the options to `command`; `suffix` is what the folder's name has behind that of the file's own results.
  void add_to(Command& command, const std::string& suffix);

  /// The study that the words ask for. Throws InputError.
  Study study() const;

 private:
  ConfigurationWords words_;
  std::string suffix_;
  std::optional<std::string> output_;
  std::optional<int> jobs_;
  bool resume_ = false;
};

}  // namespace cardiowarp
