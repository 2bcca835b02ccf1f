#include "meshes/msh_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

/// Gmsh gives each partition of a physical group a group of its own, with a name like "_part{2}_physical{7}_dim{3}".
/// Returns the group that was partitioned (0: none), and nothing for any other name.
std::optional<int> group_of_partition(const std::string& name) {
  int group = 0, end = 0;
  std::sscanf(name.c_str(), "_part{%*[0-9,]}_physical{%9d}_dim{%*1[0-3]}%n", &group, &end);
  if (end == 0 || static_cast<std::size_t>(end) != name.size()) return {};
  return std::abs(group);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// How many whole numbers stand on the cursor's next line before the name that ends it.
int numbers_before_name(MshCursor in) {
  const auto is_number = [](std::string_view word) { return word.find_first_not_of("+-0123456789") == word.npos; };
  if (!is_number(in.word())) return 0;
  std::string_view rest = trimmed(in.rest_of_line());
  for (int numbers = 1;; ++numbers) {
    const std::size_t end = rest.find_first_of(" \t");
    if (end == rest.npos || !is_number(rest.substr(0, end))) return numbers;
    rest = trimmed(rest.substr(end));
  }
}

}  // namespace

/// Text in binary files too. The quotes around a name are Gmsh's; other programs leave them out.
void MshGroups::read_names(bool with_dimensions) {
  const auto count = in_.number<std::size_t>("the number of physical names");
  for (std::size_t i = 0; i < count; ++i) {
    const bool has_dimension = with_dimensions || numbers_before_name(in_) > 1;
    const int dimension = has_dimension ? in_.number<int>("the dimension of a physical group") : 0;
    if (dimension < 0 || dimension > 3) in_.fail(fmt::format("physical dimension {}: expected 0 to 3", dimension));
    const int tag = in_.number<int>("the tag of a physical group");
    const std::string_view line = trimmed(in_.rest_of_line());
    const std::size_t begin = line.find('"'), end = line.rfind('"');
    const bool has_quotes = begin != std::string_view::npos;
    if (line.empty() || (has_quotes && begin == end))
      in_.fail(fmt::format("physical group {}: expected a name, in double quotes or without, got '{}'", tag,
                           MshCursor::printable(line)));
    const std::string_view name = has_quotes ? line.substr(begin + 1, end - begin - 1) : line;
    if (has_dimension) add_name(dimension, tag, name);
    for (int each = 0; !has_dimension && each < 4; ++each) add_name(each, tag, name);
  }
}

void MshGroups::add_name(int dimension, int tag, std::string_view name) {
  const auto [known, added] = names_.emplace(DimensionAndTag(dimension, std::abs(std::max(tag, -INT_MAX))), name);
  if (!added && known->second != name)
    in_.fail(fmt::format("physical group {} of dimension {} has two names, '{}' and '{}'", tag, dimension,
                         known->second, name));
}

void MshGroups::read_entities() {
  const auto counts = entity_counts();
  for (int dimension = 0; dimension < 4; ++dimension)
    for (std::size_t i = 0; i < counts[static_cast<std::size_t>(dimension)]; ++i) {
      const auto tag = in_.value<std::int32_t>("an entity tag");
      note_entity(dimension, tag, rest_of_entity(dimension));
    }
}

/// A partition has the groups of the entity that was partitioned. What lies between two partitions is of a lower
/// dimension than its parent, and in none.
void MshGroups::read_partitioned_entities() {
  in_.value<std::size_t>("the number of partitions");
  const auto ghosts = in_.value<std::size_t>("the number of ghost entities");
  in_.skip<std::int32_t>(ghosts, 2, "a ghost entity");
  const auto counts = entity_counts();
  for (int dimension = 0; dimension < 4; ++dimension)
    for (std::size_t i = 0; i < counts[static_cast<std::size_t>(dimension)]; ++i) {
      const auto tag = in_.value<std::int32_t>("an entity tag");
      const auto parent_dimension = in_.value<std::int32_t>("the dimension of a parent entity");
      const auto parent = in_.value<std::int32_t>("the tag of a parent entity");
      in_.skip<std::int32_t>(in_.value<std::size_t>("a number of partitions"), "a partition");
      GroupsOfEntity groups = rest_of_entity(dimension);
      if (parent_dimension > dimension) groups = {};
      if (parent_dimension == dimension) groups = groups_of_entity(dimension, parent);
      note_entity(dimension, tag, groups);
    }
}

