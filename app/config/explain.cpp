#include "app/config/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

/// The unit that a number without one has: `mm` of "mm, cm, m, um"; empty where there is none.
std::string unit_of(const QuantityKind& quantity) {
  if (quantity.dimension == plain_number.dimension) return "";
  return std::string(quantity.units.substr(0, quantity.units.find(',')));
}

std::string range_in_words(const Range& range) {
  const bool has_low = std::isfinite(range.low), has_high = std::isfinite(range.high);
  if (!has_low && !has_high) return "";
  if (!has_high && range.low == 0) return range.low_included ? "not negative" : "positive";
  if (!has_high) return fmt::format("{} {}", range.low_included ? "at least" : "above", range.low);
  return fmt::format("in {}{}, {}{}", range.low_included ? '[' : '(', range.low, range.high,
                     range.high_included ? ']' : ')');
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string names_in_words(const NamedValues& names) {
  std::vector<std::string> words;
  for (const NamedValue& value : names) words.push_back("`" + value.name + "`");
  return joined(words);
}

/// `or_else` where nothing is said in words.
std::string said_or(const KeyShape& shape, const std::string& or_else) {
  return shape.in_words.empty() ? or_else : shape.in_words;
}

/// The places of `where` and the parameters of cells are described where they are looked up, not in every section.
bool is_shown_inside(const KeyDescription& key) {
  return !key.shape.keys.empty() && !key.shape.is_list &&
         (key.shape.kind != KeyKind::map || key.shape.in_words.empty());
}

/// Each key that is shown in the table of a section, with its name inside the section: `adaptive.tolerance`.
void for_each_row(std::span<const KeyDescription> keys, const std::string& prefix,
                  const std::function<void(const std::string& name, const KeyDescription& key)>& show) {
  for (const KeyDescription& key : keys) {
    if (key.is_for_papers || key.is_of_ionic_cells) continue;
    if (key.shape.kind != KeyKind::map || !is_shown_inside(key)) show(prefix + key.name, key);
    if (is_shown_inside(key)) for_each_row(key.shape.keys, prefix + key.name + ".", show);
  }
}

/// `stimuli.start` of `stimuli[0].start` and `stimuli.0.start`.
std::vector<std::string> parts_of(const std::string& full_name) {
  std::vector<std::string> parts(1);
  for (const char c : full_name) {
    if (c == '.' || c == '[')
      parts.emplace_back();
    else if (c != ']')
      parts.back() += c;
  }
  std::erase_if(parts, [](const std::string& part) {
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  });
  return parts;
}

void collect_names(std::span<const KeyDescription> keys, const std::string& prefix, std::vector<std::string>& names) {
  for (const KeyDescription& key : keys) {
    if (key.is_for_papers) continue;
    const std::string name = prefix + key.name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    if (!key.shape.is_place || prefix == "boundary.") collect_names(key.shape.keys, name + ".", names);
  }
}

/// `where` alone is that of the boundary, which has all kinds of places.
std::vector<std::string> parts_in_full(const std::string& full_name) {
  std::vector<std::string> parts = parts_of(full_name);
  if (!parts.empty() && parts.front() == "where") parts.insert(parts.begin(), "boundary");
  return parts;
}

/// The descriptions with this full name; of a parameter that several cell models have there are several.
std::vector<const KeyDescription*> found(const std::string& full_name) {
  std::vector<const KeyDescription*> level;
  for (const KeyDescription& section : configuration_keys()) level.push_back(&section);
  std::vector<const KeyDescription*> keys;
  for (const std::string& part : parts_in_full(full_name)) {
    keys.clear();
    std::copy_if(level.begin(), level.end(), std::back_inserter(keys), [&](auto* key) { return key->name == part; });
    level.clear();
    for (const KeyDescription* key : keys)
      for (const KeyDescription& inside : key->shape.keys) level.push_back(&inside);
  }
  return keys;
}

std::vector<const KeyDescription*> found_or_nearest(const std::string& full_name) {
  std::vector<const KeyDescription*> keys = found(full_name);
  if (!keys.empty()) return keys;
  const std::vector<std::string> names = full_names_of_keys();
  // Who knows the last part alone is told in which sections there is such a key.
  std::vector<std::string> with_this_end;
  for (const std::string& name : names)
    if (name.ends_with("." + full_name)) with_this_end.push_back(name);
  throw InputError(fmt::format("KEY: expected a key of the YAML file, got '{}'{}", full_name,
                               with_this_end.empty() ? suggestion(full_name, names)
                                                     : fmt::format("; there is {}", fmt::join(with_this_end, ", "))));
}

/// What is behind the name of a key in the table of its section.
std::string explained(const std::string& full_name, const KeyDescription& key) {
  std::string text = fmt::format("{}\n  {}\n", full_name, key.meaning);
  if (key.shape.kind == KeyKind::map && is_shown_inside(key)) return text;
  if (key.shape.kind == KeyKind::word && key.shape.in_words.empty())
    text += "  takes    one of the following\n";
  else
    text += fmt::format("  takes    {}\n", in_words(key.shape));
  for (const NamedValue& value : key.shape.names)
    if (key.shape.kind == KeyKind::word)
      text += value.meaning.empty() ? fmt::format("    {}\n", value.name)
                                    : fmt::format("    {:<22}{}\n", value.name, value.meaning);
  if (!key.shape.others_in_words.empty()) text += fmt::format("    {}\n", key.shape.others_in_words);
  if (!key.shape.further_names.empty()) text += fmt::format("    {}\n", key.shape.further_names_in_words);
  return key.default_value.empty() ? text : text + fmt::format("  default  {}\n", key.default_value);
}

/// A cell of a table.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.replace(at, 1, "\\|");
  return text;
}

