#include "meshes/msh_groups.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "fem/input_error.hpp"

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

}  // namespace

/// Text in binary files too.
void MshGroups::read_names() {
  const auto count = in_.number<std::size_t>("the number of physical names");
  for (std::size_t i = 0; i < count; ++i) {
    const int dimension = in_.number<int>("the dimension of a physical group");
    if (dimension < 0 || dimension > 3) in_.fail(fmt::format("physical dimension {}: expected 0 to 3", dimension));
    const int tag = in_.number<int>("the tag of a physical group");
    const std::string_view line = in_.rest_of_line();
    const std::size_t begin = line.find('"'), end = line.rfind('"');
    if (begin == std::string_view::npos || begin == end)
      in_.fail(fmt::format("physical group {}: expected a name in double quotes, got '{}'", tag,
                           MshCursor::printable(line)));
    const std::string_view name = line.substr(begin + 1, end - begin - 1);
    const auto [known, added] = names_.emplace(DimensionAndTag(dimension, tag), name);
    if (!added && known->second != name)
      in_.fail(fmt::format("physical group {} of dimension {} has two names, '{}' and '{}'", tag, dimension,
                           known->second, name));
  }
}

void MshGroups::read_entities() {
  const auto counts = entity_counts();
  for (int dimension = 0; dimension < 4; ++dimension)
    for (std::size_t i = 0; i < counts[static_cast<std::size_t>(dimension)]; ++i) {
      const auto tag = in_.value<std::int32_t>("an entity tag");
      note_entity(dimension, tag, rest_of_entity(dimension));
    }
}

/// A partition has the group of the entity that was partitioned. What lies between two partitions is of a lower
/// dimension than its parent, and in no group.
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
      int group = rest_of_entity(dimension);
      if (parent_dimension > dimension) group = 0;
      if (parent_dimension == dimension) group = group_of_entity(dimension, parent);
      note_entity(dimension, tag, group);
    }
}

std::array<std::size_t, 4> MshGroups::entity_counts() {
  std::array<std::size_t, 4> counts{};
  for (std::size_t& count : counts) count = in_.value<std::size_t>("a number of entities");
  return counts;
}

/// Returns the lowest of the physical groups, whose sign is an orientation; 0 where there is none.
int MshGroups::rest_of_entity(int dimension) {
  in_.skip<double>(dimension == 0 ? 3 : 6, "a bounding box");
  const auto groups = in_.value<std::size_t>("a number of physical groups");
  in_.require(groups, in_.is_binary() ? sizeof(std::int32_t) : 1);
  int lowest = 0;
  for (std::size_t i = 0; i < groups; ++i) {
    const auto group = in_.value<std::int32_t>("a physical tag");
    if (group == std::numeric_limits<std::int32_t>::min()) in_.fail(fmt::format("physical tag {} is too low", group));
    if (lowest == 0 || std::abs(group) < lowest) lowest = std::abs(group);
  }
  if (dimension > 0) in_.skip<std::int32_t>(in_.value<std::size_t>("a number of boundaries"), "a boundary tag");
  return lowest;
}

void MshGroups::note_entity(int dimension, int tag, int group) {
  if (!group_of_entity_.emplace(DimensionAndTag(dimension, tag), group).second)
    in_.fail(fmt::format("entity {} of dimension {} is given twice", tag, dimension));
}

int MshGroups::group_of_entity(int dimension, int tag) const {
  if (group_of_entity_.empty()) return 0;
  const auto found = group_of_entity_.find({dimension, tag});
  if (found == group_of_entity_.end())
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

std::map<std::string, int> MshGroups::names_of(int dimension, const std::vector<int>& groups) const {
  std::set<int> used;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (i == 0 || groups[i] != groups[i - 1]) used.insert(groups[i]);
  std::map<std::string, int> result;
  for (const int group : used) {
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
