#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The tags that tetrahedra or triangles have beside the one of `element_tags` or `triangle_tags`. Cells of a mesh
// belong to few different sets of groups, mostly to one group each, so a set is stored once and a cell has its number:
//
//   element_tags    1  1  1  4  4            cell 2 has the tags 1 and 4, cell 4 has 4, 7 and 9
//   set_of_cell     0  0  1  0  2
//   sets            {}  {4}  {7, 9}
//
// A mesh whose cells have one tag each has an empty `set_of_cell` and pays nothing; in any other a cell takes 4 bytes.
// Readers make the sets by a TagSets; who selects by tags asks HasTag.

/// The tags of cells beyond the first of each, as drawn above.
struct FurtherTags {
  std::vector<Index> set_of_cell;      ///< [cells] index in `sets`; empty while no cell has further tags
  std::vector<std::vector<int>> sets;  ///< ascending tags without repetition; the first set is empty

  bool empty() const { return set_of_cell.empty(); }

  /// The further tags of a cell, ascending.
  std::span<const int> of(std::size_t cell) const {
    if (empty()) return {};
    return sets[static_cast<std::size_t>(set_of_cell[cell])];
  }
};

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
    return !further_.empty() && set_has_[static_cast<std::size_t>(further_.set_of_cell[cell])] != 0;
  }

 private:
  const std::vector<int>& tags_;
  const FurtherTags& further_;
  std::vector<char> set_has_;  ///< [sets]
  int tag_;
};

/// How many cells have each tag that some cell has; a cell counts once for each of its tags.
std::map<int, std::size_t> cells_of_tags(const std::vector<int>& tags, const FurtherTags& further);

/// How many cells have each combination of tags that some cell has, with the first tag of these cells in front.
std::map<std::vector<int>, std::size_t> cells_of_combinations(const std::vector<int>& tags, const FurtherTags& further);

}  // namespace cardiowarp
