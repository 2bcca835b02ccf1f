#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/quantity.hpp"
#include "app/config/yaml_tree.hpp"
#include "fem/range.hpp"
#include "fem/vector3.hpp"

namespace cardiowarp {

/// A place in a YAML tree, present or not, that knows its full key (`stimuli[0].amplitude`). It reads the value there
/// as what is expected or throws InputError `file:line:column: full.key: expected ..., got ...`; with a default given,
/// an absent key (but not an empty one) is the default.
class YamlReader {
 public:
  /// `root` has to outlive the reader and all readers made from it; paths are relative to `directory`.
  YamlReader(const YamlNode& root, std::filesystem::path directory)
      : node_(&root), place_(root.place), directory_(std::move(directory)) {}

  bool present() const { return node_ != nullptr; }
  bool is_map() const { return node_ && node_->kind == YamlNode::Kind::map; }
  std::string label() const;  ///< `file:line:column: full.key`

  /// Accepts an absent value or a map with no other keys than these.
  void expect_keys(const std::vector<std::string>& keys) const;
  /// The value of a key of a map; an absent reader when there is no such key or no map.
  YamlReader operator[](const std::string& key) const;
  std::vector<YamlReader> entries() const;  ///< of a list; none when absent

  Real number(const QuantityKind& kind, const Range& range, std::optional<Real> absent = {}) const;
  std::optional<Real> number_if_present(const QuantityKind& kind, const Range& range) const;
  int whole_number(int low, int high, std::optional<int> absent = {}) const;
  Vector3 vector(const QuantityKind& kind, std::optional<Vector3> absent = {}) const;
  std::string text(std::string_view expected, std::optional<std::string> absent = {}) const;  ///< not empty
  std::filesystem::path path(std::string_view expected, std::optional<std::string> absent = {}) const;
  bool is(std::string_view text) const;  ///< whether it is this scalar
  bool boolean(bool absent) const;       ///< as YAML 1.2 has it: true, True, TRUE, ..
  std::string name(const std::vector<std::string>& valid, std::optional<std::string> absent = {}) const;

  /// The value that belongs to the name read, which may be an old one. Messages list the others.
  template <class Value>
  Value one_of(const std::vector<std::pair<std::string, Value>>& choices, Value absent,
               const std::vector<std::pair<std::string, Value>>& old_choices = {}) const {
    if (!present()) return absent;
    for (const auto& [choice, value] : old_choices)
      if (is(choice)) return value;
    std::vector<std::string> names;
    for (const auto& choice : choices) names.push_back(choice.first);
    const std::string chosen = name(names);
    for (const auto& [choice, value] : choices)
      if (choice == chosen) return value;
    return absent;
  }

  [[noreturn]] void fail(std::string_view expected) const;
  [[noreturn]] void fail(std::string_view expected, std::string_view got) const;

 private:
  YamlReader(const YamlNode* node, std::string place, std::string path, std::filesystem::path directory)
      : node_(node), place_(std::move(place)), path_(std::move(path)), directory_(std::move(directory)) {}

  const YamlNode* node_;  ///< null when absent
  std::string place_;     ///< of the nearest enclosing value when absent
  std::string path_;
  std::filesystem::path directory_;
};

}  // namespace cardiowarp
