#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cardiowarp {

// A YAML file as a tree of texts that have no meaning yet. load_config() reads it, puts in what `--set` replaces, and
// reads the keys of the configuration out of it (yaml_reader.hpp). Every value keeps the line and the column where it
// was written, or the `--set` that gave it, so that a message about it can name the place. Numbers and units are still
// text here.

/// A YAML document as a plain tree in which every value knows where it was written.
struct YamlNode {
  enum class Kind { absent, null, scalar, list, map };

  Kind kind = Kind::absent;
  std::string place;               ///< `file:line:column`, counted from 1, or what set_value() was given
  std::string text;                ///< of a scalar
  std::string key, key_place;      ///< of a map's entry
  std::vector<YamlNode> children;  ///< of a list or map, in the order written

  const YamlNode* find(std::string_view child_key) const;  ///< of a map; null when there is none
};

/// Reads a file with one YAML document. Throws InputError with `file:line:column` for a file that cannot be read,
/// broken syntax, a repeated key, a key that is no scalar, a second document, or more than 64 levels of lists and maps,
/// which is the limit of the two functions below, too.
YamlNode read_yaml(const std::filesystem::path& file);

/// Reads a text as read_yaml() reads a file; messages call it `source`, the beginning of it where that is long. Throws
/// InputError.
YamlNode parse_yaml(const std::string& text, const std::string& source);

/// Puts `value`, itself YAML, at `key_path` (`time.step`, `stimuli.0.start` or `stimuli[0].start`), adding keys that
/// are missing. Throws InputError when the path runs through a scalar or past a list's end, placed `given` or, where
/// that is empty, `--set key.path=value`.
void set_value(YamlNode& root, const std::string& key_path, const std::string& value, const std::string& given = {});

/// `'text'` of a scalar, else the kind, for the end of a message.
std::string describe(const YamlNode& node);

}  // namespace cardiowarp
