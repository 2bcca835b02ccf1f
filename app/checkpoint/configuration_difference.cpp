#include "app/checkpoint/configuration_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/yaml_tree.hpp"
#include "fem/stimulus.hpp"

namespace cardiowarp {
namespace {

/// Full keys and values, in the order written.
using Values = std::vector<std::pair<std::string, std::string>>;

void collect(const YamlNode& node, const std::string& path, Values& values) {
  using Kind = YamlNode::Kind;
  if (node.kind != Kind::map && node.kind != Kind::list) {
    values.emplace_back(path, node.kind == Kind::scalar ? node.text : "nothing");
    return;
  }
  if (node.children.empty()) values.emplace_back(path, node.kind == Kind::map ? "{}" : "[]");
  for (std::size_t k = 0; k < node.children.size(); ++k) {
    const YamlNode& child = node.children[k];
    const std::string of_list = fmt::format("{}[{}]", path, k);
    const std::string of_map = path.empty() ? child.key : path + "." + child.key;
    collect(child, node.kind == Kind::list ? of_list : of_map, values);
  }
}

Values values_of(const std::string& text) {
  Values values;
  collect(parse_yaml(text, "resolved.yaml"), "", values);
  return values;
}

/// Whether results do not depend on a key.
bool is_of_no_matter(const std::string& key) {
  return key == "checkpoint" || key.starts_with("checkpoint.") || key == "backend" || key == "output.directory" ||
         key == "output.report" || key == "prepace.cache" || key == "initial.steady.cache";
}

bool may_differ(const std::string& key) {
  return key == "mesh.file" || key == "time.end" || is_of_no_matter(key) || key.ends_with(".where.nodes") ||
         key.ends_with(".network.file");
}

/// A quadratic mesh has one quadrature, which is in its checkpoints whether it is given or not.
bool is_decided_by_mesh(const std::string& key, const std::string& was) {
  return key == "quadrature" && was == "fourteen_points";
}

Real number(const std::map<std::string, std::string>& values, const std::string& key, Real absent) {
  const auto found = values.find(key);
  if (found == values.end()) return absent;
  Real value = absent;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  return value;
}

/// Whether `key` is the count of a stimulus, and as many of its pulses have begun at `time_ms` with either.
bool is_later_pulse(const std::string& key, const std::map<std::string, std::string>& before,
                    const std::map<std::string, std::string>& now, Real time_ms) {
  constexpr std::string_view list = "stimuli[", count = "].count";
  if (!key.starts_with(list) || !key.ends_with(count) || key.size() <= list.size() + count.size()) return false;
  const std::string stimulus = key.substr(0, key.size() - std::string_view("count").size());  // `stimuli[3].`
  const auto begun = [&](const std::map<std::string, std::string>& values) {
    return PulseTrain{number(values, stimulus + "start", 0), number(values, stimulus + "duration", 0),
                      number(values, stimulus + "period", 0), static_cast<int>(number(values, stimulus + "count", 1))}
        .begun(time_ms);
  };
  return begun(before) == begun(now);
}

std::map<std::string, std::string> by_key(const Values& values) { return {values.begin(), values.end()}; }

std::string value_in(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string("not given") : found->second;
}

}  // namespace

std::string difference_of_models(const std::string& before, const std::string& now) {
  const auto of_models = [](const std::string& text) {
    std::map<std::string, std::string> kept;
    for (const auto& [key, value] : values_of(text))
      if (key.starts_with("regions[") && (key.find("].where.") != key.npos || key.ends_with("].cell_model.name")))
        kept.emplace(key, value);
    return kept;
  };
  const std::map<std::string, std::string> values_before = of_models(before), values_now = of_models(now);
  for (const auto* values : {&values_before, &values_now})
    for (const auto& [key, ignored] : *values)
      if (const std::string was = value_in(values_before, key), is = value_in(values_now, key); was != is)
        return fmt::format("{}: {} in the checkpoint, {} now", key, was, is);
  return {};
}

std::string differences_of_results(const std::string& before, const std::string& now) {
  const Values values_before = values_of(before), values_now = values_of(now);
  const std::map<std::string, std::string> before_by_key = by_key(values_before), now_by_key = by_key(values_now);
  std::vector<std::string> keys;
  for (const Values* values : {&values_before, &values_now})
    for (const auto& [key, ignored] : *values)
      if (value_in(before_by_key, key) != value_in(now_by_key, key) && !is_of_no_matter(key) &&
          std::find(keys.begin(), keys.end(), key) == keys.end())
        keys.push_back(key);
  constexpr std::size_t most = 3;
  std::string words;
  for (std::size_t k = 0; k < std::min(keys.size(), most); ++k)
    words += fmt::format("{}{} was {}, is {}", k > 0 ? "; " : "", keys[k], value_in(before_by_key, keys[k]),
                         value_in(now_by_key, keys[k]));
  if (keys.size() > most) words += fmt::format("; and {} more", keys.size() - most);
  return words;
}

std::string configuration_difference(const std::string& before, const std::string& now, Real time_ms) {
  const Values values_before = values_of(before), values_now = values_of(now);
  const std::map<std::string, std::string> before_by_key = by_key(values_before), now_by_key = by_key(values_now);
  // The equations of a CellML file have a checksum, so that it may lie elsewhere.
  const bool is_in_file = before_by_key.contains("cell_model.checksum") && now_by_key.contains("cell_model.checksum");
  for (const Values* values : {&values_before, &values_now})
    for (const auto& [key, ignored] : *values) {
      const std::string was = value_in(before_by_key, key), is = value_in(now_by_key, key);
      if (was == is || (is_in_file && key == "cell_model.name") || may_differ(key) || is_decided_by_mesh(key, was) ||
          is_later_pulse(key, before_by_key, now_by_key, time_ms))
        continue;
      return fmt::format("{}: {} in the checkpoint, {} now", key, was, is);
    }
  return {};
}

}  // namespace cardiowarp
