#include "fem/elements_of_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "fem/further_tags.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

std::optional<int> whole_number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The first and the last tag of `7` or `30-33`.
std::optional<std::pair<int, int>> range_of(const std::string& text) {
  if (const auto tag = whole_number(text)) return std::pair(*tag, *tag);
  const std::size_t dash = text.find('-', 1);  // not the sign of the first
  if (dash == std::string::npos) return std::nullopt;
  const auto first = whole_number(text.substr(0, dash)), last = whole_number(text.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  return std::pair(*first, *last);
}

[[noreturn]] void fail(const Mesh& mesh, const char* option, const std::string& group,
                       const std::map<int, std::size_t>& there) {
  std::vector<std::string> names;
  std::string list;
  for (const auto& [name, tag] : mesh.volume_names) names.push_back(name);
  for (const auto& [tag, count] : there) names.push_back(fmt::format("{}", tag));
  constexpr std::size_t most = 30;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k) list += (k == 0 ? "" : ", ") + names[k];
  throw InputError(fmt::format("{}: expected groups out of {}{}, got '{}'{}", option, list,
                               names.size() > most ? ", .." : "", group, suggestion(group, names)));
}

}  // namespace

std::vector<std::uint8_t> elements_in(const Mesh& mesh, const char* option, const std::string& groups) {
  const std::map<int, std::size_t> there = cells_of_tags(mesh.element_tags, mesh.further_element_tags);
  std::vector<std::uint8_t> is_in(mesh.tetrahedra.size(), 0);
  std::istringstream list(groups + ",");
  for (std::string group; std::getline(list, group, ',');) {
    const auto named = mesh.volume_names.find(group);
    const auto range = named != mesh.volume_names.end() ? std::pair(named->second, named->second) : range_of(group);
    bool has_elements = false;
    if (range)
      for (auto tag = there.lower_bound(range->first); tag != there.end() && tag->first <= range->second; ++tag) {
        has_elements = true;
        const HasTag has(mesh.element_tags, mesh.further_element_tags, tag->first);
        for (std::size_t element = 0; element < is_in.size(); ++element)
          if (has(element)) is_in[element] = 1;
      }
    if (!has_elements) fail(mesh, option, group, there);
  }
  return is_in;
}

std::vector<std::uint8_t> elements_of_groups(const Mesh& mesh, const std::string& keep, const std::string& drop) {
  std::vector<std::uint8_t> keeps(mesh.tetrahedra.size(), 1);
  if (!keep.empty()) keeps = elements_in(mesh, "--keep", keep);
  if (!drop.empty()) {
    const std::vector<std::uint8_t> drops = elements_in(mesh, "--drop", drop);
    for (std::size_t element = 0; element < keeps.size(); ++element)
      if (drops[element] != 0) keeps[element] = 0;
  }
  if (std::ranges::find(keeps, std::uint8_t(1)) == keeps.end())
    throw InputError(fmt::format("{}: expected groups that leave elements, got '{}'",
                                 drop.empty() ? "--keep" : "--drop", drop.empty() ? keep : drop));
  return keeps;
}

}  // namespace cardiowarp
