#pragma once
#include <string>

namespace cardiowarp {

/// A `--set key.path=value` of the command line; list entries are addressed by number (`stimuli.0.amplitude`).
struct Override {
  std::string key_path, value;
  std::string given = {};  ///< what the user typed, for messages; empty: `--set key.path=value`
};

/// The override that the word `key.path=value` means. Throws InputError that begins with --set.
Override parse_override(const std::string& setting);

}  // namespace cardiowarp
