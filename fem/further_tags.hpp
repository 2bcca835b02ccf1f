#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct FurtherTags;

// How a reader makes the FurtherTags of a mesh (fem/mesh.hpp) and how tags are asked for. Readers make the sets by a
// TagSets, who selects by tags asks HasTag, and the two functions count cells for messages.

/// Gives each different set of tags a number, counted from 0, which is the empty set.
class TagSets {
 public:
  TagSets() = default;
  /// Goes on with sets that are numbered already; none of them twice, the first empty.
  explicit TagSets(std::vector<std::vector<int>> sets);

  /// The number of a set, whose tags come in any order and may be repeated.
  Index number_of(std::vector<int> tags);

  const std::vector<std::vector<int>>& sets() const { return sets_; }

 private:
  std::vector<std::vector<int>> sets_ = std::vector<std::vector<int>>(1);
  std::map<std::vector<int>, Index> numbers_ = {{std::vector<int>(), 0}};
};

/// Whether a cell has a tag, as its first or among its further ones. Refers to the vectors that it was made of.
class HasTag {
 public:
  HasTag(const std::vector<int>& tags, const FurtherTags& further, int tag);

  bool operator()(std::size_t cell) const {
    if (tags_[cell] == tag_) return true;
    return set_of_cell_ != nullptr && set_has_[static_cast<std::size_t>(set_of_cell_[cell])] != 0;
  }

 private:
  const std::vector<int>& tags_;
  const Index* set_of_cell_;   ///< [cells]; null while no cell has further tags
  std::vector<char> set_has_;  ///< [sets]
  int tag_;
};

/// How many cells have each tag that some cell has; a cell counts once for each of its tags.
std::map<int, std::size_t> cells_of_tags(const std::vector<int>& tags, const FurtherTags& further);

/// How many cells have each combination of tags that some cell has, with the first tag of these cells in front.
std::map<std::vector<int>, std::size_t> cells_of_combinations(const std::vector<int>& tags, const FurtherTags& further);

}  // namespace cardiowarp
