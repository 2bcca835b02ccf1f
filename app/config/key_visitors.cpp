#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/config/key_visitor.hpp"
#include "app/config/yaml_text.hpp"

namespace cardiowarp {
namespace {

/// Collects descriptions: of the keys inside sections, too, or, to know which keys a section may have, of its own
/// alone.
class KeyDescriber final : public KeyVisitor {
 public:
  explicit KeyDescriber(bool goes_inside) : goes_inside_(goes_inside) {}

  std::vector<KeyDescription> take() { return std::move(keys_); }

  void number(const KeyWords& words, Real& value, const QuantityKind& kind, const Range& range) override {
    add(words, {.kind = KeyKind::number, .quantity = kind, .range = range}, yaml_number(value));
  }
  void number(const KeyWords& words, std::optional<Real>& value, const QuantityKind& kind,
              const Range& range) override {
    add(words, {.kind = KeyKind::number, .quantity = kind, .range = range}, value ? yaml_number(*value) : "");
  }
  void whole_number(const KeyWords& words, int& value, int low, int high) override {
    add(words, {.kind = KeyKind::whole_number, .range = {static_cast<Real>(low), static_cast<Real>(high)}},
        std::to_string(value));
  }
  void truth(const KeyWords& words, bool& value) override {
    add(words, {.kind = KeyKind::truth}, value ? "true" : "false");
  }
  void point(const KeyWords& words, Vector3& value, const QuantityKind& kind) override {
    add(words, {.kind = KeyKind::point, .quantity = kind}, yaml_vector(value));
  }
  void path(const KeyWords& words, std::filesystem::path&, const std::string&) override {
    add(words, {.kind = KeyKind::path}, "");
  }
  void special(const KeyWords& words, const KeyShape& shape, const Read&, const Text& text) override {
    const bool has_text = goes_inside_ && words.default_value.empty() && (shape.kind != KeyKind::map || shape.is_list);
    add(words, shape, has_text ? text() : "");
  }
  void section(const KeyWords& words, const Section& keys, Style) override {
    add(words, {.kind = KeyKind::map, .keys = inside(keys)}, "");
  }
  void entries(const KeyWords& words, std::size_t size, const Entry& keys, Style) override {
    add(words,
        {.kind = KeyKind::map, .is_list = true, .keys = inside([&](KeyVisitor& visitor) { keys(visitor, size); })},
        "[]");
  }
  bool wants_section(const KeyWords& words, bool) override {
    if (!goes_inside_) add(words, {}, "");
    return goes_inside_;
  }
  bool describes() const override { return goes_inside_; }

 protected:
  void word(const KeyWords& words, const std::string& value, const KeyShape& shape, const std::vector<std::string>&,
            const std::function<void(const std::string&)>&) override {
    add(words, shape, value);
  }

 private:
  std::vector<KeyDescription> inside(const Section& keys) const {
    return goes_inside_ ? described(keys) : std::vector<KeyDescription>();
  }

  void add(const KeyWords& words, KeyShape shape, const std::string& value) {
    const bool is_value = words.default_value.empty();
    if (!words.in_words.empty()) shape.in_words = words.in_words;
    keys_.push_back({.name = words.name,
                     .meaning = words.meaning,
                     .default_value = is_value ? value : words.default_value,
                     .is_required = words.default_value == required,
                     .default_is_value = is_value && !value.empty(),
                     .is_for_papers = words.is_for_papers,
                     .is_of_ionic_cells = words.is_of_ionic_cells,
                     .shape = std::move(shape)});
  }

  bool goes_inside_;
  std::vector<KeyDescription> keys_;
};

/// Sets the values from a file.
class KeyReader final : public KeyVisitor {
 public:
  explicit KeyReader(const YamlReader& in) : in_(in) {}

  void number(const KeyWords& words, Real& value, const QuantityKind& kind, const Range& range) override {
    value = in_[words.name].number(kind, range, absent(words, value));
  }
  void number(const KeyWords& words, std::optional<Real>& value, const QuantityKind& kind,
              const Range& range) override {
    value = in_[words.name].number_if_present(kind, range);
  }
  void whole_number(const KeyWords& words, int& value, int low, int high) override {
    value = in_[words.name].whole_number(low, high, absent(words, value));
  }
  void truth(const KeyWords& words, bool& value) override { value = in_[words.name].boolean(value); }
  void point(const KeyWords& words, Vector3& value, const QuantityKind& kind) override {
    value = in_[words.name].vector(kind, absent(words, value));
  }
  void path(const KeyWords& words, std::filesystem::path& value, const std::string& expected) override {
    value = in_[words.name].path(expected, absent(words, value.string()));
  }
  void special(const KeyWords& words, const KeyShape&, const Read& read, const Text&) override {
    read(in_[words.name]);
  }
  void section(const KeyWords& words, const Section& keys, Style) override { read_section(in_[words.name], keys); }
  void entries(const KeyWords& words, std::size_t size, const Entry& keys, Style) override {
    for (const YamlReader& entry : in_[words.name].entries()) {
      read_section(entry, [&](KeyVisitor& visitor) { keys(visitor, size); });
      ++size;
    }
  }
  bool wants_section(const KeyWords& words, bool) override { return in_[words.name].present(); }
  const YamlReader* reading() const override { return &in_; }

