#include "app/advice/mesh_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include "fem/further_tags.hpp"
#include "fem/mesh.hpp"
#include "fem/tag_names.hpp"
#include "meshes/msh_cursor.hpp"

namespace cardiowarp {
namespace {

constexpr std::size_t most_entries = 24;

/// The texts of at most `most_entries` of the entries, the largest of them, in their order.
template <class Key, class InWords>
std::string list_of(const std::map<Key, std::size_t>& cells_of, const InWords& in_words) {
  std::vector<std::pair<Key, std::size_t>> entries(cells_of.begin(), cells_of.end());
  if (entries.size() > most_entries) {
    std::ranges::stable_sort(entries, std::greater<>(), [](const auto& entry) { return entry.second; });
    entries.resize(most_entries);
    std::ranges::sort(entries);
  }
  std::vector<std::string> texts;
  for (const auto& [key, cells] : entries) texts.push_back(in_words(key, cells));
  const std::size_t others = cells_of.size() - texts.size();
  return fmt::format("{}{}", fmt::join(texts, ", "), others == 0 ? "" : fmt::format(" and {} more", others));
}

std::string describe(const char* kind, const char* cells, const std::vector<int>& tags, const FurtherTags& further,
                     const std::map<std::string, int>& names) {
  const auto in_words = [&](int tag) {
    const std::string* name = name_of_tag(names, tag);
    return name == nullptr ? fmt::format("tag {}", tag) : fmt::format("{} ({})", MshCursor::printable(*name), tag);
  };
  std::map<int, std::size_t> sizes;
  std::map<std::pair<int, int>, std::size_t> shared;
  for (const auto& [combination, count] : cells_of_combinations(tags, further))
    for (std::size_t b = 0; b < combination.size(); ++b) {
      sizes[combination[b]] += count;
      for (std::size_t a = 0; a < b; ++a) shared[std::minmax(combination[a], combination[b])] += count;
    }
  if (sizes.empty() || (sizes.size() == 1 && sizes.contains(0))) return {};
  const std::string groups = list_of(sizes, [&](int tag, std::size_t count) {
    const bool has_name = name_of_tag(names, tag) != nullptr;
    return fmt::format("{}{} {}", tag == 0 ? "no tag" : in_words(tag), has_name ? "" : ":", count);
  });
  if (shared.empty()) return fmt::format("{}: {} {}", kind, groups, cells);
  const std::string pairs = list_of(shared, [&](const std::pair<int, int>& pair, std::size_t count) {
    return fmt::format("{} and {} share {}", in_words(pair.first), in_words(pair.second), count);
  });
  return fmt::format("{}: {} {}; {}", kind, groups, cells, pairs);
}

}  // namespace

std::vector<std::string> describe_groups(const Mesh& mesh) {
  std::vector<std::string> lines{
      describe("groups", "elements", mesh.element_tags, mesh.further_element_tags, mesh.volume_names),
      describe("surfaces", "triangles", mesh.triangle_tags, mesh.further_triangle_tags, mesh.surface_names)};
  std::erase(lines, "");
  return lines;
}

}  // namespace cardiowarp
