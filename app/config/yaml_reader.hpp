#pragma once
#include <filesystem>
#include <optional>
#include <set>
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
  /// The keys that are asked for are added to `asked`, entries of lists without their numbers: `stimuli[].start`.
  YamlReader(const YamlNode& root, std::filesystem::path directory, std::set<std::string>* asked = nullptr)
      : node_(&root), place_(root.place), directory_(std::move(directory)), asked_(asked) {}

  bool present() const { return node_ != nullptr; }
  bool is_map() const { return node_ && node_->kind == YamlNode::Kind::map; }
  bool is_list() const { return node_ && node_->kind == YamlNode::Kind::list; }
  std::string label() const;  ///< `file:line:column: full.key`

  /// Accepts an absent value or a map with no other keys than these. Messages list `keys` alone.
  void expect_keys(const std::vector<std::string>& keys, const std::vector<std::string>& more_keys = {}) const;
  /// The value of a key of a map; an absent reader when there is no such key or no map.
  YamlReader operator[](const std::string& key) const;
  std::vector<std::string> keys() const;    ///< of a map; none when absent
  std::vector<YamlReader> entries() const;  ///< of a list; none when absent

  Real number(const QuantityKind& kind, const Range& range, std::optional<Real> absent = {}) const;
  std::optional<Real> number_if_present(const QuantityKind& kind, const Range& range) const;
  int whole_number(int low, int high, std::optional<int> absent = {}) const;
  Vector3 vector(const QuantityKind& kind, std::optional<Vector3> absent = {}) const;
  std::string text(std::string_view expected, std::optional<std::string> absent = {}) const;  ///< not empty
  std::filesystem::path path(std::string_view expected, std::optional<std::string> absent = {}) const;
  bool is(std::string_view text) const;  ///< whether it is this scalar
  bool boolean(bool absent) const;       ///< as YAML 1.2 has it: true, True, TRUE, ..
  /// One of the names. Messages list `valid`, and say where `more` of them are to be found.
  std::string name(const std::vector<std::string>& valid, std::optional<std::string> absent = {},
                   const std::vector<std::string>& more = {}) const;

  [[noreturn]] void fail(std::string_view expected) const;
  [[noreturn]] void fail(std::string_view expected, std::string_view got) const;

 private:
  YamlReader(const YamlNode* node, std::string place, std::string path, const YamlReader& parent)
      : node_(node),
        place_(std::move(place)),
        path_(std::move(path)),
        directory_(parent.directory_),
        asked_(parent.asked_) {}

  std::string path_of(const std::string& key) const;

  const YamlNode* node_;  ///< null when absent
  std::string place_;     ///< of the nearest enclosing value when absent
  std::string path_;
  std::filesystem::path directory_;
  std::set<std::string>* asked_;  ///< null where nobody wants to know
};

}  // namespace cardiowarp