 protected:
  void word(const KeyWords& words, const std::string&, const KeyShape& shape, const std::vector<std::string>& unnamed,
            const std::function<void(const std::string&)>& set) override {
    const YamlReader in = in_[words.name];
    if (!in.present()) return;
    const auto given = std::find_if(unnamed.begin(), unnamed.end(), [&](const auto& name) { return in.is(name); });
    std::vector<std::string> names;
    for (const NamedValue& value : shape.names) names.push_back(value.name);
    set(given != unnamed.end() ? *given : in.name(names, {}, shape.further_names));
  }

 private:
  /// What an absent key is.
  template <class Value>
  static std::optional<Value> absent(const KeyWords& words, const Value& value) {
    return words.default_value == required ? std::nullopt : std::optional<Value>(value);
  }

  const YamlReader& in_;
};

/// Writes the values as YAML.
class KeyWriter final : public KeyVisitor {
 public:
  explicit KeyWriter(int indent) : indent_(indent) {}

  void number(const KeyWords& words, Real& value, const QuantityKind&, const Range&) override {
    add(words, yaml_number(value));
  }
  void number(const KeyWords& words, std::optional<Real>& value, const QuantityKind&, const Range&) override {
    if (value) add(words, yaml_number(*value));
  }
  void whole_number(const KeyWords& words, int& value, int, int) override { add(words, std::to_string(value)); }
  void truth(const KeyWords& words, bool& value) override { add(words, value ? "true" : "false"); }
  void point(const KeyWords& words, Vector3& value, const QuantityKind&) override { add(words, yaml_vector(value)); }
  void path(const KeyWords& words, std::filesystem::path& value, const std::string&) override {
    add(words, yaml_path(value));
  }
  void special(const KeyWords& words, const KeyShape&, const Read&, const Text& text) override { add(words, text()); }
  void section(const KeyWords& words, const Section& keys, Style style) override {
    if (style == Style::flow) return add(words, flow_text(keys));
    const std::string text = text_of_section(keys, indent_ + 2);
    add(words, text.empty() ? "{}" : "\n" + text);
  }
  void entries(const KeyWords& words, std::size_t size, const Entry& keys, Style style) override {
    std::string text = size == 0 ? "[]" : "";
    for (std::size_t number = 0; number < size; ++number) {
      const Section entry = [&](KeyVisitor& visitor) { keys(visitor, number); };
      const std::size_t spaces = static_cast<std::size_t>(indent_) + 4;
      text += "\n" + std::string(spaces - 2, ' ') + "- ";
      text += style == Style::flow ? flow_text(entry) : text_of_section(entry, indent_ + 4).substr(spaces);
    }
    add(words, text);
  }
  bool wants_section(const KeyWords&, bool is_there) override { return is_there; }

  std::string block() const {
    std::string text;
    for (const auto& [name, value] : values_)
      text += fmt::format("{}{:{}}{}:{}{}", text.empty() ? "" : "\n", "", indent_, name,
                          value.starts_with('\n') ? "" : " ", value);
    return text;
  }
  std::string flow() const {
    std::string text;
    for (const auto& [name, value] : values_) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, value);
    return "{" + text + "}";
  }

 protected:
  void word(const KeyWords& words, const std::string& value, const KeyShape&, const std::vector<std::string>&,
            const std::function<void(const std::string&)>&) override {
    add(words, value);
  }

 private:
  static std::string flow_text(const Section& keys) {
    KeyWriter inside(0);
    keys(inside);
    return inside.flow();
  }

  void add(const KeyWords& words, const std::string& value) {
    if (!value.empty()) values_.emplace_back(words.name, value);
  }

  int indent_;
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace

KeyShape shape_of_word(const std::vector<std::string>& names, const NamedValues& meanings) {
  KeyShape shape{.kind = KeyKind::word, .names = meanings};
  for (const std::string& name : names)
    if (std::none_of(meanings.begin(), meanings.end(), [&](const NamedValue& value) { return value.name == name; }))
      shape.further_names.push_back(name);
  return shape;
}

void read_section(const YamlReader& in, const KeyVisitor::Section& keys) {
  KeyDescriber names(false);
  keys(names);
  std::vector<std::string> shown, for_papers;
  for (const KeyDescription& key : names.take()) (key.is_for_papers ? for_papers : shown).push_back(key.name);
  in.expect_keys(shown, for_papers);
  KeyReader reader(in);
  keys(reader);
}

std::string text_of_section(const KeyVisitor::Section& keys, int indent) {
  KeyWriter writer(indent);
  keys(writer);
  return writer.block();
}

std::vector<KeyDescription> described(const KeyVisitor::Section& keys) {
  KeyDescriber describer(true);
  keys(describer);
  return describer.take();
}

}  // namespace cardiowarp