std::array<std::size_t, 4> MshGroups::entity_counts() {
  std::array<std::size_t, 4> counts{};
  for (std::size_t& count : counts) count = in_.value<std::size_t>("a number of entities");
  return counts;
}

/// Returns the physical groups, whose signs are orientations.
GroupsOfEntity MshGroups::rest_of_entity(int dimension) {
  in_.skip<double>(dimension == 0 ? 3 : 6, "a bounding box");
  const auto count = in_.value<std::size_t>("a number of physical groups");
  in_.require(count, in_.is_binary() ? sizeof(std::int32_t) : 1);
  std::vector<int> groups;
  for (std::size_t i = 0; i < count; ++i) {
    groups.push_back(in_.value<std::int32_t>("a physical tag"));
    if (groups.back() == std::numeric_limits<std::int32_t>::min())
      in_.fail(fmt::format("physical tag {} is too low", groups.back()));
  }
  if (dimension > 0) in_.skip<std::int32_t>(in_.value<std::size_t>("a number of boundaries"), "a boundary tag");
  return GroupsOfEntity::of(std::move(groups), further_sets_);
}

void MshGroups::note_entity(int dimension, int tag, const GroupsOfEntity& groups) {
  if (!groups_of_entity_.emplace(DimensionAndTag(dimension, tag), groups).second)
    in_.fail(fmt::format("entity {} of dimension {} is given twice", tag, dimension));
}

GroupsOfEntity MshGroups::groups_of_entity(int dimension, int tag) const {
  if (groups_of_entity_.empty()) return {};
  const auto found = groups_of_entity_.find({dimension, tag});
  if (found == groups_of_entity_.end())
    in_.fail(fmt::format("entity {} of dimension {} is not among the $Entities", tag, dimension));
  return found->second;
}

void MshGroups::resolve_partitions(int dimension, std::vector<int>& groups) const {
  std::map<int, int> group_of;
  for (const auto& [key, name] : names_)
    if (const auto group = group_of_partition(name); group && key.first == dimension) group_of[key.second] = *group;
  if (group_of.empty()) return;
  for (int& group : groups)
    if (const auto found = group_of.find(group); found != group_of.end()) group = found->second;
}

std::vector<std::string> MshGroups::remarks(const Mesh& mesh) const {
  std::vector<std::string> not_read, empty;
  for (const auto& [key, name] : names_) {
    const bool is_used = mesh.volume_names.contains(name) || mesh.surface_names.contains(name);
    if (is_used || name.empty() || group_of_partition(name)) continue;
    std::vector<std::string>& list = key.first < 2 ? not_read : empty;
    if (const std::string shown = MshCursor::printable(name); std::ranges::find(list, shown) == list.end())
      list.push_back(shown);
  }
  std::vector<std::string> lines;
  if (!not_read.empty())
    lines.push_back(fmt::format("groups of points and curves are not read: {}", fmt::join(not_read, ", ")));
  if (!empty.empty()) lines.push_back(fmt::format("groups without elements: {}", fmt::join(empty, ", ")));
  return lines;
}

std::map<std::string, int> MshGroups::names_of(int dimension, const std::vector<int>& groups,
                                               const FurtherTags& further) const {
  std::map<std::string, int> result;
  for (const auto& [group, cells] : cells_of_tags(groups, further)) {
    const auto name = names_.find({dimension, group});
    if (name == names_.end() || name->second.empty()) continue;
    const auto [known, added] = result.emplace(name->second, group);
    if (!added)
      throw InputError(fmt::format("{}: physical groups {} and {} have the same name '{}'", in_.file(), known->second,
                                   group, name->second));
  }
  return result;
}

}  // namespace cardiowarp