/// A default as the tables have it: values in backquotes, words as they are.
std::string default_cell(const KeyDescription& key) {
  if (key.default_value.empty()) return "";
  const bool is_number = key.shape.kind == KeyKind::number || key.shape.kind == KeyKind::whole_number ||
                         key.shape.kind == KeyKind::point || key.shape.is_list;
  return key.default_is_value && (!is_number || key.default_value == "auto") ? "`" + key.default_value + "`"
                                                                             : key.default_value;
}

/// `ms, positive`, or words with their meanings.
std::string values_cell(const KeyShape& shape) {
  if (shape.kind != KeyKind::word || !shape.in_words.empty()) return in_words(shape);
  std::vector<std::string> values;
  for (const NamedValue& value : shape.names)
    values.push_back(value.meaning.empty() ? fmt::format("`{}`", value.name)
                                           : fmt::format("`{}`: {}", value.name, value.meaning));
  const bool has_meanings = std::any_of(shape.names.begin(), shape.names.end(),
                                        [](const NamedValue& value) { return !value.meaning.empty(); });
  if (!shape.others_in_words.empty()) values.push_back(shape.others_in_words);
  return fmt::format("{}", fmt::join(values, has_meanings ? "<br>" : ", "));
}

}  // namespace

std::string in_words(const KeyShape& shape) {
  const std::string auto_name =
      shape.names.empty() || shape.in_words.find("`auto`") != std::string::npos ? "" : "`auto`";
  switch (shape.kind) {
    case KeyKind::number:
      if (shape.quantity.dimension == plain_number.dimension && shape.in_words.empty() &&
          range_in_words(shape.range).empty())
        return joined({"number", auto_name});
      return joined({unit_of(shape.quantity), said_or(shape, range_in_words(shape.range)), auto_name});
    case KeyKind::numbers:
      return "list, " + joined({unit_of(shape.quantity), said_or(shape, range_in_words(shape.range))});
    case KeyKind::whole_number:
      return joined({said_or(shape, fmt::format("{} to {}", shape.range.low, shape.range.high)), auto_name});
    case KeyKind::truth:
      return "`true`, `false`";
    case KeyKind::word:
    case KeyKind::words:
      return said_or(shape, joined({names_in_words(shape.names), shape.others_in_words}));
    case KeyKind::text:
      return said_or(shape, "text");
    case KeyKind::path:
      return said_or(shape, "path");
    case KeyKind::point:
      return joined({"[x, y, z]", unit_of(shape.quantity)});
    case KeyKind::interval:
      return joined({"[from, to]", unit_of(shape.quantity), range_in_words(shape.range)});
    case KeyKind::map:
      break;
  }
  return said_or(shape, shape.is_list ? "list" : "map");
}

std::vector<std::string> full_names_of_keys() {
  std::vector<std::string> names;
  collect_names(configuration_keys(), "", names);
  return names;
}

std::string explained_sections() {
  std::string text;
  for (const KeyDescription& section : configuration_keys())
    text += fmt::format("{:<15}{}\n", section.name, section.meaning);
  return text + "\nOne of them in full: cardiowarp explain SECTION, or SECTION.KEY\n";
}

std::string explained_key(const std::string& full_name) {
  std::string text;
  const std::string name = fmt::format("{}", fmt::join(parts_of(full_name), "."));
  for (const KeyDescription* key : found_or_nearest(full_name)) {
    text += explained(name, *key);
    for_each_row(key->shape.keys, name + ".",
                 [&](const std::string& inside, const KeyDescription& row) { text += "\n" + explained(inside, row); });
  }
  return text;
}

std::string key_table(const std::string& section) {
  const KeyDescription& key = *found_or_nearest(section).front();
  std::string text = "| key | meaning | unit, values | default |\n|---|---|---|---|\n";
  const auto add = [&](const std::string& name, const KeyDescription& row) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", name, cell(row.meaning), cell(values_cell(row.shape)),
                        cell(default_cell(row)));
  };
  if (key.shape.keys.empty())
    add(key.name, key);
  else
    for_each_row(key.shape.keys, "", add);
  return text;
}

}  // namespace cardiowarp
