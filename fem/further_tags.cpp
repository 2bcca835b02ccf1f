#include "fem/further_tags.hpp"

#include <algorithm>
#include <utility>

#include "fem/mesh.hpp"

namespace cardiowarp {

TagSets::TagSets(std::vector<std::vector<int>> sets) : sets_(std::move(sets)) {
  numbers_.clear();
  for (std::size_t i = 0; i < sets_.size(); ++i) numbers_.emplace(sets_[i], static_cast<Index>(i));
}

Index TagSets::number_of(std::vector<int> tags) {
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  const auto [known, added] = numbers_.emplace(tags, static_cast<Index>(sets_.size()));
  if (added) sets_.push_back(std::move(tags));
  return known->second;
}

HasTag::HasTag(const std::vector<int>& tags, const FurtherTags& further, int tag)
    : tags_(tags), set_of_cell_(further.empty() ? nullptr : further.set_of_cell.data()), tag_(tag) {
  for (const std::vector<int>& set : further.sets)
    set_has_.push_back(std::binary_search(set.begin(), set.end(), tag) ? 1 : 0);
}

std::map<std::vector<int>, std::size_t> cells_of_combinations(const std::vector<int>& tags,
                                                              const FurtherTags& further) {
  // Neighboring cells are mostly alike, so a run of them is looked up once.
  std::map<std::pair<int, Index>, std::size_t> counts;
  const auto set_of = [&](std::size_t cell) { return further.empty() ? Index{0} : further.set_of_cell[cell]; };
  for (std::size_t begin = 0, end = 0; begin < tags.size(); begin = end) {
    while (end < tags.size() && tags[end] == tags[begin] && set_of(end) == set_of(begin)) ++end;
    counts[{tags[begin], set_of(begin)}] += end - begin;
  }
  std::map<std::vector<int>, std::size_t> result;
  for (const auto& [key, count] : counts) {
    std::vector<int> combination{key.first};
    if (!further.empty()) {
      const std::vector<int>& others = further.sets[static_cast<std::size_t>(key.second)];
      combination.insert(combination.end(), others.begin(), others.end());
    }
    result[combination] += count;
  }
  return result;
}

std::map<int, std::size_t> cells_of_tags(const std::vector<int>& tags, const FurtherTags& further) {
  std::map<int, std::size_t> result;
  for (const auto& [combination, count] : cells_of_combinations(tags, further))
    for (const int tag : combination) result[tag] += count;
  return result;
}

}  // namespace cardiowarp
