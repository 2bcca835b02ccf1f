#include "app/config/yaml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/config/electrical_units.hpp"
#include "app/config/yaml_mistakes.hpp"
#include "app/files/result_file.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

/// `a positive time (ms, s, us)`, `a number (without unit) in [0, 1)`.
std::string expectation(const QuantityKind& kind, const Range& range) {
  const std::string noun = fmt::format("{} ({})", kind.noun, kind.units);
  const bool has_low = std::isfinite(range.low), has_high = std::isfinite(range.high);
  if (!has_low && !has_high) return "a " + noun;
  if (!has_high && range.low == 0)
    return fmt::format("a {} {}", range.low_included ? "non-negative" : "positive", noun);
  if (!has_high) return fmt::format("a {} {} {}", noun, range.low_included ? "of at least" : "above", range.low);
  return fmt::format("a {} in {}{}, {}{}", noun, range.low_included ? '[' : '(', range.low, range.high,
                     range.high_included ? ']' : ')');
}

/// What to add to the error of `end:1`, which YAML takes for one word.
std::string colon_without_space(const std::string& text, const std::vector<std::string>& keys) {
  const std::string key = text.substr(0, text.find(':'));
  if (key.size() == text.size() || std::find(keys.begin(), keys.end(), key) == keys.end()) return "";
  return fmt::format("; a space follows the colon: '{}: ...'", key);
}

/// What the unknown key `child`, after its neighbor `before`, was most likely meant to be.
std::string advice(const YamlNode& child, const YamlNode* before, const std::vector<std::string>& keys) {
  const std::string near = suggestion(child.key, keys) + colon_without_space(child.key, keys);
  std::string electrical = electrical_key(child.text);
  for (const YamlNode& value : child.children)
    if (electrical.empty()) electrical = electrical_key(value.text);
  if (!near.empty() || !electrical.empty() || !before) return near + electrical;
  // `step: 0,1` inside braces is the value 0 and a key 1.
  if (child.kind == YamlNode::Kind::null && before->kind == YamlNode::Kind::scalar)
    return decimal_comma(before->text + "," + child.key);
  return before->kind == YamlNode::Kind::null ? fmt::format("; indent it if it belongs to '{}'", before->key) : "";
}

/// `stimuli[].start` of `stimuli[2].start`.
std::string without_numbers(const std::string& path) {
  std::string without;
  for (const char c : path)
    if (without.empty() || without.back() != '[' || c < '0' || c > '9') without += c;
  return without;
}

std::string in_quotes(const std::string& text) {
  YamlNode scalar;
  scalar.kind = YamlNode::Kind::scalar;
  scalar.text = text;
  return describe(scalar);
}

}  // namespace

std::string YamlReader::label() const {
  constexpr std::size_t longest = 200;
  if (path_.empty()) return place_;
  return place_ + ": " + (path_.size() > longest ? path_.substr(0, longest) + "..." : path_);
}

void YamlReader::fail(std::string_view expected) const { fail(expected, node_ ? describe(*node_) : "nothing"); }

void YamlReader::fail(std::string_view expected, std::string_view got) const {
  throw InputError(fmt::format("{}: expected {}, got {}", label(), expected, got));
}

void YamlReader::expect_keys(const std::vector<std::string>& keys, const std::vector<std::string>& more_keys) const {
  if (!node_) return;
  const std::string names = fmt::format("{}", fmt::join(keys, ", "));
  if (node_->kind != YamlNode::Kind::map)
    fail(keys.size() == 1 ? "a map with the key " + names : "a map with the keys " + names,
         describe(*node_) + colon_without_space(node_->text, keys));
  std::vector<std::string> all = keys;
  all.insert(all.end(), more_keys.begin(), more_keys.end());
  const YamlNode* before = nullptr;
  for (const YamlNode& child : node_->children) {
    if (std::find(all.begin(), all.end(), child.key) == all.end()) {
      const YamlReader unknown(&child, child.key_place, path_of(child.key), *this);
      unknown.fail(keys.size() == 1 ? "the key " + names : "one of the keys " + names,
                   in_quotes(child.key) + advice(child, before, all));
    }
    before = &child;
  }
}

std::string YamlReader::path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

YamlReader YamlReader::operator[](const std::string& key) const {
  const YamlNode* child = node_ ? node_->find(key) : nullptr;
  std::string path = path_of(key);
  if (asked_) asked_->insert(without_numbers(path));
  return {child, child ? child->place : place_, std::move(path), *this};
}

std::vector<std::string> YamlReader::keys() const {
  std::vector<std::string> keys;
  if (is_map())
    for (const YamlNode& child : node_->children) keys.push_back(child.key);
  return keys;
}

std::vector<YamlReader> YamlReader::entries() const {
  std::vector<YamlReader> entries;
  if (!node_) return entries;
  if (node_->kind != YamlNode::Kind::list) fail("a list");
  for (const YamlNode& child : node_->children)
    entries.push_back(YamlReader(&child, child.place, fmt::format("{}[{}]", path_, entries.size()), *this));
  return entries;
}

Real YamlReader::number(const QuantityKind& kind, const Range& range, std::optional<Real> absent) const {
  if (!node_ && absent) return *absent;
  if (!node_ || node_->kind != YamlNode::Kind::scalar) fail(expectation(kind, range));
  const auto quantity = parse_quantity(node_->text);
  const bool fits = quantity && quantity->dimension.value_or(kind.dimension) == kind.dimension;
  if (!fits || !range.contains(quantity->value))
    fail(expectation(kind, range),
         describe(*node_) + (quantity ? electrical_conversion(kind, path_, node_->text) : decimal_comma(node_->text)));
  return quantity->value;
}

std::optional<Real> YamlReader::number_if_present(const QuantityKind& kind, const Range& range) const {
  return node_ ? std::optional(number(kind, range)) : std::nullopt;
}

int YamlReader::whole_number(int low, int high, std::optional<int> absent) const {
  if (!node_ && absent) return *absent;
  const std::string expected = fmt::format("a whole number in [{}, {}]", low, high);
  if (!node_ || node_->kind != YamlNode::Kind::scalar) fail(expected);
  const std::string& text = node_->text;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) fail(expected);
  return value;
}

Vector3 YamlReader::vector(const QuantityKind& kind, std::optional<Vector3> absent) const {
  if (!node_ && absent) return *absent;
  const bool is_longer_list = node_ && node_->kind == YamlNode::Kind::list && node_->children.size() > 3;
  if (!node_ || node_->kind != YamlNode::Kind::list || node_->children.size() != 3)
    fail(fmt::format("a list [x, y, z], each a {}", kind.noun),
         (node_ ? describe(*node_) : "nothing") + (is_longer_list ? "; decimals have a point, as in 0.5" : ""));
  const auto components = entries();
  return {components[0].number(kind, any_number), components[1].number(kind, any_number),
          components[2].number(kind, any_number)};
}

std::string YamlReader::text(std::string_view expected, std::optional<std::string> absent) const {
  if (!node_ && absent) return *absent;
  if (!node_ || node_->kind != YamlNode::Kind::scalar || node_->text.empty()) fail(expected);
  return node_->text;
}

std::filesystem::path YamlReader::path(std::string_view expected, std::optional<std::string> absent) const {
  const std::string given = text(expected, std::move(absent));
  if (std::any_of(given.begin(), given.end(), [](unsigned char c) { return c < ' ' || c == 127; }))
    fail(expected, describe(*node_) +
                       " with a control character: in double quotes a backslash makes one of the letter "
                       "after it; use single quotes, and / between folders");
  try {
    return canonical_path(directory_ / expand_home(given));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", label(), error.what()));
  }
}

bool YamlReader::is(std::string_view text) const {
  return node_ && node_->kind == YamlNode::Kind::scalar && node_->text == text;
}

bool YamlReader::boolean(bool absent) const {
  if (!present()) return absent;
  const std::string given = text("one of true, false");
  if (given == "True" || given == "TRUE") return true;
  if (given == "False" || given == "FALSE") return false;
  return name({"true", "false"}) == "true";
}

std::string YamlReader::name(const std::vector<std::string>& valid, std::optional<std::string> absent,
                             const std::vector<std::string>& more) const {
  if (!node_ && absent) return *absent;
  const std::string names = fmt::format("{}", fmt::join(valid, ", "));
  const std::string expected = (valid.size() == 1 ? names : "one of " + names) +
                               (more.empty() ? "" : " (others, for measurements, in docs/papers)");
  std::vector<std::string> all = valid;
  all.insert(all.end(), more.begin(), more.end());
  std::string given = text(expected);
  if (std::find(all.begin(), all.end(), given) == all.end()) fail(expected, in_quotes(given) + suggestion(given, all));
  return given;
}

}  // namespace cardiowarp
